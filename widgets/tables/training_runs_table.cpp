// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/training_runs_table.h"

#include <QDir>

#include "widgets/state/quantity_text.h"

namespace carryover {

TrainingRunsTable::TrainingRunsTable(TrainingRuns& runs, QObject* parent) : QAbstractTableModel(parent), runs_(runs) {
  connect(&runs, &TrainingRuns::about_to_add, this, [this](int index) { beginInsertRows({}, index, index); });
  connect(&runs, &TrainingRuns::added, this, [this] { endInsertRows(); });
  connect(&runs, &TrainingRuns::about_to_remove, this, [this](int index) { beginRemoveRows({}, index, index); });
  connect(&runs, &TrainingRuns::removed, this, [this] { endRemoveRows(); });
  const auto row_changed = [this](int row) { Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1)); };
  connect(&runs, &TrainingRuns::run_changed, this, row_changed);
  connect(&runs, &TrainingRuns::ticked_changed, this, row_changed);
}

int TrainingRunsTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : runs_.count();
}
int TrainingRunsTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant TrainingRunsTable::text(const TrainingModel& run, int column) const {
  const bool stepped = run.step_count() > 0;
  switch (column) {
    case Name:
      return run.name();
    case State:
      return training_state_name(run.state());
    case Step:
      return QStringLiteral("%L1 / %L2")
          .arg(stepped ? run.column(TrainingColumn::Step).back() : 0.0, 0, 'f', 0)
          .arg(static_cast<qlonglong>(run.plan().training.max_steps));
    case Loss:
      return stepped ? decimal_text(run.column(TrainingColumn::Loss).back(), 4) : QString();
    case Model:
      return run.model_name();
    default:
      return {};
  }
}

QVariant TrainingRunsTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= runs_.count()) return {};
  const TrainingModel& run = runs_.run(index.row());
  const bool number = index.column() == Step || index.column() == Loss;
  switch (role) {
    case Qt::DisplayRole:
      return text(run, index.column());
    case Qt::TextAlignmentRole:
      return QVariant((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::CheckStateRole:
      if (index.column() == Name) return runs_.ticked(index.row()) ? Qt::Checked : Qt::Unchecked;
      return {};
    case Qt::ToolTipRole:
      return QStringLiteral("%1\n%2").arg(QDir::toNativeSeparators(run.directory()),
                                          QString::fromStdString(run.plan().model));
    default:
      return {};
  }
}

bool TrainingRunsTable::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || role != Qt::CheckStateRole || index.column() != Name) return false;
  runs_.set_ticked(index.row(), value.toInt() == Qt::Checked);
  return true;
}

QVariant TrainingRunsTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Name:
      return tr("Run");
    case State:
      return tr("State");
    case Step:
      return tr("Step");
    case Loss:
      return tr("Loss");
    case Model:
      return tr("Model");
    default:
      return {};
  }
}

Qt::ItemFlags TrainingRunsTable::flags(const QModelIndex& index) const {
  const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
  return index.isValid() && index.column() == Name ? usual | Qt::ItemIsUserCheckable : usual;
}

}  // namespace carryover
