// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <optional>

#include "app/shell/needle.h"
#include "app/window/main_window.h"

class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace carryover {

/// Questions to begin with, above the text, answered on what is open: which head fetched this? and: hide a sentence of
/// mine and find it. Goes when dismissed. GUI thread.
class StartPanel : public QFrame {
  Q_OBJECT
 public:
  explicit StartPanel(MainWindow& window);

  void ask_who_fetched();
  void hide_and_run(const QString& sentence, double depth);
  QString answer() const;

 Q_SIGNALS:
  void dismissed();

 private:
  QWidget* build_questions();
  QWidget* build_sentence();
  void say(const QString& text);
  void tell_who_fetched();
  void look_for_sentence();
  void update_questions();

  MainWindow& window_;
  QToolButton *who_ = nullptr, *hide_ = nullptr;
  QWidget* sentence_row_ = nullptr;
  QLineEdit* sentence_ = nullptr;
  QDoubleSpinBox* depth_ = nullptr;
  QLabel* answer_;
  bool who_asked_ = false;        ///< the answer follows the selection
  std::optional<Needle> hidden_;  ///< being run
};

}  // namespace carryover
