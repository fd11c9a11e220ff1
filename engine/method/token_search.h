// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "engine/method/attention_policy.h"

namespace carryover {

/// Searches for each query of a chunk: returns the index by which a query of `group` sees, of the prefix's retrieved
/// slots, only those `most` keys that have the largest dot products with it (of equal ones, the earlier), and
/// everything else up to itself. The keys and the queries are rotated, so these are the largest scores of its
/// attention. A query chooses by itself alone, so that none learns what later ones look for. The prefix has a row for
/// each KV head, and more than `most` retrieved slots. Nothing here is differentiable. Thread: engine.
KeyIndex search_per_token(const HeadGroup& group, const ChunkQueries& chunk, std::int64_t most,
                          const ModelConfig& model);

}  // namespace carryover
