// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/heads/choice/pattern_search.h"

namespace carryover {

/// The tensors of one head for a text that runs in one chunk, [N, d] each.
struct HeadTensors {
  at::Tensor queries, keys;  ///< rotated
  at::Tensor values;
  double score_cap = 0;  ///< ModelConfig::score_cap
};

/// Returns that one of pattern_candidates(N) which has the fewest wrong output values, among those that see at most the
/// share `most_keys` of the keys. Among equals it takes the one that sees fewer keys; if all see more than the share,
/// it takes the one that sees fewest. Holds two outputs of the head and one candidate's index at a time. Call it
/// without gradients.
FoundPattern best_pattern(const HeadTensors& head, double most_keys, RunControl& control);

/// Implements the contract of Session::search_patterns.
FoundPatterns search_patterns(const Decoder& decoder, const PatternSearchRequest& request, RunControl& control);

}  // namespace carryover
