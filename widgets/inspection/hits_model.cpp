// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/hits_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"
#include "widgets/runs/state/prefix_text.h"

namespace carryover {
namespace {

QColor kind_colour(HitKind kind) {
  const Theme& theme = current_theme();
  return kind == HitKind::Anchor ? theme.anchor : kind == HitKind::Expanded ? theme.expanded : theme.padding;
}

}  // namespace

HitsModel::HitsModel(QObject* parent) : ColumnModel(parent) {
  const auto position = [](HitRow row) { return static_cast<double>(row.hit().position); };
  const auto distance = [](HitRow row) { return static_cast<double>(row.block->first_token - row.hit().position); };
  const auto but_padding = [](auto Hit::*value) {
    return [value](HitRow row) {
      return row.hit().kind == HitKind::Padding ? NAN : static_cast<double>(row.hit().*value);
    };
  };
  const auto score = [](double value) { return decimal_text(value, 3); };
  const auto share = [](double value) { return percent_text(value, 3); };
  const auto text = [this](HitRow row) { return text_ ? text_(row.hit().position) : QString(); };
  set_columns({
      numbers(tr("Segment"), tr("Segment that reads the hit"), index_text,
              [](HitRow row) { return static_cast<double>(row.block->head.segment); }),
      numbers(tr("Layer"), tr("Layer"), index_text, [](HitRow row) { return row.block->head.layer; }),
      numbers(tr("Head"), tr("Query head"), index_text, [](HitRow row) { return row.block->head.head; }),
      numbers(tr("Slot"), tr("Index in the retrieved prefix, which is also the re-indexed RoPE position"), index_text,
              [](HitRow row) { return row.slot; }),
      numbers(tr("Position"), tr("Absolute position of the token in the text"), index_text, position),
      numbers(tr("Distance"), tr("Tokens from the position to the start of the segment that reads it"), index_text,
              distance),
      words(tr("Kind"), tr("Anchor: selected by its score. Expanded: next to an anchor. Padding: fills the prefix"),
            [](HitRow row) { return hit_kind_text(row.hit().kind); })
          .sorted_by([](HitRow row) { return static_cast<double>(row.hit().kind); })
          .marked_by([](HitRow row) { return kind_colour(row.hit().kind); }),
      numbers(tr("Score"),
              tr("Raw dot product of the best query summary with the unrotated key; an expanded hit has its anchor's"),
              score, but_padding(&Hit::score)),
      numbers(tr("Mass"), tr("Share of the head's attention on the slot, mean over the segment's queries"), share,
              [this](HitRow row) { return mass(row); }),
      numbers(tr("Anchor"), tr("Position of the anchor it belongs to"), index_text, but_padding(&Hit::anchor)),
      words(tr("Text"), tr("Text around the position"), text).sorted_by(position).tipped_by_text(),
  });
}

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

HitRow HitsModel::row(int index) const {
  CARRYOVER_CHECK(index >= 0 && index < rowCount());
  const auto block = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  return {&blocks_[block], index - (block == 0 ? 0 : ends_[block - 1])};
}

double HitsModel::mass(HitRow row) const {
  const auto head = masses_.find({row.block->head.layer, row.block->head.head});
  const auto slot = static_cast<std::size_t>(row.slot);
  const bool known = head != masses_.end() && slot < head->second.size();
  return known ? static_cast<double>(head->second[slot]) : NAN;
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

}  // namespace carryover
