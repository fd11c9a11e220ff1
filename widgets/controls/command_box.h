// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QGroupBox>

class QPlainTextEdit;
class QToolButton;

namespace carryover {

/// The command line that does what a dialog asks for, to be copied. GUI thread.
class CommandBox : public QGroupBox {
  Q_OBJECT
 public:
  explicit CommandBox(QWidget* parent = nullptr);

  /// `also` is shown below it and not copied. An empty command: there is none yet.
  void set_command(const QString& command, const QString& also = {});
  const QString& command() const { return command_; }

 private:
  QString command_;
  QPlainTextEdit* text_;
  QToolButton* copy_;
};

}  // namespace carryover
