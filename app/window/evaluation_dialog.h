// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/window/command_dialog.h"
#include "engine/campaigns/evaluations/evaluation_command.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace carryover {

class TaskTree;

/// The form of a `carryover eval` with the open model and the settings of the next run: tasks, lengths, policies. A dry
/// run makes the samples and estimates the time. GUI thread.
class EvaluationDialog : public CommandDialog {
  Q_OBJECT
 public:
  explicit EvaluationDialog(QWidget* parent = nullptr);

  /// Sets the evaluated model: model, adapter, config, dtype and device of `plan`. An empty model: none, for the reason
  /// `why_none`.
  void set_model(const EvaluationPlan& plan, const QString& why_none = {});
  bool has_model() const { return !model_.model.empty(); }
  void set_request(const EvaluationRequest& request);  ///< all of it, the model too
  EvaluationRequest request() const;                   ///< the form's request, while problem() is empty

 Q_SIGNALS:
  void start_wanted(const carryover::EvaluationRequest& request);

 protected:
  QString review() override;
  std::vector<std::string> command() const override;
  QString forecast_text(const nlohmann::json& printed, const std::string& where) const override;
  void start() override { Q_EMIT start_wanted(request()); }

 private:
  QWidget* build_tasks();
  QWidget* build_settings();
  QWidget* add_policies();
  QSpinBox* add_number(QFormLayout& rows, const QString& label, const QString& help, const QString& none);
  void show_data_rows(const std::vector<std::string>& tasks);
  QString problem_of_form() const;
  QString planned_folder() const;
  void read_shape();
  EvaluationPlan plan() const;
  std::vector<std::string> policies() const;

  EvaluationPlan model_;  ///< the evaluated model; for a request, also the order of its policies
  ModelConfig shape_;     ///< of the model
  QString why_no_model_;
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
};

}  // namespace carryover
