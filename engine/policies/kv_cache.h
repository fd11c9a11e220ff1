// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/method/attention_policy.h"

namespace carryover {

/// Rows that grow with the text, in memory that is reserved ahead and grows by half of itself.
struct GrowingRows {
  at::Tensor rows;  ///< [heads, capacity, width]
  std::int64_t entries = 0;

  /// Room for `count` entries, of which those that there are stay.
  void reserve(std::int64_t heads, std::int64_t count, std::int64_t width, at::TensorOptions options);
  void append(const at::Tensor& more);  ///< [heads, m, width]; what stands in room() already is not copied
  at::Tensor room() const { return rows.narrow(1, entries, rows.size(1) - entries); }
  at::Tensor held() const { return rows.narrow(1, 0, entries); }
  /// This is a copy: the next append moves it to memory of its own, because the original appends in place.
  void share() { rows = held(); }
  void visit(StateFields& fields, const std::string& name, std::int64_t count);  ///< of `count` entries
};

/// The same of a layer's keys and values, [rows, capacity, d] each.
struct GrowingCache {
  GrowingRows keys, values;

  void reserve(std::int64_t rows, std::int64_t tokens, std::int64_t head_dim, at::TensorOptions options);
  void append(const at::Tensor& more_keys, const at::Tensor& more_values);  ///< [rows, m, d]
  void stand_before(HeadGroup& group) const;  ///< its prefix is what is held, and behind it there is room
  std::int64_t entries() const { return keys.entries; }
  void share();
  void visit(StateFields& fields, const std::string& prefix, std::int64_t count);  ///< of `count` entries
};

/// Of a layer's segment, what append() takes: where it stands already, else in a block of its own. Those that it was
/// made in lie between a layer's larger ones, and would leave gaps.
void keep_segment(LayerTrace& trace, const LayerKv& kv);

/// The text's first `sinks` keys and values in a layer, and its last `recent` ones.
struct EndsCache {
  at::Tensor keys, values;  ///< [rows, held, d]; undefined before the first segment is closed

  /// more_*: a segment's, or its ends as ends_of() leaves them.
  void append(const at::Tensor& more_keys, const at::Tensor& more_values, std::int64_t sinks, std::int64_t recent);
  void stand_before(HeadGroup& group, std::int64_t sinks) const;  ///< the same; `sinks`: the first of what is held
  std::int64_t entries() const { return keys.defined() ? keys.size(1) : 0; }
  /// The same behind a text of `tokens`.
  void visit(StateFields& fields, const std::string& prefix, std::int64_t tokens, std::int64_t sinks,
             std::int64_t recent, std::int64_t rows, std::int64_t head_dim, at::TensorOptions options);
};

/// Rows [first, end) of [held; more], [rows, n, d] each, `held` undefined where there are none: a view where one of
/// both has them all.
at::Tensor rows_of(const at::Tensor& held, const at::Tensor& more, std::int64_t first, std::int64_t end);

/// The first `sinks` rows and the last `recent` of [rows, n, d], copied, so that the rest can be freed; all of them
/// where there are no more.
at::Tensor ends_of(const at::Tensor& rows, std::int64_t sinks, std::int64_t recent);

}  // namespace carryover
