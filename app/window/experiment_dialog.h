// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <QStringList>
#include <utility>
#include <vector>

#include "app/engine_thread/error_report.h"
#include "engine/experiments/experiment_command.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace carryover {

class CommandBox;

/// What `carryover experiment` is to run: a plan, and what is not as it says. GUI thread.
class ExperimentDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ExperimentDialog(QWidget* parent = nullptr);

  void set_request(const ExperimentRequest& request);
  ExperimentRequest request() const;                   ///< as the form says, while problem() is empty
  const QString& problem() const { return problem_; }  ///< what is wrong in the form; empty: nothing
  QString command_line() const;                        ///< empty while something is wrong
  static QStringList example_plans();                  ///< that came with the program

 public Q_SLOTS:
  void accept() override;  ///< starts it, and closes

 Q_SIGNALS:
  void start_wanted(const carryover::ExperimentRequest& request);

 private:
  enum class Choice { File, Folder, NewFolder };
  QLineEdit* add_path(QFormLayout& rows, const QString& label, const QString& help, Choice choice);
  void add_browse(class QHBoxLayout& row, const QString& label, QLineEdit* edit, Choice choice);
  void build_form(QFormLayout& rows);
  void read_plan();
  void show_models();
  void validate();
  QString problem_of_form() const;
  QString planned_folder() const;

  ExperimentPlan plan_;
  QString plan_problem_, problem_;
  std::vector<std::pair<std::string, QLineEdit*>> models_;  ///< by name
  QWidget* model_rows_;
  QComboBox* file_;
  QLineEdit *folder_, *data_, *texts_, *only_;
  QSpinBox* threads_;
  CommandBox* command_;
  QLabel* state_;
  QPushButton* start_;
};

}  // namespace carryover
