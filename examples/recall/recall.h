// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <string>

#include "engine/api/session.h"
#include "engine/core/config/segment_config.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// What the long-range heads read: what they retrieved, nothing, or as many positions drawn from all that was read.
enum RecallMode { kRetrieval, kOff, kRandom, kRecallModes };

/// Questions of one distance.
struct RecallScore {
  std::int64_t asked = 0;
  std::int64_t right[kRecallModes] = {};  ///< answered with the token that was said
  std::int64_t retrieved = 0;             ///< of `asked`: some head's prefix held the token to be said
  std::int64_t anchored = 0;              ///< of `asked`: as an anchor
};

/// By distance in segments, over the lines of `cases`: {"text", "asked": [{"distance", "position", "introduced"}]}, as
/// make_texts.py writes them. The token at `position` is the answer, which the logits before it predict; `introduced`
/// is where it was first said. `session`'s model and `tokenizer` belong together. Throws EngineError.
std::map<std::int64_t, RecallScore> score_recall(Session& session, const Tokenizer& tokenizer,
                                                 const SegmentConfig& config, const std::string& cases);

}  // namespace carryover
