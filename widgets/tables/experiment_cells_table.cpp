// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/experiment_cells_table.h"

#include "widgets/look/icons.h"
#include "widgets/look/theme.h"
#include "widgets/tables/number_sort.h"

namespace carryover {

void ExperimentCellsTable::set_model(const ExperimentModel* model) {
  model_ = model;
  connect(model, &ExperimentModel::cells_changed, this, &ExperimentCellsTable::update);
  update();
}

/// Usually the cells are the same again: then views keep their selection and place.
void ExperimentCellsTable::update() {
  std::vector<std::string> ids;
  for (const CellState& cell : model_->state().cells) ids.push_back(cell.id);
  if (ids == ids_) {
    if (!ids.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    return;
  }
  beginResetModel();
  ids_ = std::move(ids);
  endResetModel();
}

int ExperimentCellsTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(ids_.size());
}

int ExperimentCellsTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : cell_column_count;
}

QVariant ExperimentCellsTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= model_->count()) return {};
  const auto column = static_cast<CellColumn>(index.column());
  const CellState& cell = model_->cell(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return model_->text(index.row(), column);
    case number_role:
      return ExperimentModel::is_numeric(column) ? model_->number(index.row(), column) : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant((ExperimentModel::is_numeric(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      if (column == CellColumn::Status && cell.status == CellStatus::Failed) return current_theme().anchor;
      return {};
    case Qt::DecorationRole:
      if (column != CellColumn::Status) return {};
      if (cell.status == CellStatus::Done) return coloured_icon(QStringLiteral("passed"), current_theme().carry);
      if (cell.status == CellStatus::Failed) return coloured_icon(QStringLiteral("failed"), current_theme().anchor);
      return {};
    case Qt::ToolTipRole:
      return cell.error.empty() ? model_->cell_folder(index.row()) : QString::fromStdString(cell.error);
    default:
      return {};
  }
}

QVariant ExperimentCellsTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const auto column = static_cast<CellColumn>(section);
  if (role == Qt::DisplayRole) return ExperimentModel::title(column);
  if (role == Qt::ToolTipRole) return ExperimentModel::axis_label(column);
  return {};
}

}  // namespace carryover
