// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/base/key_index.h"
#include "engine/ops/cpu/kv_block.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

/// Walks over the keys and values of one row that a list names before `end`, and copies a few at a time side by side.
/// The row's keys and values are in consecutive parts. T: their type, or integers of its size. Plain pointers, for
/// parallel regions.
template <typename T>
class ListedRows {
 public:
  ListedRows(const std::vector<KvBlock>& parts, std::int64_t group, std::int64_t head,
             const std::vector<KeyRange>& list, std::int64_t end)
      : list_(list), end_(end), d_(parts[0].keys.size(3)) {
    std::int64_t first = 0;
    for (const KvBlock& part : parts) {
      const std::int64_t row = part.rows() == 1 ? 0 : head;
      const auto begin = [&](const at::Tensor& rows) {
        return static_cast<const T*>(rows.const_data_ptr()) + group * rows.stride(0) + row * rows.stride(1);
      };
      parts_.push_back({first, begin(part.keys), begin(part.values), part.keys.stride(2), part.values.stride(2)});
      first += part.keys.size(2);
    }
  }

  /// Copies the next keys and values, at most `most`, to [most, d] each, and their positions to `places`. Returns how
  /// many were copied: 0 at the end.
  std::int64_t take(std::int64_t most, T* keys, T* values, std::int64_t* places) {
    std::int64_t taken = 0;
    while (taken < most && range_ < list_.size()) {
      const std::int64_t first = list_[range_].first + done_,
                         count = std::min({most - taken, list_[range_].end - first, end_ - first});
      for (std::int64_t place = first; place < first + count; ++place) {
        const Part& part = part_of(place);
        std::copy_n(part.keys + (place - part.first) * part.key_stride, d_, keys + taken * d_);
        std::copy_n(part.values + (place - part.first) * part.value_stride, d_, values + taken * d_);
        places[taken++] = place;
      }
      done_ += std::max<std::int64_t>(count, 0);
      if (count <= 0 || list_[range_].first + done_ == list_[range_].end) {
        ++range_;
        done_ = 0;
      }
    }
    return taken;
  }

 private:
  struct Part {
    std::int64_t first;  ///< position of its first key
    const T *keys, *values;
    std::int64_t key_stride, value_stride;
  };
  const Part& part_of(std::int64_t place) const {
    return parts_.size() > 1 && place >= parts_[1].first ? parts_[1] : parts_[0];
  }

  const std::vector<KeyRange>& list_;
  std::int64_t end_, d_;
  std::vector<Part> parts_;  ///< at most two
  std::size_t range_ = 0;
  std::int64_t done_ = 0;  ///< number of keys of the range that are done
};

/// Returns how many of the first `count` places, which ascend, a query at `place` sees.
inline std::int64_t seen_places(const std::vector<std::int64_t>& places, std::int64_t count, std::int64_t place) {
  return std::upper_bound(places.begin(), places.begin() + count, place) - places.begin();
}

/// The queries that one list serves: a tile of one head's queries, or one query of all heads that share a KV head.
struct ListedQueries {
  std::int64_t group, head, first, count;  ///< head: index in its group; first: index among m
  bool of_heads;                           ///< true: one query of `count` heads

  static ListedQueries of(const KeyIndex& index, std::int64_t row, std::int64_t tile, std::int64_t r) {
    const std::int64_t first = index.first(tile);
    if (index.shared) return {row, 0, first, r, true};
    return {row / r, row % r, first, index.end(tile) - first, false};
  }
  std::int64_t end() const { return first + (of_heads ? 1 : count); }  ///< end of the queries, among m
  std::int64_t query(std::int64_t lane) const { return of_heads ? first : first + lane; }
};

/// Computes the attention of each tile's queries over the keys that its list names, which are gathered a few at a time;
/// no other key is read. Returns [G, r, m, d], in memory [m, G·r, d]: the rows of the next matmul, without a copy.
/// `way` multiplies. It has the types Element, Queries (a block of at most kMost), Keys (a gathered block, filled as by
/// take()) and Use (which a thread holds while it works), and the functions take(), add() and finish() for a block.
template <typename Way>
at::Tensor attend_lists(const Way& way, const at::Tensor& queries, const std::vector<KvBlock>& parts,
                        const KeyIndex& index) {
  using T = typename Way::Element;
  const std::int64_t G = queries.size(0), r = queries.size(1), m = queries.size(2), d = queries.size(3), heads = G * r;
  at::Tensor out = at::empty_strided({G, r, m, d}, {r * d, d, heads * d, 1}, queries.options());
  std::int64_t place = -m;  // position of the first query in [prefix; segment]
  for (const KvBlock& part : parts) place += part.keys.size(2);
  const T* const all = static_cast<const T*>(queries.const_data_ptr());
  T* const to = static_cast<T*>(out.mutable_data_ptr());
  parallel_for(0, index.rows * index.tiles(), 1, [&](std::int64_t begin_unit, std::int64_t end_unit) {
    [[maybe_unused]] const typename Way::Use use;
    typename Way::Keys gathered(d);
    std::vector<typename Way::Queries> blocks;
    for (std::int64_t unit = begin_unit; unit < end_unit; ++unit) {
      const std::int64_t row = unit % index.rows, tile = unit / index.rows;
      const ListedQueries lanes = ListedQueries::of(index, row, tile, r);
      blocks.resize(static_cast<std::size_t>((lanes.count + Way::kMost - 1) / Way::kMost));
      const auto each = [&](auto&& visit) {
        for (std::size_t b = 0; b < blocks.size(); ++b) visit(blocks[b], static_cast<std::int64_t>(b) * Way::kMost);
      };
      const std::int64_t stride = lanes.of_heads ? queries.stride(1) : queries.stride(2);
      const T* const from =
          all + lanes.group * queries.stride(0) + lanes.head * queries.stride(1) + lanes.first * queries.stride(2);
      each([&](auto& block, std::int64_t first) {
        way.take(block, from + first * stride, stride, std::min(Way::kMost, lanes.count - first), d);
      });
      ListedRows<T> rows(parts, lanes.group, lanes.head, index.list(row, tile), place + lanes.end());
      while (gathered.take(rows, d))
        each([&](auto& block, std::int64_t first) {
          way.add(block, gathered, [&](std::int64_t query) {
            return seen_places(gathered.places, gathered.packed.count, place + lanes.query(first + query));
          });
        });
      T* const own = to + (lanes.first * heads + lanes.group * r + lanes.head) * d;
      const std::int64_t step = lanes.of_heads ? d : heads * d;
      each([&](auto& block, std::int64_t first) { way.finish(block, own + first * step, step); });
    }
  });
  return out;
}

}  // namespace carryover::ops
