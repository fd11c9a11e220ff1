// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/config/kv_sharing.h"
#include "engine/method/attention_policy.h"

namespace carryover {

/// Views [rows, n, d] as [rows / r, r, n, d].
at::Tensor grouped(const at::Tensor& rows, std::int64_t r);

/// Returns a group's prefix (keys or values) as [G, r or 1, P, d], where [G, r] are its query heads. A prefix with a
/// row for each query head is grouped like the queries. A row of a KV head is shared by its queries, or repeated if the
/// group is ragged. Undefined if P = 0.
at::Tensor group_prefix(const at::Tensor& prefix, const HeadGroup& group, const KvSharing& sharing);

}  // namespace carryover
