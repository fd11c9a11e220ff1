// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <vector>

#include "widgets/state/evaluation_model.h"

namespace carryover {

/// An evaluation: a row a task at a length, a column a policy. GUI thread.
class EvaluationCellsTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Task, Length, Metric, Samples, FirstPolicy };

  /// A table without a model has no rows.
  using QAbstractTableModel::QAbstractTableModel;
  void set_model(const EvaluationModel* model);
  void set_value(EvaluationValue value);  ///< what policies' columns show
  EvaluationValue value() const { return value_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  struct Shape {
    std::vector<std::string> tasks, policies;
    std::vector<std::int64_t> lengths;
    bool operator==(const Shape&) const = default;
  };
  void update();
  QVariant row_data(int row, int column, int role) const;
  QVariant cell_data(int row, int policy, int role) const;

  const EvaluationModel* model_ = nullptr;
  EvaluationValue value_ = EvaluationValue::Score;
  Shape shape_;  ///< that views know
};

}  // namespace carryover
