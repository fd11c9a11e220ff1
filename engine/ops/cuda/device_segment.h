// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// Writes the projections of a chunk to the places where a GPU's attention reads them, in one pass. Not differentiable.
/// Thread: engine.
namespace carryover::ops {

/// The place for a chunk's rows: behind those of the segment, or of a cache, so far.
struct SegmentPlace {
  at::Tensor rotated_keys, values;  ///< [H_kv, *, d], all with the same stride of rows
  at::Tensor keys = {};             ///< same shape, unrotated; undefined: not needed
  std::int64_t first = 0;           ///< position of the chunk's first token
  at::Tensor tail = {};             ///< [H, *, d] for the chunk's last queries, unrotated; undefined: none are kept
  std::int64_t tail_first = 0, tail_kept = 0;
};

/// Extends the segment. projections: [m, H + 2·H_kv, d], dense: queries, keys and values; cos, sin: [m, d/2]. Returns
/// the rotated queries [H, m, d], a view of [m, H, d].
at::Tensor extend_on_device(const at::Tensor& projections, const at::Tensor& cos, const at::Tensor& sin,
                            const SegmentPlace& to);

}  // namespace carryover::ops
