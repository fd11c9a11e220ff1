// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/config/segment_config.h"

namespace carryover {

/// Returns means of the queries at a segment's tail: of windows of w queries at stride s, then of the last t
/// (app:retrieval, step 1). queries: [heads, m', d], unrotated, the last min(L_q, m). Returns [heads, n, d] in
/// max(fp32, dtype).
at::Tensor query_summaries(const SegmentConfig& config, const at::Tensor& queries);

}  // namespace carryover
