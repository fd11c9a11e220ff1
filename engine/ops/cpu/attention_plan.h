// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>

#include "engine/ops/cpu/kv_block.h"

namespace carryover::ops {

/// Keys of a part that one thread takes for all heads that share them in attention's backward: it alone sums their
/// gradients. What they add to the gradients of queries has a slot of its own.
struct Unit {
  std::size_t part = 0;
  std::int64_t row = 0, first = 0, count = 0;  ///< row of [G, rows of the part]; keys
  std::int64_t slot = 0, work = 0;
};

struct AttentionPlan {
  std::vector<Unit> units;                ///< the longest first
  std::vector<std::int64_t> first_query;  ///< by slot: blocks that end before it see none of its keys
};

/// The units of m queries over `parts`, of whole tiles of `tile` keys. Depends on shapes only, so that sums are the
/// same with any number of threads.
AttentionPlan divide(const std::vector<KvBlock>& parts, std::int64_t groups, std::int64_t m, std::int64_t tile);

/// The gradients that backward fills: of the shapes that AttentionGradients gives, uninitialised.
std::vector<KvBlock> empty_gradients(const std::vector<KvBlock>& parts);

}  // namespace carryover::ops
