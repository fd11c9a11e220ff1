// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/prompts_table.h"

#include <cmath>

#include "engine/campaigns/prompts/prompt_results.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

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

QString decimal_of(std::size_t value, double number) {
  return decimal_text(number, prompt_columns()[value].digits);
}

QString tags_text(const PromptReport::Example& example) {
  QStringList tags;
  for (const std::string& tag : example.tags) tags += shown_text(tag);
  return tags.join(QStringLiteral(", ")).left(most_characters);
}

/// Returns the mean of a slice's values with its interval or, where there are few, with their number.
QString mean_text(const PromptReport::Slice& slice, std::size_t value) {
  const std::optional<MeanInterval>& interval = slice.values[value];
  if (!interval) return {};
  const QString mean = decimal_of(value, interval->mean);
  if (!interval->has_bounds()) return QStringLiteral("%1 (n = %2)").arg(mean, count_text(slice.counts[value]));
  return QStringLiteral("%1 [%2, %3]").arg(mean, decimal_of(value, interval->low), decimal_of(value, interval->high));
}

}  // namespace

PromptExamplesTable::PromptExamplesTable(QObject* parent) : ColumnModel(parent) {
  using Row = const PromptReport::Example&;
  const auto text = [](const QString& title, Cell cell) {
    return words(title, std::move(cell)).coloured_by([](Row example) {
      return example.error.empty() ? QVariant() : QVariant(current_theme().anchor);
    });
  };
  std::vector<TableColumn<Row>> columns = {
      text(tr("Example"), [](Row example) { return shown_text(example.name); }),
      text(tr("Tags"), tags_text),
  };
  const QStringList names = value_names(), tips = value_tips();
  for (std::size_t i = 0; i < prompt_columns().size(); ++i)
    columns.push_back(numbers(
        names[static_cast<int>(i)], tips[static_cast<int>(i)], [i](double number) { return decimal_of(i, number); },
        [i](Row example) { return example.values[i].value_or(std::nan("")); }));
  columns.push_back(text(tr("Problem"), [](Row example) { return shown_text(example.error); }));
  set_columns(std::move(columns));
}

/// A report that has grown leaves views their place.
void PromptExamplesTable::set_report(std::shared_ptr<const PromptReport> report) {
  const int now = report ? static_cast<int>(report->examples.size()) : 0;
  const bool same = count() > 0 && now > 0 && report->examples[0].name == row(0).name;
  update_rows(same, now, [&] { report_ = std::move(report); });
}

QVariant PromptExamplesTable::row_data(const PromptReport::Example& example, int role) const {
  return role == Qt::ToolTipRole ? shown_text(example.error.empty() ? example.folder : example.error) : QVariant();
}

PromptSlicesTable::PromptSlicesTable(QObject* parent) : ColumnTable(parent) {
  using Row = const PromptReport::Slice&;
  std::vector<TableColumn<Row>> columns = {
      words(tr("Slice"), [](Row slice) { return slice.tag ? shown_text(*slice.tag) : tr("all"); }),
      figures(tr("Examples"), [](Row slice) { return count_text(slice.examples); }),
  };
  const QStringList names = value_names(), tips = value_tips();
  for (std::size_t i = 0; i < prompt_columns().size(); ++i)
    columns.push_back(
        figures(names[static_cast<int>(i)], tips[static_cast<int>(i)], [i](Row slice) { return mean_text(slice, i); }));
  set_columns(std::move(columns));
}

}  // namespace carryover
