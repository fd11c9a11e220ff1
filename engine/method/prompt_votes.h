// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/decoder/rope.h"

namespace carryover {

/// Returns the votes, [H_kv, n − w], of the last w queries of a prompt for each key before them (SnapKV): the
/// attention, averaged over queries, smoothed over five neighbours, averaged over the query heads of a KV head.
/// queries: [H, w, d], unrotated, the last before position `end`; keys: [H_kv, n, d], rotated, of which the last w are
/// the queries' own.
at::Tensor prompt_votes(const at::Tensor& queries, const at::Tensor& keys, std::int64_t end, Rope& rope,
                        double score_cap);

}  // namespace carryover
