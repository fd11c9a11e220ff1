// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QWidget>
#include <nlohmann/json.hpp>

#include "widgets/training/state/plan_values.h"

class QLabel;

namespace carryover {

/// The editor of one field: a label, an input with its unit, and what it is for or what is wrong with it. GUI thread.
class PlanFieldEditor : public QObject {
  Q_OBJECT
 public:
  PlanFieldEditor(const PlanField& field, QWidget* parent);

  const PlanField& field() const { return field_; }
  QLabel* label() const { return label_; }
  QWidget* input() const { return input_; }
  QLabel* remark() const { return remark_; }

  /// Throws EngineError{BadInput} naming the field where what is typed is no value of its kind.
  nlohmann::json value() const;
  void set_value(const nlohmann::json& value);  ///< one that check_plan_values() takes
  void set_problem(const QString& problem);     ///< empty: none; the help then stands in its place

 Q_SIGNALS:
  void changed();

 private:
  QWidget* make_input(QWidget* parent);
  QWidget* with_browse(QWidget* edit, QWidget* parent);
  void browse(bool folder);

  PlanField field_;
  QWidget *input_, *edit_;
  QLabel *label_, *remark_;
};

}  // namespace carryover
