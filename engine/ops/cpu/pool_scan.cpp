// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/pool_scan.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

#include <algorithm>
#include <limits>

#include "engine/base/error.h"
#include "engine/ops/cpu/best_scores.h"
#include "engine/ops/cpu/bf16_pool_scan.h"
#include "engine/ops/cpu/key_tiles.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kGroupBytes = 64;   ///< bytes of a group: summaries that are side by side
constexpr std::int64_t kRangeKeys = 1024;  ///< least keys for a thread: each range has to find k keys before it can
                                           ///< skip

template <typename T>
constexpr std::int64_t kLanes = kGroupBytes / static_cast<std::int64_t>(sizeof(T));

/// Returns 1 if any score is above its lane's floor or not comparable (NaN), else 0. It takes plain values, because g++
/// 12 splits comparisons of wide vectors.
template <typename T>
[[gnu::always_inline]] inline int any_above(const T* __restrict scores, const T* __restrict floors) {
  int any = 0;
#pragma GCC unroll 1
  for (std::int64_t lane = 0; lane < kLanes<T>; ++lane) any |= scores[lane] <= floors[lane] ? 0 : 1;
  return any;
}

/// Computes scores[key, lane] of a tile. Returns true if any of them is above its lane's floor, or NaN. summaries: [d,
/// lanes]; keys: [kTileKeys, d].
template <typename T, int Bytes>
[[gnu::always_inline]] inline bool score(const T* summaries, const T* keys, std::int64_t d, const T* floors,
                                         T* scores) {
  multiply_tile<T, Bytes, kGroupBytes>(summaries, keys, d, scores);
  int wanted = 0;
  for (std::int64_t key = 0; key < kTileKeys; ++key) wanted |= any_above(scores + key * kLanes<T>, floors);
  return wanted != 0;
}

#define CARRYOVER_SCORE_TILE(T, TARGET, BYTES)                                                            \
  TARGET bool score_tile(const T* summaries, const T* keys, std::int64_t d, const T* floors, T* scores) { \
    return score<T, BYTES>(summaries, keys, d, floors, scores);                                           \
  }
CARRYOVER_FOR_TARGETS(CARRYOVER_SCORE_TILE, float)
CARRYOVER_FOR_TARGETS(CARRYOVER_SCORE_TILE, double)
#undef CARRYOVER_SCORE_TILE

/// The summaries that score the keys of a slot.
template <typename T>
struct Readers {
  std::int64_t slot;
  std::vector<std::int64_t> rows;  ///< rows of the ranking
  std::vector<T> lanes;            ///< [groups, d, kLanes]: the summaries' values side by side, followed by zeros

  std::int64_t groups() const { return (std::ssize(rows) + kLanes<T> - 1) / kLanes<T>; }
};

/// Groups summaries by slot. summaries: [heads, n, d].
template <typename T>
std::vector<Readers<T>> readers_of(const at::Tensor& summaries, const std::vector<std::int32_t>& head_slot) {
  const std::int64_t n = summaries.size(1), d = summaries.size(2);
  std::vector<Readers<T>> all;
  for (std::size_t head = 0; head < head_slot.size(); ++head) {
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& own) { return own.slot == head_slot[head]; });
    if (found == all.end()) found = all.insert(found, {head_slot[head], {}, {}});
    for (std::int64_t s = 0; s < n; ++s) found->rows.push_back(static_cast<std::int64_t>(head) * n + s);
  }
  const T* values = summaries.const_data_ptr<T>();
  for (Readers<T>& own : all) {
    own.lanes.resize(static_cast<std::size_t>(own.groups() * d * kLanes<T>));
    for (std::int64_t i = 0; i < std::ssize(own.rows); ++i)
      put_lane(values + own.rows[static_cast<std::size_t>(i)] * d, i, d, kLanes<T>, own.lanes.data());
  }
  return all;
}

/// One thread's scan of some entries of a slot, which finds the best for each of the slot's readers.
template <typename T>
class RangeScan {
 public:
  RangeScan(const StoredKeys& keys, const Readers<T>& readers, std::int64_t k)
      : keys_(keys),
        readers_(readers),
        d_(keys.rows.size(2)),
        best_(readers.rows.size(), Best<T>(k)),
        floors_(static_cast<std::size_t>(readers.groups() * kLanes<T>), std::numeric_limits<T>::infinity()),
        buffer_(static_cast<std::size_t>(kBlockKeys * d_)) {
    for (std::size_t row = 0; row < best_.size(); ++row) floors_[row] = best_[row].floor();
  }

