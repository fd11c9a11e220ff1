// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <QStringList>
#include <utility>
#include <vector>

#include "app/engine_thread/forecast_process.h"
#include "engine/experiments/experiment_command.h"
#include "engine/experiments/plan_needs.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace carryover {

class CommandBox;

/// What `carryover experiment` is to run: a plan, shipped or one's own, and what is not as it says. Lists what the plan
/// needs on disk, and asks a dry run for the time where that is wanted. GUI thread.
class ExperimentDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ExperimentDialog(QWidget* parent = nullptr);

  void set_request(const ExperimentRequest& request);
  ExperimentRequest request() const;                   ///< as the form says, while problem() is empty
  const QString& problem() const { return problem_; }  ///< what is wrong in the form; empty: nothing
  QString command_line() const;                        ///< empty while something is wrong
  QString needs() const;                               ///< what the plan needs, a line each
  QString said() const;                                ///< beside the buttons: the problem, or what a dry run expects
  struct ShippedPlan {
    QString path, title, about;
    bool ready = false;  ///< needs no more than there is
  };
  static std::vector<ShippedPlan> shipped_plans();  ///< that came with the program, those first that are ready
  ForecastProcess& forecast() { return forecast_; }

 public Q_SLOTS:
  void accept() override;  ///< starts it, and closes
  void ask_time();         ///< said() has it later

 Q_SIGNALS:
  void start_wanted(const carryover::ExperimentRequest& request);

 private:
  enum class Choice { File, Folder, NewFolder };
  QLineEdit* add_path(QFormLayout& rows, const QString& label, const QString& help, Choice choice);
  void add_browse(class QHBoxLayout& row, const QString& label, QLineEdit* edit, Choice choice);
  void build_form(QFormLayout& rows);
  void build_plan_rows(QFormLayout& rows);
  void connect_forecast();
  void read_plan();
  void show_models();
  void validate();
  void show_state();
  QString line_of(const PlanNeed& need) const;
  QString problem_of_form();
  QString planned_folder() const;

  ExperimentPlan plan_;
  std::vector<PlanNeed> needed_;
  QString plan_problem_, problem_, expected_;
  ForecastProcess forecast_;
  std::vector<std::pair<std::string, QLineEdit*>> models_;  ///< by name
  QWidget* model_rows_;
  QComboBox* shipped_;
  QLabel* needs_;
  QLineEdit *file_, *folder_, *data_, *texts_, *only_;
  QSpinBox* threads_;
  CommandBox* command_;
  QLabel* state_;
  QPushButton *start_, *ask_time_;
};

}  // namespace carryover
