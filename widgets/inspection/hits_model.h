// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSortFilterProxyModel>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "engine/runs/values/inspection.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// The hits that one head read in one segment, and the position at which that segment starts.
struct HitBlock {
  HeadHits head;
  std::int64_t first_token = 0;
};

/// A hit, and the block that it lies in.
struct HitRow {
  const HitBlock* block;
  int slot;
  const Hit& hit() const { return block->head.hits[static_cast<std::size_t>(slot)]; }
};

/// A row a hit. GUI thread.
class HitsModel : public ColumnModel<HitRow> {
  Q_OBJECT
 public:
  /// Slot: place in the retrieved prefix. Distance: tokens from the position to the start of the segment that reads it.
  enum Column { Segment, Layer, Head, Slot, Position, Distance, Kind, Score, Mass, Anchor, Text, ColumnCount };

  explicit HitsModel(QObject* parent = nullptr);
  void set_blocks(std::vector<HitBlock> blocks);
  void append_blocks(std::vector<HitBlock> blocks);  ///< rows at the end; what is there stays selected and in place
  /// Sets the share of its head's attention that each slot gets, where that is known.
  void set_masses(const std::vector<SlotMasses>& masses);
  void set_text_source(std::function<QString(std::int64_t position)> text);  ///< a snippet around a position

  HitRow row(int index) const override;

 protected:
  int count() const override { return ends_.empty() ? 0 : ends_.back(); }

 private:
  double mass(HitRow row) const;

  std::vector<HitBlock> blocks_;
  std::vector<int> ends_;                                     ///< ends_[i]: rows in blocks 0..i
  std::map<std::pair<int, int>, std::vector<float>> masses_;  ///< by layer and head
  std::function<QString(std::int64_t)> text_;
};

/// Sorts by value, empty cells last in either order; filters by kind and text.
class HitsFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void set_kind_shown(HitKind kind, bool shown);
  void set_text(const QString& text);  ///< in the snippet, or the start of the position

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  bool shown_[3] = {true, true, true};
  QString text_;
};

}  // namespace carryover
