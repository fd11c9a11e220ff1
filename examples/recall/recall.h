// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <string>

#include "engine/api/session.h"
#include "engine/config/segment_config.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The prefix of the long-range heads: what they retrieved, nothing, or as many random positions of everything that was
/// read.
enum RecallMode { kRetrieval, kOff, kRandom, kRecallModes };

/// The number of questions at one distance, and of right answers to them.
struct RecallScore {
  std::int64_t asked = 0;
  std::int64_t right[kRecallModes] = {};  ///< answers that are the token which was said
  std::int64_t retrieved = 0;             ///< of `asked`: some head's prefix had the answer's token
  std::int64_t anchored = 0;              ///< of `asked`: some head's prefix had it as an anchor
};

/// Returns the scores by distance in segments, over the lines of `cases`: {"text", "asked": [{"distance", "position",
/// "introduced"}]}, as make_texts.py writes them. The token at `position` is the answer, which the logits before it
/// predict; it was first said at `introduced`. `session`'s model and `tokenizer` must belong together. Throws
/// EngineError.
std::map<std::int64_t, RecallScore> score_recall(Session& session, const Tokenizer& tokenizer,
                                                 const SegmentConfig& config, const std::string& cases);

}  // namespace carryover
