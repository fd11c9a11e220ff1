// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <string>
#include <vector>

#include "widgets/state/experiment_model.h"

namespace carryover {

/// The cells of an experiment as rows, CellColumn by CellColumn. GUI thread.
class ExperimentCellsTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  /// A table without a model has no rows.
  explicit ExperimentCellsTable(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  void set_model(const ExperimentModel* model);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  void update();

  const ExperimentModel* model_ = nullptr;
  std::vector<std::string> ids_;  ///< of the rows that views know
};

}  // namespace carryover
