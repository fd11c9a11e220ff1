// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// What a chunk's projections become on a GPU, in one pass. Not differentiable. Engine thread.
namespace carryover::ops {

/// Where a chunk's rows go: behind those of the segment, or of a cache, so far.
struct SegmentPlace {
  at::Tensor rotated_keys, values;  ///< [H_kv, *, d], rows of one stride
  at::Tensor keys = {};             ///< the same, unrotated; undefined: nobody needs them
  std::int64_t first = 0;           ///< position of the chunk's first token
  at::Tensor tail = {};             ///< [H, *, d] for the chunk's last queries, unrotated; undefined: none are kept
  std::int64_t tail_first = 0, tail_kept = 0;
};

/// projections: [m, H + 2·H_kv, d], dense: queries, keys and values; cos, sin: [m, d/2]. Returns the rotated queries
/// [H, m, d], a view of [m, H, d].
at::Tensor extend_on_device(const at::Tensor& projections, const at::Tensor& cos, const at::Tensor& sin,
                            const SegmentPlace& to);

}  // namespace carryover::ops