  std::vector<Best<T>> best(std::int64_t first, std::int64_t last) && {
    for (std::int64_t index = first; index < last; index += kBlockKeys) {
      const std::int64_t count = std::min(kBlockKeys, last - index);
      const T* block = key_block(keys_, readers_.slot, index, count, buffer_.data());
      for (std::int64_t group = 0; group < readers_.groups(); ++group)
        for (std::int64_t tile = 0; tile < count; tile += kTileKeys)
          scan_tile(group, block + tile * d_, std::min(kTileKeys, count - tile), index + tile);
    }
    return std::move(best_);
  }

 private:
  /// Scans the first `count` keys of a tile; the values behind them are not read.
  void scan_tile(std::int64_t group, const T* tile, std::int64_t count, std::int64_t first_index) {
    T scores[kTileKeys * kLanes<T>];
    T* floors = floors_.data() + group * kLanes<T>;
    const T* summaries = readers_.lanes.data() + group * d_ * kLanes<T>;
    if (!score_tile(summaries, tile, d_, floors, scores)) return;
    const std::int64_t rows = std::min(kLanes<T>, std::ssize(best_) - group * kLanes<T>);
    for (std::int64_t key = 0; key < count; ++key)
      for (std::int64_t lane = 0; lane < rows; ++lane) {
        const T score = scores[key * kLanes<T> + lane];
        if (score <= floors[lane]) continue;
        Best<T>& best = best_[static_cast<std::size_t>(group * kLanes<T> + lane)];
        best.offer(score, first_index + key);
        floors[lane] = best.floor();
      }
  }

  const StoredKeys& keys_;
  const Readers<T>& readers_;
  std::int64_t d_;
  std::vector<Best<T>> best_;  ///< for each of the readers' rows
  std::vector<T> floors_;      ///< [groups, kLanes]: the readers' floors; lanes without a reader have a floor that
                               ///< nothing exceeds
  std::vector<T> buffer_;      ///< [kBlockKeys, d], for key_block()
};

/// Scans every slot's entries in as many ranges as there are threads.
template <typename T>
RankedEntries scan(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                   const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  const std::vector<Readers<T>> readers = readers_of<T>(summaries, head_slot);
  const std::int64_t ranges = std::clamp<std::int64_t>(entries / kRangeKeys, 1, at::get_num_threads());
  std::vector<std::vector<Best<T>>> found(readers.size() * static_cast<std::size_t>(ranges));
  const std::int64_t values = entries / ranges * summaries.size(2);
  parallel_for(0, std::ssize(found), grain_of(values), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t range = i % ranges;
      found[static_cast<std::size_t>(i)] = RangeScan<T>(keys, readers[static_cast<std::size_t>(i / ranges)], k)
                                               .best(entries * range / ranges, entries * (range + 1) / ranges);
    }
  });
  const auto rows = static_cast<std::size_t>(summaries.size(0) * summaries.size(1) * k);
  RankedEntries ranked{k, std::vector<double>(rows), std::vector<std::int64_t>(rows)};
  for (std::size_t own = 0; own < readers.size(); ++own) {
    std::vector<Best<T>>* const parts = found.data() + own * static_cast<std::size_t>(ranges);
    for (std::size_t row = 0; row < readers[own].rows.size(); ++row) {
      for (std::int64_t range = 1; range < ranges; ++range) parts[0][row].merge(parts[range][row]);
      const std::int64_t place = readers[own].rows[row] * k;
      parts[0][row].write(ranked.scores.data() + place, ranked.indices.data() + place);
    }
  }
  return ranked;
}

}  // namespace

RankedEntries scan_pool(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                        const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  CARRYOVER_CHECK(k > 0 && entries <= keys.rows.size(1) && summaries.size(2) == keys.rows.size(2));
  if (scans_in_bf16(keys, summaries)) return scan_pool_bf16(keys, entries, summaries, head_slot, k);
  const at::Tensor upcast = summaries.to(keys.opmath_type()).contiguous();
  return AT_DISPATCH_FLOATING_TYPES(upcast.scalar_type(), "scan_pool",
                                    [&] { return scan<scalar_t>(keys, entries, upcast, head_slot, k); });
}

}  // namespace carryover::ops
