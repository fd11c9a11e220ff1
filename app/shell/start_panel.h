// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <optional>

#include "app/controllers/lab.h"
#include "app/shell/needle.h"

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
  StartPanel(Lab& lab, QWidget* text);  ///< `text`: the panel that it stands in

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

  Lab& lab_;
  QToolButton *who_ = nullptr, *hide_ = nullptr;
  QWidget* sentence_row_ = nullptr;
  QLineEdit* sentence_ = nullptr;
  QDoubleSpinBox* depth_ = nullptr;
  QLabel* answer_;
  bool who_asked_ = false;                ///< the answer follows the selection
  std::optional<HiddenSentence> hidden_;  ///< being run
};

}  // namespace carryover
