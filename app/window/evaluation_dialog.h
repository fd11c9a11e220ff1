// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <map>
#include <string>
#include <vector>

#include "app/engine_thread/eval_forecast_process.h"
#include "engine/evaluations/evaluation_command.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace carryover {

class CommandBox;
class TaskTree;

/// What `carryover eval` is to run with the open model and the settings of the next run: tasks, lengths, policies. Asks
/// a dry run for samples and time where that is wanted. GUI thread.
class EvaluationDialog : public QDialog {
  Q_OBJECT
 public:
  explicit EvaluationDialog(QWidget* parent = nullptr);

  /// What is evaluated: model, adapter, config, dtype and device of `plan`. An empty model: none; `why_none` says why.
  void set_model(const EvaluationPlan& plan, const QString& why_none = {});
  void set_request(const EvaluationRequest& request);  ///< all of it, the model too
  EvaluationRequest request() const;                   ///< as the form says, while problem() is empty
  const QString& problem() const { return problem_; }  ///< what is wrong in the form; empty: nothing
  QString command_line() const;                        ///< empty while something is wrong
  QString said() const;                                ///< beside the buttons: the problem, or what a dry run expects
  EvalForecastProcess& forecast() { return forecast_; }

 public Q_SLOTS:
  void accept() override;  ///< starts it, and closes
  void check();            ///< said() has samples, tokens and time later

 Q_SIGNALS:
  void start_wanted(const carryover::EvaluationRequest& request);

 private:
  enum class Choice { File, Folder };
  QWidget* build_tasks();
  QWidget* build_settings();
  QWidget* add_policies();
  QLineEdit* add_path(QFormLayout& rows, const QString& label, const QString& help, Choice choice);
  QSpinBox* add_number(QFormLayout& rows, const QString& label, const QString& help, const QString& none);
  void connect_forecast();
  void validate();
  void show_state();
  void show_data_rows(const std::vector<std::string>& tasks);
  QString problem_of_form() const;
  QString planned_folder() const;
  void read_shape();
  EvaluationPlan plan() const;
  std::vector<std::string> policies() const;

  EvaluationPlan model_;  ///< what is evaluated; of a request also the order of its policies
  ModelConfig shape_;     ///< of the model
  QString why_no_model_, problem_, expected_;
  EvalForecastProcess forecast_;
  TaskTree* tasks_;
  QFormLayout* data_rows_;
  std::map<std::string, QWidget*> data_fields_;  ///< rows, by family
  std::map<std::string, QLineEdit*> data_;
  std::vector<QCheckBox*> policies_;
  QLabel* model_name_;
  QLineEdit *own_, *lengths_, *variants_, *seed_, *folder_;
  QSpinBox *samples_, *limit_;
  QCheckBox* chat_;
  QComboBox* question_;
  CommandBox* command_;
  QLabel* state_;
  QPushButton *start_ = nullptr, *check_ = nullptr;
};

}  // namespace carryover
