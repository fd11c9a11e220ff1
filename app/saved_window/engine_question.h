// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <optional>
#include <string>
#include <vector>

class QPlainTextEdit;
class QPushButton;

namespace carryover {

/// A command as it would be typed in a terminal, with everything that would not be seen (control characters, marks that
/// turn the direction of writing, spaces of other widths) spelled as ⟨U+202E⟩.
QString visible_command(const std::vector<std::string>& words);

/// Asks whether the command that a session names may be started. Closing it is no answer. It starts nothing itself. GUI
/// thread.
class EngineQuestion : public QDialog {
  Q_OBJECT
 public:
  explicit EngineQuestion(const std::vector<std::string>& words, QWidget* parent = nullptr);
  std::optional<bool> answer() const { return answer_; }
  QPlainTextEdit& command() { return *command_; }
  QPushButton& start_button() { return *start_; }
  QPushButton& refuse_button() { return *refuse_; }  ///< the default

 private:
  QPlainTextEdit* command_;
  QPushButton *start_, *refuse_;
  std::optional<bool> answer_;
};

}  // namespace carryover
