// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "widgets/campaigns/state/experiment_model.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// The cells of an experiment as rows, CellColumn by CellColumn. GUI thread.
class ExperimentCellsTable : public ColumnModel<int> {
  Q_OBJECT
 public:
  /// A table without a model has no rows.
  explicit ExperimentCellsTable(QObject* parent = nullptr);
  void set_model(const ExperimentModel* model);
  int row(int index) const override { return index; }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 protected:
  int count() const override { return static_cast<int>(ids_.size()); }
  QVariant row_data(int row, int role) const override;

 private:
  TableColumn<int> column(CellColumn which) const;
  void update();

  const ExperimentModel* model_ = nullptr;
  std::vector<std::string> ids_;  ///< of the rows that views know
};

}  // namespace carryover
