// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/proposals_table.h"

#include <algorithm>
#include <cmath>

#include "engine/core/analysis/head_agreement.h"
#include "widgets/state/quantity_text.h"
#include "widgets/tables/number_sort.h"

namespace carryover {
namespace {

Proposal make_row(const QString& name, const Grouping& grouping, const HeadScores& scores, const Grouping& proposed) {
  const auto& layers = grouping.long_range_layers();
  const auto retrieving =
      std::count_if(layers.begin(), layers.end(), [&](int layer) { return grouping.retrieves(layer); });
  return {name,
          grouping,
          static_cast<int>(retrieving),
          static_cast<int>(retrieving_heads(grouping).size()),
          captured_share(scores, grouping),
          shared_heads(proposed, grouping).value_or(NAN)};
}

double number(const Proposal& row, int column) {
  switch (column) {
    case ProposalsTable::Layers:
      return row.layers;
    case ProposalsTable::Heads:
      return row.heads;
    case ProposalsTable::Share:
      return row.share;
    case ProposalsTable::Shared:
      return row.shared;
    default:
      return NAN;
  }
}

}  // namespace

std::vector<Proposal> list_proposals(const HeadScores& scores, const ModelConfig& model, const Grouping& current,
                                     const Grouping& proposed) {
  std::vector<Proposal> rows = {make_row(ProposalsTable::tr("proposed by score"), proposed, scores, proposed),
                                make_row(ProposalsTable::tr("current grouping"), current, scores, proposed)};
  for (const GroupingPreset& preset : grouping_presets(model))
    rows.push_back(make_row(QString::fromStdString(preset.name), preset.grouping, scores, proposed));
  return rows;
}

void ProposalsTable::set_rows(std::vector<Proposal> rows) {
  const bool same = std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                               [](const Proposal& a, const Proposal& b) { return a.name == b.name; });
  if (!same) beginResetModel();
  rows_ = std::move(rows);
  if (!same) return endResetModel();
  if (!rows_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int ProposalsTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int ProposalsTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProposalsTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Proposal& shown = row(index.row());
  const double value = number(shown, index.column());
  if (role == number_role) return value;
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::Alignment((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
  if (role != Qt::DisplayRole) return {};
  if (index.column() == Name) return shown.name;
  if (std::isnan(value)) return QStringLiteral("–");
  if (index.column() <= Heads) return QString::number(static_cast<int>(value));
  return percent_text(value, 1);
}

QVariant ProposalsTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Grouping"), tr("Layers"), tr("Heads"), tr("Score share"), tr("Overlap")};
  const QString tips[] = {tr("A grouping of heads and layers; the selected one is outlined in the map"),
                          tr("Layers in which heads retrieve"), tr("Heads that retrieve, over all layers"),
                          tr("Share of the sum of all scores that falls on heads that retrieve"),
                          tr("Share of the heads proposed by score that retrieve in this grouping too")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

}  // namespace carryover
