// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <functional>

#include "app/controllers/lab.h"

class QToolButton;

namespace carryover {

class ElidedLabel;

/// A line that says which weights are open (model + adapter · dtype · hash), which text and how much of it the run on
/// show has read, which document's state, and, where they are not the same, which weights that run was made with. GUI
/// thread.
class IdentityBar : public QWidget {
  Q_OBJECT
 public:
  explicit IdentityBar(Lab& lab, QWidget* parent = nullptr);

  QString chip() const;      ///< as it is without eliding
  QString badge() const;     ///< empty: the run on show is of the open weights, or there is none
  QString text() const;      ///< name of the open text, and how much of it the run on show has read if not all
  QString document() const;  ///< name of the document whose state is open; empty: none

  /// A button at the right end of the line, until the next offer; an empty text takes it away.
  void offer(const QString& text, const QString& help, const std::function<void()>& action);

 Q_SIGNALS:
  void model_wanted();  ///< the chip was pressed

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void show_model();
  void show_document();
  void show_run();
  void show_text();
  void run_all();
  int show_chip(int most);
  void fit();
  void colour();

  Lab& lab_;
  QToolButton *chip_, *all_, *offer_;
  QString model_;  ///< full text of the chip
  std::function<void()> offered_;
  ElidedLabel *text_, *document_, *badge_;
};

}  // namespace carryover
