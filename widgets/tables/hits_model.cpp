// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/hits_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "engine/core/base/error.h"
#include "widgets/look/csv_text.h"
#include "widgets/look/theme.h"
#include "widgets/state/prefix_text.h"
#include "widgets/state/quantity_text.h"

namespace carryover {
namespace {

QColor kind_colour(HitKind kind) {
  const Theme& theme = current_theme();
  return kind == HitKind::Anchor ? theme.anchor : kind == HitKind::Expanded ? theme.expanded : theme.padding;
}

}  // namespace

void HitsModel::set_blocks(std::vector<HitBlock> blocks) {
  beginResetModel();
  blocks_ = std::move(blocks);
  ends_.clear();
  int rows = 0;
  for (const HitBlock& block : blocks_) ends_.push_back(rows += static_cast<int>(block.head.hits.size()));
  endResetModel();
}

void HitsModel::append_blocks(std::vector<HitBlock> blocks) {
  const int before = rowCount();
  const int added = std::accumulate(blocks.begin(), blocks.end(), 0, [](int sum, const HitBlock& block) {
    return sum + static_cast<int>(block.head.hits.size());
  });
  if (added == 0) return;
  beginInsertRows({}, before, before + added - 1);
  int rows = before;
  for (HitBlock& block : blocks) {
    ends_.push_back(rows += static_cast<int>(block.head.hits.size()));
    blocks_.push_back(std::move(block));
  }
  endInsertRows();
}

void HitsModel::set_masses(const std::vector<SlotMasses>& masses) {
  if (masses.empty() && masses_.empty()) return;
  masses_.clear();
  for (const SlotMasses& head : masses) masses_[{head.head.layer, head.head.head}] = head.mass;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, Mass), index(rowCount() - 1, Mass));
}

void HitsModel::set_text_source(std::function<QString(std::int64_t)> text) {
  text_ = std::move(text);
}

HitsModel::Row HitsModel::row(int index) const {
  CARRYOVER_CHECK(index >= 0 && index < rowCount());
  const auto block = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  return {&blocks_[block], index - (block == 0 ? 0 : ends_[block - 1])};
}

double HitsModel::number(int index, int column) const {
  const Row at = row(index);
  const Hit& hit = at.hit();
  const bool padding = hit.kind == HitKind::Padding;
  switch (column) {
    case Segment:
      return static_cast<double>(at.block->head.segment);
    case Layer:
      return at.block->head.layer;
    case Head:
      return at.block->head.head;
    case Slot:
      return at.slot;
    case Position:
      return static_cast<double>(hit.position);
    case Distance:
      return static_cast<double>(at.block->first_token - hit.position);
    case Kind:
      return static_cast<double>(hit.kind);
    case Score:
      return padding ? NAN : static_cast<double>(hit.score);
    case Mass: {
      const auto head = masses_.find({at.block->head.layer, at.block->head.head});
      const bool known = head != masses_.end() && static_cast<std::size_t>(at.slot) < head->second.size();
      return known ? static_cast<double>(head->second[static_cast<std::size_t>(at.slot)]) : NAN;
    }
    case Anchor:
      return padding ? NAN : static_cast<double>(hit.anchor);
    default:
      return static_cast<double>(hit.position);  // texts sort by where they stand
  }
}

int HitsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || ends_.empty() ? 0 : ends_.back();
}
int HitsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString HitsModel::display(int index, int column) const {
  const Hit hit = row(index).hit();
  if (column == Kind) return hit_kind_text(hit.kind);
  if (column == Text) return text_ ? text_(hit.position) : QString();
  const double value = number(index, column);
  if (std::isnan(value)) return {};
  if (column == Mass) return percent_text(value, 3);
  return column == Score ? decimal_text(value, 3) : QString::number(static_cast<qlonglong>(value));
}

QVariant HitsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  switch (role) {
    case Qt::DisplayRole:
      return display(index.row(), index.column());
    case Qt::ToolTipRole:
      return index.column() == Text ? QVariant(display(index.row(), Text)) : QVariant();
    case Qt::TextAlignmentRole: {
      const bool words = index.column() == Kind || index.column() == Text;
      return QVariant(Qt::Alignment(Qt::AlignVCenter | (words ? Qt::AlignLeft : Qt::AlignRight)));
    }
    case Qt::DecorationRole:
      return index.column() == Kind ? QVariant(kind_colour(row(index.row()).hit().kind)) : QVariant();
    default:
      return {};
  }
}

QVariant HitsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Segment"), tr("Layer"), tr("Head"), tr("Slot"),   tr("Position"), tr("Distance"),
                           tr("Kind"),    tr("Score"), tr("Mass"), tr("Anchor"), tr("Text")};
  const QString tips[] = {
      tr("Segment that reads the hit"),
      tr("Layer"),
      tr("Query head"),
      tr("Index in the retrieved prefix, which is also the re-indexed RoPE position"),
      tr("Absolute position of the token in the text"),
      tr("Tokens from the position to the start of the segment that reads it"),
      tr("Anchor: selected by its score. Expanded: next to an anchor. Padding: fills the prefix"),
      tr("Raw dot product of the best query summary with the unrotated key; an expanded hit has its anchor's"),
      tr("Share of the head's attention on the slot, mean over the segment's queries"),
      tr("Position of the anchor it belongs to"),
      tr("Text around the position")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

void HitsFilter::set_kind_shown(HitKind kind, bool shown) {
  shown_[static_cast<std::size_t>(kind)] = shown;
  invalidateFilter();
}

void HitsFilter::set_text(const QString& text) {
  text_ = text;
  invalidateFilter();
}

bool HitsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const auto& model = *static_cast<const HitsModel*>(sourceModel());
  const double a = model.number(left.row(), left.column()), b = model.number(right.row(), right.column());
  if (std::isnan(a) || std::isnan(b))
    return sortOrder() == Qt::AscendingOrder ? !std::isnan(a) : !std::isnan(b) && std::isnan(a);
  return a < b;
}

bool HitsFilter::filterAcceptsRow(int row, const QModelIndex& /*parent*/) const {
  const auto& model = *static_cast<const HitsModel*>(sourceModel());
  const Hit& hit = model.row(row).hit();
  if (!shown_[static_cast<std::size_t>(hit.kind)]) return false;
  if (text_.isEmpty() || QString::number(hit.position).startsWith(text_)) return true;
  return model.index(row, HitsModel::Text).data().toString().contains(text_, Qt::CaseInsensitive);
}

QString table_text(const QAbstractItemModel& model, const std::vector<int>& rows, QChar separator) {
  const auto field = [separator](QString text) {
    if (separator == QLatin1Char(',')) return csv_field(text);
    text = without_formula(text);
    return text.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
  };
  std::optional<FileNumbers> plain;  // lines with tabs are for a spreadsheet, which reads the language's numbers
  if (separator == QLatin1Char(',')) plain.emplace();
  QString text;
  const auto line = [&](auto cell) {
    for (int column = 0; column < model.columnCount(); ++column)
      text += (column ? QString(separator) : QString()) + field(cell(column).toString());
    text += QLatin1Char('\n');
  };
  line([&](int column) { return model.headerData(column, Qt::Horizontal, Qt::DisplayRole); });
  const int count = rows.empty() ? model.rowCount() : static_cast<int>(rows.size());
  for (int i = 0; i < count; ++i) {
    const int row = rows.empty() ? i : rows[static_cast<std::size_t>(i)];
    line([&](int column) { return model.index(row, column).data(); });
  }
  return text;
}

}  // namespace carryover
