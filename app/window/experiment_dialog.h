// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <utility>
#include <vector>

#include "app/window/command_dialog.h"
#include "engine/campaigns/experiments/experiment_command.h"
#include "engine/campaigns/experiments/plan_needs.h"

class QComboBox;
class QSpinBox;

namespace carryover {

/// The form of a `carryover experiment`: a plan, shipped or the user's own, and what differs from it. Lists the files
/// that the plan needs on disk; a dry run estimates the time. GUI thread.
class ExperimentDialog : public CommandDialog {
  Q_OBJECT
 public:
  explicit ExperimentDialog(QWidget* parent = nullptr);

  void set_request(const ExperimentRequest& request);
  ExperimentRequest request() const;  ///< the form's request, while problem() is empty
  QString needs() const;              ///< the plan's needs, a line each
  struct ShippedPlan {
    QString path, title, about;
    bool ready = false;  ///< true if everything it needs is on disk
  };
  static std::vector<ShippedPlan> shipped_plans();  ///< the plans that came with the program, ready ones first

 Q_SIGNALS:
  void start_wanted(const carryover::ExperimentRequest& request);

 protected:
  QString review() override;
  std::vector<std::string> command() const override;
  QString forecast_text(const nlohmann::json& printed, const std::string& where) const override;
  void start() override { Q_EMIT start_wanted(request()); }

 private:
  void build_form(QFormLayout& rows);
  void build_plan_rows(QFormLayout& rows);
  void read_plan();
  void show_models();
  QString line_of(const PlanNeed& need) const;
  QString problem_of_form();
  QString planned_folder() const;

  ExperimentPlan plan_;
  std::vector<PlanNeed> needed_;
  QString plan_problem_;
  std::vector<std::pair<std::string, QLineEdit*>> models_;  ///< by name
  QWidget* model_rows_;
  QComboBox* shipped_;
  QLabel* needs_;
  QLineEdit *file_, *folder_, *data_, *texts_, *only_;
  QSpinBox* threads_;
};

}  // namespace carryover
