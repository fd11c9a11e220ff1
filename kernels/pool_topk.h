// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/launch.h"

namespace carryover::kernels {

/// The largest sizes that the CUDA kernel accepts; beyond them it returns cudaErrorInvalidValue. The reference has no
/// limit.
inline constexpr std::int32_t pool_topk_max_k = 64;
inline constexpr std::int32_t pool_topk_max_head_dim = 256;
inline constexpr std::int64_t pool_topk_max_entries = 0x7fffffff - 1;
inline constexpr std::int64_t pool_topk_max_rows = 65535 * 16;  ///< heads · summary_count

/// Scores the summaries of each head against the unrotated keys of its pool and keeps the k best of each
/// (app:retrieval, step 2): score = Σ_c summary[c] · key[c], raw, accumulated in fp32 (fp64 keys: in fp64, then rounded
/// to the float that is ranked and returned). A score that is NaN is never kept.
struct PoolTopk {
  const void* keys;  ///< [slots, capacity, d]; entry 0..entries-1 of each slot are filled
  Element key_type;
  std::int64_t slot_stride;       ///< elements from one slot to the next (capacity · d)
  std::int64_t entries;           ///< T_pool
  const float* summaries;         ///< [heads, summary_count, d]
  const std::int32_t* head_slot;  ///< [heads]: the pool slot (KV head) that a query head reads
  std::int32_t heads, summary_count, head_dim, k;
  float* scores;          ///< out [heads, summary_count, k] descending; ties: lower index; -inf beyond `entries`
  std::int64_t* indices;  ///< out [heads, summary_count, k]; -1 beyond `entries`
  void* workspace;        ///< device scratch of workspace_bytes(); null for the reference
};
namespace reference {
Status pool_topk(const PoolTopk& args, Stream stream);
}
/// CUDA only. Returns the bytes of scratch for these sizes (the pointers are not read). They grow with heads ·
/// summary_count · k, and with `entries` only up to 256 partial lists each.
std::int64_t pool_topk_workspace_bytes(const PoolTopk& args);
/// Every pointer is a device pointer. Asynchronous on `stream`.
Status pool_topk(const PoolTopk& args, Stream stream);

}  // namespace carryover::kernels
