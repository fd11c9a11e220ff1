// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "engine/config/segment_config.h"
#include "engine/config/window_settings.h"
#include "engine/policies/cca/cca_settings.h"

namespace carryover {

/// The keys that policy cca sees of a text: the last tokens one by one, and what is further back in groups, each pooled
/// into a core token. Group i, from 0, has tokens [i·g, (i + 1)·g). A token that is the n-th of the text, from 1, sees
/// the first ⌊(n − W)/g⌋ core tokens, none while n ≤ W, and each token behind their groups up to itself: the last W +
/// ((n − W) mod g), or all n. Pure; any thread.
struct CoreTokens {
  std::int64_t group;   ///< g ≥ 1
  std::int64_t window;  ///< W ≥ 1

  explicit CoreTokens(const SegmentConfig& config)
      : group(config.of<CcaSettings>().core_group_length), window(config.of<WindowSettings>().attention_window) {}

  /// Returns the number of core tokens that the n-th token sees.
  std::int64_t seen_by(std::int64_t n) const { return n > window ? (n - window) / group : 0; }
  /// Returns the number of whole groups in a text of `tokens` tokens. Some of them may not be visible to any query yet.
  std::int64_t whole(std::int64_t tokens) const { return tokens / group; }
  /// Returns how many of the last of `tokens` tokens later queries see one by one: W − 1 to W + g − 2 once the text is
  /// longer.
  std::int64_t near(std::int64_t tokens) const { return tokens - seen_by(tokens + 1) * group; }
};

}  // namespace carryover
