// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/streaming/streaming_settings.h"

#include "engine/base/translated_text.h"
#include "engine/config/segment_fields.h"

namespace carryover {
namespace {

constexpr SegmentField streaming_rows[] = {
    {"cache_positions", "", TEXT("Positions in the cache"), "",
     TEXT("Policy streaming: sinks get the RoPE positions right before the window, as in StreamingLLM's cache; off: "
          "they keep their positions in the text (MInference's A-shape)"),
     setting<&StreamingSettings::cache_positions>()},
};

}  // namespace

constinit const PolicyFields streaming_fields{streaming_rows};

}  // namespace carryover
