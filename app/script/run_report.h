// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <vector>

#include "app/window/main_window.h"

namespace carryover {

/// Pictures of a window, of each of its views, of the fine-tune dialog and of the bench, taken one after another so
/// that each is drawn before its picture. If `thorough` is true, the search for recall heads, which takes minutes, is
/// started for its view. GUI thread.
class RunReport : public QObject {
  Q_OBJECT
 public:
  RunReport(MainWindow& window, const QString& directory, bool thorough, QObject* parent = nullptr);
  void start();

 Q_SIGNALS:
  void done(int files);
  void failed(const QString& path);

 private:
  QWidget* raise(const QString& picture);
  void raise_next();
  void ask_what_if();
  void ask_head_scores();
  void ask_recall_heads();
  bool engine_works() const;
  void save_settled(QWidget* widget, int waits);
  bool save(QWidget& widget, const QString& name);

  MainWindow& window_;
  QString directory_;
  bool thorough_;
  std::vector<QString> pictures_;
  std::size_t next_ = 0;
  int files_ = 0;
};

}  // namespace carryover
