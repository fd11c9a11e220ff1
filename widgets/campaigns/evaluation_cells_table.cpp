// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/evaluation_cells_table.h"

#include <cmath>

#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

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

EvaluationCellsTable::EvaluationCellsTable(QObject* parent) : ColumnModel(parent) {
  set_columns(columns());
}

std::vector<TableColumn<int>> EvaluationCellsTable::columns() const {
  const auto cell = [this](int row) -> const ScoreCell& { return model_->cell(row, 0); };
  const auto length = [cell](int row) {
    return cell(row).length > 0 ? count_text(cell(row).length) : QStringLiteral("–");
  };
  std::vector<TableColumn<int>> columns = {
      words(tr("Task"), [cell](int row) { return shown_text(task_title(cell(row).task)); }).tipped_by([cell](int row) {
        return shown_text(cell(row).task);
      }),
      figures(tr("Length"), length).sorted_by([cell](int row) { return static_cast<double>(cell(row).length); }),
      words(tr("Metric"), [cell](int row) { return shown_text(cell(row).metric, 60); }),
      numbers(tr("N"), {}, whole_count_text, [this](int row) { return samples(row); }),
  };
  for (int policy = 0; policy < static_cast<int>(shape_.policies.size()); ++policy)
    columns.push_back(policy_column(policy));
  return columns;
}

TableColumn<int> EvaluationCellsTable::policy_column(int policy) const {
  const QString name = qstring(shape_.policies[static_cast<std::size_t>(policy)]);
  const QString tip = QStringLiteral("%1: %2").arg(name, EvaluationModel::axis_label(value_));
  return figures(name, tip, [this, policy](int row) { return model_->text(row, policy, value_); })
      .sorted_by([this, policy](int row) { return model_->number(row, policy, value_); })
      .tipped_by([this, policy](int row) { return cell_tip(*model_, row, policy); })
      .coloured_by([this, policy](int row) {
        return model_->cell(row, policy).failures > 0 ? QVariant(current_theme().anchor) : QVariant();
      });
}

double EvaluationCellsTable::samples(int row) const {
  const auto samples = model_->news().samples_of_row(static_cast<std::size_t>(row));
  return samples ? static_cast<double>(*samples) : std::nan("");
}

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
  const int rows = static_cast<int>(shape.tasks.size() * shape.lengths.size());
  update_rows(shape == shape_, rows, [&] {
    shape_ = std::move(shape);
    set_columns(columns());
  });
}

QVariant EvaluationCellsTable::data(const QModelIndex& index, int role) const {
  // The model changes before views know it.
  if (!index.isValid() || index.row() >= model_->rows() || index.column() >= FirstPolicy + model_->columns()) return {};
  return ColumnModel::data(index, role);
}

}  // namespace carryover
