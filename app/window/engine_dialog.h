// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

class QLineEdit;
class QPushButton;

namespace carryover {

/// Asks for the command line that starts an engine elsewhere. It starts nothing itself. GUI thread.
class EngineDialog : public QDialog {
  Q_OBJECT
 public:
  explicit EngineDialog(const QString& command, QWidget* parent = nullptr);
  QLineEdit& field() { return *field_; }
  QPushButton& connect_button() { return *connect_; }

 Q_SIGNALS:
  void command_chosen(const QString& command);

 private:
  QLineEdit* field_;
  QPushButton* connect_;
};

}  // namespace carryover
