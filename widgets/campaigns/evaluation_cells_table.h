// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "widgets/campaigns/state/evaluation_model.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// An evaluation: a row a task at a length, a column a policy. GUI thread.
class EvaluationCellsTable : public ColumnModel<int> {
  Q_OBJECT
 public:
  enum Column { Task, Length, Metric, Samples, FirstPolicy };

  /// A table without a model has no rows.
  explicit EvaluationCellsTable(QObject* parent = nullptr);
  void set_model(const EvaluationModel* model);
  void set_value(EvaluationValue value);  ///< what policies' columns show
  EvaluationValue value() const { return value_; }

  int row(int index) const override { return index; }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 protected:
  int count() const override { return static_cast<int>(shape_.tasks.size() * shape_.lengths.size()); }

 private:
  struct Shape {
    std::vector<std::string> tasks, policies;
    std::vector<std::int64_t> lengths;
    bool operator==(const Shape&) const = default;
  };
  std::vector<TableColumn<int>> columns() const;
  TableColumn<int> policy_column(int policy) const;
  double samples(int row) const;
  void update();

  const EvaluationModel* model_ = nullptr;
  EvaluationValue value_ = EvaluationValue::Score;
  Shape shape_;  ///< that views know
};

}  // namespace carryover
