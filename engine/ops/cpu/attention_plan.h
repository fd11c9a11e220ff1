// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>

#include "engine/ops/cpu/kv_block.h"

namespace carryover::ops {

/// Keys of a part that one thread takes in attention's backward, for all heads that share them: only this thread sums
/// their gradients. What they add to the gradients of queries goes to a slot of its own.
struct Unit {
  std::size_t part = 0;
  std::int64_t row = 0, first = 0, count = 0;  ///< row of [G, rows of the part]; range of keys
  std::int64_t slot = 0, work = 0;
};

struct AttentionPlan {
  std::vector<Unit> units;                ///< the longest first
  std::vector<std::int64_t> first_query;  ///< for each slot: blocks of queries that end before it see none of its keys
};

/// Divides the keys of `parts`, for m queries, into units of whole tiles of `tile` keys. Depends only on shapes, so
/// that sums are the same with any number of threads.
AttentionPlan divide(const std::vector<KvBlock>& parts, std::int64_t groups, std::int64_t m, std::int64_t tile);

/// Returns uninitialised gradients for backward to fill, of the shapes that AttentionGradients gives.
std::vector<KvBlock> empty_gradients(const std::vector<KvBlock>& parts);

}  // namespace carryover::ops
