// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/experiment_cells_table.h"

#include "widgets/look/icons.h"
#include "widgets/look/theme.h"

namespace carryover {
namespace {

QVariant status_colour(CellStatus status) {
  return status == CellStatus::Failed ? QVariant(current_theme().anchor) : QVariant();
}

QVariant status_icon(CellStatus status) {
  if (status == CellStatus::Done) return coloured_icon(QStringLiteral("passed"), current_theme().carry);
  if (status == CellStatus::Failed) return coloured_icon(QStringLiteral("failed"), current_theme().anchor);
  return {};
}

}  // namespace

ExperimentCellsTable::ExperimentCellsTable(QObject* parent) : ColumnModel(parent) {
  std::vector<TableColumn<int>> columns;
  for (int i = 0; i < cell_column_count; ++i) columns.push_back(column(static_cast<CellColumn>(i)));
  set_columns(std::move(columns));
}

TableColumn<int> ExperimentCellsTable::column(CellColumn which) const {
  const QString title = ExperimentModel::title(which), tip = ExperimentModel::axis_label(which);
  const auto text = [this, which](int row) { return model_->text(row, which); };
  if (ExperimentModel::is_numeric(which))
    return figures(title, tip, text).sorted_by([this, which](int row) { return model_->number(row, which); });
  if (which != CellColumn::Status) return words(title, tip, text);
  return words(title, tip, text)
      .coloured_by([this](int row) { return status_colour(model_->cell(row).status); })
      .marked_by([this](int row) { return status_icon(model_->cell(row).status); });
}

void ExperimentCellsTable::set_model(const ExperimentModel* model) {
  model_ = model;
  connect(model, &ExperimentModel::cells_changed, this, &ExperimentCellsTable::update);
  update();
}

/// Usually the cells are the same again: then views keep their selection and place.
void ExperimentCellsTable::update() {
  std::vector<std::string> ids;
  for (const CellState& cell : model_->state().cells) ids.push_back(cell.id);
  update_rows(ids == ids_, model_->count(), [&] { ids_ = std::move(ids); });
}

QVariant ExperimentCellsTable::data(const QModelIndex& index, int role) const {
  // The model changes before views know it.
  return index.isValid() && index.row() < model_->count() ? ColumnModel::data(index, role) : QVariant();
}

QVariant ExperimentCellsTable::row_data(int row, int role) const {
  if (role != Qt::ToolTipRole) return {};
  const std::string& error = model_->cell(row).error;
  return error.empty() ? model_->cell_folder(row) : QString::fromStdString(error);
}

}  // namespace carryover
