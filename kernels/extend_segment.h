// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/element.h"

namespace carryover::kernels {

/// Writes a chunk's queries, keys and values to their places in one pass: queries and keys are rotated (app:rope), keys
/// and values are written behind those of the segment so far, and the last queries are also kept unrotated for the
/// search.
struct ExtendSegment {
  const void* projections;  ///< [length, heads + 2 · kv_heads, d]: queries, keys and values, dense
  Element type;
  const void* cosine;  ///< [length, d/2], fp32 (fp64 with fp64 projections)
  const void* sine;    ///< same shape
  std::int32_t length, heads, kv_heads, head_dim;
  void* queries;  ///< out [length, heads, d], rotated
  /// Keys and values of the segment; the chunk's are written from position `first` on.
  std::int64_t row_stride;  ///< elements from one KV head to the next; positions are dense
  std::int64_t first;
  void* rotated_keys;  ///< out [kv_heads, *, d]
  void* values;        ///< out, same shape
  void* keys;          ///< out, same shape, unrotated; null: not needed
  /// The chunk's last `tail_kept` queries, unrotated.
  void* tail;                    ///< out [heads, *, d], from position tail_first on; not used if tail_kept is 0
  std::int64_t tail_row_stride;  ///< elements
  std::int64_t tail_first;
  std::int32_t tail_kept;
};
namespace reference {
Status extend_segment(const ExtendSegment& args, Stream stream);
}
/// Every pointer is a device pointer. Asynchronous on `stream`.
Status extend_segment(const ExtendSegment& args, Stream stream);

}  // namespace carryover::kernels
