// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/window_settings.h"

#include "engine/base/translated_text.h"
#include "engine/config/segment_fields.h"

namespace carryover {
namespace {

constexpr SegmentField window_rows[] = {
    {"attention_window", "", TEXT("Attention window"), TEXT(" tokens"),
     TEXT("Policies sliding, streaming, duo, infllm, cca and nsa: number of last keys, its own included, that a query "
          "sees besides sinks; must be at least S under infllm; a minimum under cca; one of three branches under nsa"),
     setting<&WindowSettings::attention_window>(), 1},
};

}  // namespace

constinit const PolicyFields window_fields{window_rows};

}  // namespace carryover
