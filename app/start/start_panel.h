// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <optional>

#include "app/controllers/lab.h"
#include "app/start/stories.h"
#include "app/start/story_needle.h"

class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace carryover {

/// The first steps, above the text: what this program is, stories that show it (app/start/stories.h), and questions
/// about the open run and text: which head fetched this? and: hide a sentence of mine and find it. It disappears when
/// dismissed. GUI thread.
class StartPanel : public QFrame {
  Q_OBJECT
 public:
  /// `text`: the panel that contains it; `demo`: empty where it is not installed.
  StartPanel(Lab& lab, QWidget* text, const StoryModel& demo = {});

  Stories& stories() { return stories_; }

  void ask_who_fetched();
  void hide_and_run(const QString& sentence, double depth);
  QString answer() const;

 Q_SIGNALS:
  void dismissed();
  void panel_wanted(const QString& id);

 private:
  QWidget* build_stories();
  QWidget* build_questions();
  QWidget* build_answer();
  QWidget* build_sentence();
  void say(const QString& text, const QString& change = {});
  void say_of_run(const QString& text);  ///< the text disappears when another run begins
  void update_stories();
  void tell_who_fetched();
  void look_for_sentence();
  void update_questions();

  Lab& lab_;
  Stories stories_;
  struct StoryButton {
    Story story;
    QString help;
    QToolButton* button;
  };
  std::vector<StoryButton> story_buttons_;
  QToolButton* change_ = nullptr;
  QToolButton *who_ = nullptr, *hide_ = nullptr;
  QWidget* sentence_row_ = nullptr;
  QLineEdit* sentence_ = nullptr;
  QDoubleSpinBox* depth_ = nullptr;
  QLabel* answer_;
  QWidget* answer_row_ = nullptr;
  bool who_asked_ = false;                ///< the answer follows the selection
  bool of_run_ = false;                   ///< the answer is about the run on show
  std::optional<HiddenSentence> hidden_;  ///< the sentence whose run is under way
  struct NeedleText {
    LoadedText without;
    std::string model;  ///< weights_hash of the model whose tokens they are
    std::string text;   ///< with the needle
  };
  std::optional<NeedleText> needle_;  ///< the last one
};

}  // namespace carryover
