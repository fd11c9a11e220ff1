// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <nlohmann/json_fwd.hpp>

namespace carryover {

/// The parts of a segment's time, in seconds. They sum to the segment's own time. A plain value; any thread.
struct SegmentTime {
  double projections = 0;      ///< embedding, norms, RoPE, the matmuls that make queries, keys, values and outputs
  double local_attention = 0;  ///< over [carry; segment]; under full attention, over all of the past
  double long_attention = 0;   ///< over [retrieved; segment]
  double retrieval = 0;        ///< rotating prefixes, cutting the tail, appending to the pool, searching and reading it
  double feed_forward = 0;     ///< norm, matmuls and SwiGLU
  double logits = 0;           ///< the matmul of the head and the loss
  double host = 0;             ///< all else: captures, progress, inspections in between

  double sum() const;
  SegmentTime& operator+=(const SegmentTime& other);
};

/// A part and its name in JSON.
struct TimePart {
  const char* name;
  double SegmentTime::*seconds;
};
inline constexpr std::array<TimePart, 7> kTimeParts{{{"projections", &SegmentTime::projections},
                                                     {"local_attention", &SegmentTime::local_attention},
                                                     {"long_attention", &SegmentTime::long_attention},
                                                     {"retrieval", &SegmentTime::retrieval},
                                                     {"feed_forward", &SegmentTime::feed_forward},
                                                     {"logits", &SegmentTime::logits},
                                                     {"host", &SegmentTime::host}}};

void to_json(nlohmann::json& json, const SegmentTime& time);
void from_json(const nlohmann::json& json, SegmentTime& time);

}  // namespace carryover
