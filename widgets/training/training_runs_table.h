// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/tables/column_table.h"
#include "widgets/training/state/training_runs.h"

namespace carryover {

/// The runs as rows: name (with a tick: compared), state, step, loss, model. GUI thread.
class TrainingRunsTable : public ColumnModel<const TrainingModel&> {
  Q_OBJECT
 public:
  enum Column { Name, State, Step, Loss, Model, ColumnCount };

  explicit TrainingRunsTable(TrainingRuns& runs, QObject* parent = nullptr);
  const TrainingModel& row(int index) const override { return runs_.run(index); }

 protected:
  int count() const override { return runs_.count(); }
  QVariant row_data(const TrainingModel& run, int role) const override;

 private:
  TrainingRuns& runs_;
};

}  // namespace carryover
