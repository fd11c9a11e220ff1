// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/training_runs_table.h"

#include <QDir>

#include "widgets/look/filled_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

QString step_of_steps(const TrainingModel& run) {
  const auto step = run.step_count() > 0 ? static_cast<qlonglong>(run.column(TrainingColumn::Step).back()) : 0;
  return filled(QStringLiteral("%L1 / %L2"), step, run.plan().training.max_steps);
}

QString newest_loss(const TrainingModel& run) {
  return run.step_count() > 0 ? decimal_text(run.column(TrainingColumn::Loss).back(), 4) : QString();
}

}  // namespace

TrainingRunsTable::TrainingRunsTable(TrainingRuns& runs, QObject* parent) : ColumnModel(parent), runs_(runs) {
  TableColumn<const TrainingModel&> name = words(tr("Run"), &TrainingModel::name);
  name.ticked = [&runs](int row) { return runs.ticked(row); };
  name.tick = [&runs](int row, bool ticked) { runs.set_ticked(row, ticked); };
  set_columns({
      name,
      words(tr("State"), [](const TrainingModel& run) { return training_state_name(run.state()); }),
      figures(tr("Step"), step_of_steps),
      figures(tr("Loss"), newest_loss),
      words(tr("Model"), &TrainingModel::model_name),
  });
  follow(runs, &TrainingRuns::removed);
  connect(&runs, &TrainingRuns::ticked_changed, this, [this](int row) { rows_changed(row, row); });
}

QVariant TrainingRunsTable::row_data(const TrainingModel& run, int role) const {
  if (role != Qt::ToolTipRole) return {};
  return QStringLiteral("%1\n%2").arg(QDir::toNativeSeparators(run.directory()), qstring(run.plan().model));
}

}  // namespace carryover
