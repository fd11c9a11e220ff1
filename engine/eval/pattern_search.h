// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/core/analysis/pattern_search.h"
#include "engine/core/base/run_control.h"
#include "engine/model/decoder.h"

namespace carryover {

/// One head of a text that runs in one chunk, [N, d] each.
struct HeadTensors {
  at::Tensor queries, keys;  ///< rotated
  at::Tensor values;
};

/// Of pattern_candidates(N) that see at most a share `most_keys` of the keys the one with the fewest output values that
/// are off; of equal ones the one that sees fewer keys, which is also taken where all see more. Holds two outputs of
/// the head and one candidate's index at a time. Call it without gradients.
FoundPattern best_pattern(const HeadTensors& head, double most_keys, RunControl& control);

/// The contract of Session::search_patterns.
FoundPatterns search_patterns(const Decoder& decoder, const PatternSearchRequest& request, RunControl& control);

}  // namespace carryover
