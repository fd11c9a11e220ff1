// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/kv_rows.h"
#include "kernels/soft_cap.h"

namespace carryover::kernels {

/// Returns true if the CUDA kernel accepts them: fp32 or bf16, heads of 64, 128 or 256. The reference accepts all.
inline bool row_attention_takes(Element type, std::int64_t head_dim) {
  return type != Element::Float64 && (head_dim == 64 || head_dim == 128 || head_dim == 256);
}

/// Computes the attention of one query of each head over [prefix; segment] (eq:attn), as for a decoded token: keys and
/// values are read once and in place. softmax(capped(scale · q·kᵀ))·v, summed in fp32 (fp64 for fp64). Heads read one
/// of two prefixes, so that all heads of a layer are one call.
struct RowAttention {
  const void* queries;            ///< [*, d] rotated, dense
  const std::int32_t* query_row;  ///< [heads]
  KvRows prefix;                  ///< not read if prefix_length is 0
  KvRows segment;
  Element type;
  std::int32_t heads, prefix_length, length, head_dim;  ///< prefix_length + length ≥ 1
  float scale;
  float cap;                      ///< of soft-capped scores (soft_cap.h); 0: none
  void* output;                   ///< [heads, d]
  void* workspace;                ///< device scratch of row_attention_workspace_bytes(); null for the reference
  KvRows other = {};              ///< prefix of the heads that `reads_other` names, in place of `prefix`
  std::int32_t other_length = 0;  ///< length of `other`; 0 if no head reads it
  const std::int32_t* reads_other = nullptr;  ///< [heads], 0 or 1; null: no head reads `other`
  /// Device scratch, [heads]: zeros before and after the call; null for the reference.
  std::int32_t* arrived = nullptr;
};

/// Return the prefix of a head, and its length.
CARRYOVER_HOST_DEVICE inline const KvRows& prefix_of(const RowAttention& args, std::int64_t head) {
  return args.reads_other != nullptr && args.reads_other[head] != 0 ? args.other : args.prefix;
}
CARRYOVER_HOST_DEVICE inline std::int32_t prefix_length_of(const RowAttention& args, std::int64_t head) {
  return args.reads_other != nullptr && args.reads_other[head] != 0 ? args.other_length : args.prefix_length;
}

namespace reference {
Status row_attention(const RowAttention& args, Stream stream);
}
/// CUDA only. Returns the bytes of scratch for these sizes (the pointers are not read).
std::int64_t row_attention_workspace_bytes(const RowAttention& args);
/// Every pointer is a device pointer. Queries, keys and values begin at multiples of 16 bytes, and so do all positions
/// of keys and values; otherwise it returns cudaErrorMisalignedAddress. Asynchronous on `stream`.
Status row_attention(const RowAttention& args, Stream stream);

}  // namespace carryover::kernels
