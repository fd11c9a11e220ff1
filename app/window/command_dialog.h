// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/engine_thread/forecast_process.h"

class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace carryover {

class CommandBox;

/// A form for a command that runs in a process of its own: says what is wrong in it, shows the command line, and asks a
/// dry run what it would take where that is wanted. GUI thread.
class CommandDialog : public QDialog {
  Q_OBJECT
 public:
  const QString& problem() const { return problem_; }  ///< what is wrong in the form; empty: nothing
  QString command_line() const;                        ///< empty while something is wrong
  QString said() const;                                ///< beside the buttons: the problem, or what a dry run expects
  ForecastProcess& forecast() { return forecast_; }

 public Q_SLOTS:
  void accept() override;  ///< starts it, and closes
  void check();            ///< said() has later what a dry run expects

 protected:
  enum class Choice { File, Folder, NewFolder };
  explicit CommandDialog(QWidget* parent);

  /// The last step of a constructor: puts the command line and the buttons below what `column` has. Of the button that
  /// asks a dry run: its text, its tooltip, and what said() says first.
  void complete(QVBoxLayout* column, const QString& check, const QString& check_help, const QString& checking);
  QLineEdit* add_path(QFormLayout& rows, const QString& label, const QString& help, Choice choice);
  void validate();  ///< after each change of the form
  CommandBox* command_box() { return command_; }

  /// Shows what follows from the fields, and says what is wrong in them; empty: nothing.
  virtual QString review() = 0;
  virtual std::vector<std::string> command() const = 0;  ///< while nothing is wrong
  /// What the dry run printed, for people. Throws EngineError{BadInput} naming `where`.
  virtual QString forecast_text(const nlohmann::json& printed, const std::string& where) const = 0;
  virtual void start() = 0;

 private:
  void connect_forecast();
  void show_state();

  QString problem_, expected_, checking_;
  ForecastProcess forecast_;
  CommandBox* command_;
  QLabel* state_;
  QPushButton *start_ = nullptr, *check_ = nullptr;
};

}  // namespace carryover
