// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/method/attention_policy.h"

namespace carryover {

/// Rows that grow with the text. Memory is reserved ahead and grows by half of itself.
struct GrowingRows {
  at::Tensor rows;  ///< [heads, capacity, width]
  std::int64_t entries = 0;

  /// Reserves room for `count` entries; the present entries stay.
  void reserve(std::int64_t heads, std::int64_t count, std::int64_t width, at::TensorOptions options);
  void append(const at::Tensor& more);  ///< [heads, m, width]; rows that are in room() already are not copied
  at::Tensor room() const { return rows.narrow(1, entries, rows.size(1) - entries); }
  at::Tensor held() const { return rows.defined() ? rows.narrow(1, 0, entries) : rows; }
  /// Marks these rows as a copy: their next append moves them to memory of their own, because the original appends in
  /// place.
  void share() { rows = held(); }
  void visit(StateFields& fields, const std::string& name, std::int64_t count);  ///< names `count` entries
};

/// Growing rows of a layer's keys and values, [rows, capacity, d] each.
struct GrowingCache {
  GrowingRows keys, values;

  void reserve(std::int64_t rows, std::int64_t tokens, std::int64_t head_dim, at::TensorOptions options);
  void append(const at::Tensor& more_keys, const at::Tensor& more_values);  ///< [rows, m, d]
  void stand_before(HeadGroup& group) const;  ///< makes the held rows its prefix, with room behind
  std::int64_t entries() const { return keys.entries; }
  void add_to(std::vector<at::Tensor>& all) const;  ///< adds views of the held rows; none if no rows are reserved
  void share();
  void visit(StateFields& fields, const std::string& prefix, std::int64_t count);  ///< names `count` entries
};

/// Stores in `trace` the segment's keys and values for append(): the rows in the cache's room if they are there
/// already, else a copy in a block of memory of its own. The original tensors lie between a layer's larger ones, and
/// would leave gaps in memory.
void keep_segment(LayerTrace& trace, const LayerKv& kv);

/// The text's first `sinks` keys and values in a layer, and its last `recent` ones.
struct EndsCache {
  at::Tensor keys, values;  ///< [rows, held, d]; undefined before the first segment is closed

  /// more_*: the rows of a segment, or their ends as ends_of() returns them.
  void append(const at::Tensor& more_keys, const at::Tensor& more_values, std::int64_t sinks, std::int64_t recent);
  void stand_before(HeadGroup& group, std::int64_t sinks) const;  ///< `sinks`: number of held sinks
  std::int64_t entries() const { return keys.defined() ? keys.size(1) : 0; }
  /// Names the rows that are held after a text of `tokens` tokens.
  void visit(StateFields& fields, const std::string& prefix, std::int64_t tokens, std::int64_t sinks,
             std::int64_t recent, std::int64_t rows, std::int64_t head_dim, at::TensorOptions options);
};

/// Returns the most entries that one of the layers holds. `entries_of` counts a layer's.
template <typename Layer, typename EntriesOf>
std::int64_t most_entries(const std::vector<Layer>& layers, const EntriesOf& entries_of) {
  std::int64_t most = 0;
  for (const Layer& layer : layers) most = std::max(most, entries_of(layer));
  return most;
}

/// Returns rows [first, end) of [held; more], [rows, n, d] each; `held` may be undefined. Returns a view if one of the
/// two has them all.
at::Tensor rows_of(const at::Tensor& held, const at::Tensor& more, std::int64_t first, std::int64_t end);

/// Returns a copy of the first `sinks` and the last `recent` rows of [rows, n, d], or of all rows if there are no more,
/// so that the rest can be freed.
at::Tensor ends_of(const at::Tensor& rows, std::int64_t sinks, std::int64_t recent);

}  // namespace carryover
