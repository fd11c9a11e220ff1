// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/attention_policy.h"

namespace carryover {

/// Returns the bytes of keys and values that the last of a segment's n tokens sees in a layer. What heads of one KV
/// head share counts once in each group, and once in all if the groups share a cache. `like`: a tensor of their dtype.
std::int64_t seen_bytes(const std::vector<HeadGroup>& groups, const at::Tensor& like, const ModelConfig& model,
                        std::int64_t n);

}  // namespace carryover
