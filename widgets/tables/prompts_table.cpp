// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/prompts_table.h"

#include <cmath>

#include "engine/experiments/prompt_results.h"
#include "widgets/look/qstring.h"
#include "widgets/look/theme.h"
#include "widgets/state/quantity_text.h"
#include "widgets/tables/number_sort.h"

namespace carryover {
namespace {

constexpr int most_characters = 600;  ///< of all tags of an example

QStringList value_names() {  // in the order of prompt_columns()
  return {PromptExamplesTable::tr("Loss"),         PromptExamplesTable::tr("Answer loss"),
          PromptExamplesTable::tr("Hit distance"), PromptExamplesTable::tr("Recall"),
          PromptExamplesTable::tr("Δ loss"),       PromptExamplesTable::tr("Δ answer loss")};
}

QStringList value_tips() {
  return {PromptExamplesTable::tr("Mean over the example's tokens, nats"),
          PromptExamplesTable::tr("Mean over the tokens of the answer, nats"),
          PromptExamplesTable::tr("Median over the hits: tokens from a hit to the segment that reads it"),
          PromptExamplesTable::tr("Share of the target's tokens that the answer's segment reads"),
          PromptExamplesTable::tr("Loss under the control minus loss: above 0 where retrieval helps"),
          PromptExamplesTable::tr("Answer loss under the control minus answer loss: above 0 where retrieval helps")};
}

int value_count() {
  return static_cast<int>(prompt_columns().size());
}

int digits_of(int value) {
  return prompt_columns()[static_cast<std::size_t>(value)].digits;
}

QVariant value_header(int value, int role) {
  if (role == Qt::DisplayRole) return value_names()[value];
  if (role == Qt::ToolTipRole) return value_tips()[value];
  return {};
}

QVariant aligned(bool right) {
  return QVariant((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

}  // namespace

void PromptExamplesTable::set_report(std::shared_ptr<const PromptReport> report) {
  const int before = rowCount(), now = report ? static_cast<int>(report->examples.size()) : 0;
  if (before == 0 || now < before || report->examples[0].name != example(0).name) {
    beginResetModel();
    report_ = std::move(report);
    return endResetModel();
  }
  // It has grown: views keep their place.
  if (now > before) beginInsertRows({}, before, now - 1);
  report_ = std::move(report);
  if (now > before) endInsertRows();
  Q_EMIT dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
}

int PromptExamplesTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !report_ ? 0 : static_cast<int>(report_->examples.size());
}
int PromptExamplesTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : FirstValue + value_count() + 1;
}

QVariant PromptExamplesTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const PromptReport::Example& row = example(index.row());
  const int value = index.column() - FirstValue;
  const bool is_number = value >= 0 && value < value_count();
  if (role == Qt::TextAlignmentRole) return aligned(is_number);
  if (role == Qt::ForegroundRole) return row.error.empty() || is_number ? QVariant() : current_theme().anchor;
  if (role == Qt::ToolTipRole) return shown_text(row.error.empty() ? row.folder : row.error);
  if (is_number) {
    const std::optional<double>& number = row.values[static_cast<std::size_t>(value)];
    if (role == number_role) return number.value_or(std::nan(""));
    if (role == Qt::DisplayRole) return number ? decimal_text(*number, digits_of(value)) : QString();
    return {};
  }
  if (role != Qt::DisplayRole) return {};
  if (index.column() == Name) return shown_text(row.name);
  if (index.column() != Tags) return shown_text(row.error);
  QStringList tags;
  for (const std::string& tag : row.tags) tags += shown_text(tag);
  return tags.join(QStringLiteral(", ")).left(most_characters);
}

QVariant PromptExamplesTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const int value = section - FirstValue;
  if (value >= 0 && value < value_count()) return value_header(value, role);
  if (role != Qt::DisplayRole) return {};
  return section == Name ? tr("Example") : section == Tags ? tr("Tags") : tr("Problem");
}

void PromptSlicesTable::set_report(std::shared_ptr<const PromptReport> report) {
  beginResetModel();
  report_ = std::move(report);
  endResetModel();
}

int PromptSlicesTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !report_ ? 0 : static_cast<int>(report_->slices.size());
}
int PromptSlicesTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : FirstValue + value_count();
}

QVariant PromptSlicesTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::TextAlignmentRole) return aligned(index.column() != Slice);
  if (role != Qt::DisplayRole) return {};
  const PromptReport::Slice& row = report_->slices[static_cast<std::size_t>(index.row())];
  if (index.column() == Slice) return row.tag ? shown_text(*row.tag) : tr("all");
  if (index.column() == Examples) return count_text(row.examples);
  const int value = index.column() - FirstValue;
  const std::optional<MeanInterval>& interval = row.values[static_cast<std::size_t>(value)];
  if (!interval) return QString();
  const auto text = [&](double number) { return decimal_text(number, digits_of(value)); };
  if (!interval->has_bounds())
    return QStringLiteral("%1 (n = %2)")
        .arg(text(interval->mean), count_text(row.counts[static_cast<std::size_t>(value)]));
  return QStringLiteral("%1 [%2, %3]").arg(text(interval->mean), text(interval->low), text(interval->high));
}

QVariant PromptSlicesTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (section >= FirstValue) return value_header(section - FirstValue, role);
  if (role != Qt::DisplayRole) return {};
  return section == Slice ? tr("Slice") : tr("Examples");
}

}  // namespace carryover
