// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/config/kv_sharing.h"
#include "engine/method/attention_policy.h"

namespace carryover {

/// [rows, n, d] → [G, r', n, d].
at::Tensor grouped(const at::Tensor& rows, std::int64_t r);

/// A group's prefix, keys or values, as [G, r or 1, P, d], [G, r] being its query heads. One row per query head is
/// grouped like the queries; one per KV head of the group is shared, or repeated where the group is ragged. Undefined
/// where P = 0.
at::Tensor group_prefix(const at::Tensor& prefix, const HeadGroup& group, const KvSharing& sharing);

}  // namespace carryover
