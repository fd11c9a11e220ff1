// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "widgets/state/training_runs.h"

namespace carryover {

/// The runs as rows: name (with a tick: compared), state, step, loss, model. GUI thread.
class TrainingRunsTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, State, Step, Loss, Model, ColumnCount };
  explicit TrainingRunsTable(TrainingRuns& runs, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  QVariant text(const TrainingModel& run, int column) const;
  TrainingRuns& runs_;
};

}  // namespace carryover
