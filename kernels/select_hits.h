// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/launch.h"

namespace carryover::kernels {

/// The largest sizes that the CUDA kernel accepts; beyond them it returns cudaErrorInvalidValue. The reference has no
/// limit.
inline constexpr std::int32_t select_hits_max_candidates = 2048;
inline constexpr std::int32_t select_hits_max_length = 2048;

/// Selects the positions of each head's prefix from the ranked entries of its summaries (app:retrieval, steps 2 and 3):
/// union by best score, the A best are anchors (equal scores: lower index first), expansion in order of score, low
/// offset to high, clamped, until `length` are held, then the lowest unused; ascending. The same rule as
/// runs/values/hit_selection.h.
struct SelectHits {
  const float* scores;          ///< [heads, summaries, row_stride], as pool_topk writes them
  const std::int64_t* indices;  ///< same shape; -1 beyond the pool's entries
  std::int32_t heads, summaries;
  std::int32_t kept;                                  ///< k: candidates are the first `kept` of each row
  std::int32_t row_stride;                            ///< ≥ kept; kept · summaries ≤ select_hits_max_candidates
  std::int64_t entries;                               ///< T_pool
  std::int64_t anchors, expand_before, expand_after;  ///< A, o⁻, o⁺
  std::int32_t length;                                ///< min(R, entries) ≤ select_hits_max_length
  std::int64_t* positions;                            ///< out [heads, length], ascending
  /// out [heads, length]: the candidate that the slot belongs to, as summary · row_stride + rank, or -1 for padding. If
  /// the candidate's index is the slot's own position, the slot is an anchor, else it was expanded from it. If several
  /// summaries score an index best, the first one counts.
  std::int32_t* origins;
};
namespace reference {
Status select_hits(const SelectHits& args, Stream stream);
}
/// Every pointer is a device pointer. Asynchronous on `stream`.
Status select_hits(const SelectHits& args, Stream stream);

}  // namespace carryover::kernels
