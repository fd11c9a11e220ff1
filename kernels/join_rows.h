// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/kv_rows.h"

namespace carryover::kernels {

/// Joins [prefix; segment] of each head in one tensor (eq:ctx), as FlashAttention needs it: selects heads and joins
/// keys and values in one pass.
struct JoinRows {
  KvRows prefix;  ///< not read if prefix_length is 0
  KvRows segment;
  Element type;
  std::int32_t heads, prefix_length, length, head_dim;
  void* keys;    ///< out [heads, prefix_length + length, d]
  void* values;  ///< out, same shape
};
namespace reference {
Status join_rows(const JoinRows& args, Stream stream);
}
/// Every pointer is a device pointer. Asynchronous on `stream`.
Status join_rows(const JoinRows& args, Stream stream);

}  // namespace carryover::kernels
