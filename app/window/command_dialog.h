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

/// A form for a command that runs in a process of its own. It shows errors of the form and the command line, and, if
/// the user wants it, the cost that a dry run forecasts. GUI thread.
class CommandDialog : public QDialog {
  Q_OBJECT
 public:
  const QString& problem() const { return problem_; }  ///< the form's error; empty: none
  QString command_line() const;                        ///< empty while the form has an error
  QString said() const;                                ///< text beside the buttons: the error, or the dry run's
                                                       ///< forecast
  ForecastProcess& forecast() { return forecast_; }

 public Q_SLOTS:
  void accept() override;  ///< starts it, and closes
  void check();            ///< starts a dry run; said() has its forecast later

 protected:
  enum class Choice { File, Folder, NewFolder };
  explicit CommandDialog(QWidget* parent);

  /// Is the last step of a constructor: puts the command line and the buttons below the contents of `column`. The texts
  /// belong to the button for a dry run: its label, its tooltip, and what said() says while the dry run is under way.
  void complete(QVBoxLayout* column, const QString& check, const QString& check_help, const QString& checking);
  QLineEdit* add_path(QFormLayout& rows, const QString& label, const QString& help, Choice choice);
  void validate();  ///< after each change of the form
  CommandBox* command_box() { return command_; }

  /// Shows what follows from the fields, and returns their error; empty: none.
  virtual QString review() = 0;
  virtual std::vector<std::string> command() const = 0;  ///< while nothing is wrong
  /// Turns the output of the dry run into text for people. Throws EngineError{BadInput} naming `where`.
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
