// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/evaluation_cells_table.h"

#include <cmath>

#include "widgets/look/qstring.h"
#include "widgets/look/theme.h"
#include "widgets/state/quantity_text.h"
#include "widgets/tables/number_sort.h"

namespace carryover {
namespace {

constexpr qsizetype most_tip_characters = 600;

/// Returns the names and values of a cell's numbers, and the error of the first sample that failed.
QString cell_tip(const EvaluationModel& model, int row, int policy) {
  QStringList lines;
  for (int i = 0; i < evaluation_value_count; ++i) {
    const auto value = static_cast<EvaluationValue>(i);
    if (const QString text = model.text(row, policy, value); !text.isEmpty())
      lines += QStringLiteral("%1: %2").arg(EvaluationModel::axis_label(value), text);
  }
  for (const SampleEntry& entry : model.cell(row, policy).entries) {
    if (entry.error.empty()) continue;
    lines += EvaluationCellsTable::tr("sample %1 failed: %2").arg(shown_text(entry.id, 60), shown_text(entry.error));
    break;
  }
  return lines.join(u'\n').left(most_tip_characters);
}

}  // namespace

void EvaluationCellsTable::set_model(const EvaluationModel* model) {
  model_ = model;
  connect(model, &EvaluationModel::cells_changed, this, &EvaluationCellsTable::update);
  update();
}

void EvaluationCellsTable::set_value(EvaluationValue value) {
  value_ = value;
  update();
}

/// Usually the cells are the same again: then views keep their selection and place.
void EvaluationCellsTable::update() {
  if (model_ == nullptr) return;
  const EvaluationPlan& plan = model_->news().plan;
  Shape shape{plan.tasks, plan.policies, plan.lengths};
  if (shape == shape_) {
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    return;
  }
  beginResetModel();
  shape_ = std::move(shape);
  endResetModel();
}

int EvaluationCellsTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shape_.tasks.size() * shape_.lengths.size());
}

int EvaluationCellsTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : FirstPolicy + static_cast<int>(shape_.policies.size());
}

QVariant EvaluationCellsTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= model_->rows() || index.column() >= FirstPolicy + model_->columns()) return {};
  if (role == Qt::TextAlignmentRole) {
    const bool words = index.column() == Task || index.column() == Metric;
    return QVariant((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  return index.column() < FirstPolicy ? row_data(index.row(), index.column(), role)
                                      : cell_data(index.row(), index.column() - FirstPolicy, role);
}

QVariant EvaluationCellsTable::row_data(int row, int column, int role) const {
  const ScoreCell& cell = model_->cell(row, 0);
  const auto samples = model_->news().samples_of_row(static_cast<std::size_t>(row));
  if (role == number_role) {
    if (column == Length) return static_cast<double>(cell.length);
    if (column == Samples) return samples ? static_cast<double>(*samples) : std::nan("");
    return {};
  }
  if (role == Qt::ToolTipRole && column == Task) return shown_text(cell.task);
  if (role != Qt::DisplayRole) return {};
  switch (column) {
    case Task:
      return shown_text(task_title(cell.task));
    case Length:
      return cell.length > 0 ? count_text(cell.length) : QStringLiteral("–");
    case Metric:
      return shown_text(cell.metric, 60);
    default:
      return samples ? count_text(static_cast<std::int64_t>(*samples)) : QString();
  }
}

QVariant EvaluationCellsTable::cell_data(int row, int policy, int role) const {
  const ScoreCell& cell = model_->cell(row, policy);
  switch (role) {
    case Qt::DisplayRole:
      return model_->text(row, policy, value_);
    case number_role:
      return model_->number(row, policy, value_);
    case Qt::ForegroundRole:
      return cell.failures > 0 ? QVariant(current_theme().anchor) : QVariant();
    case Qt::ToolTipRole:
      return cell_tip(*model_, row, policy);
    default:
      return {};
  }
}

QVariant EvaluationCellsTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (section >= FirstPolicy) {
    const QString policy = qstring(shape_.policies[static_cast<std::size_t>(section - FirstPolicy)]);
    if (role == Qt::DisplayRole) return policy;
    if (role == Qt::ToolTipRole) return QStringLiteral("%1: %2").arg(policy, EvaluationModel::axis_label(value_));
    return {};
  }
  if (role != Qt::DisplayRole) return {};
  return section == Task ? tr("Task") : section == Length ? tr("Length") : section == Metric ? tr("Metric") : tr("N");
}

}  // namespace carryover
