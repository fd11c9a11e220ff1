// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTabWidget>
#include <memory>
#include <vector>

#include "widgets/training/state/plan_fields.h"

namespace carryover {

/// Every field of a TrainingPlan, in tabs by group. What is wrong stands beside its field, and its tab is marked.
class PlanForm : public QTabWidget {
  Q_OBJECT
 public:
  explicit PlanForm(QWidget* parent = nullptr);

  /// The plan as plan_json() gives it. Throws EngineError{BadInput} whose problem begins with the field's name.
  nlohmann::json fields() const;
  void set_fields(const nlohmann::json& fields);  ///< without changed(). Throws as check_plan_values()
  /// Shows it beside the field that the problem's first word names; with none, or another, everything is fine.
  /// Returns whether there is such a field.
  bool show_problem(const QString& problem, const QString& advice);
  PlanFieldEditor* editor(const QString& key) const;  ///< null where there is no such field

 Q_SIGNALS:
  void changed();

 private:
  void add_group(const PlanGroup& group);

  std::vector<PlanFieldEditor*> editors_;
  std::vector<std::pair<int, QString>> tabs_;  ///< of each editor: its tab and that one's title
  bool filling_ = false;
};

}  // namespace carryover
