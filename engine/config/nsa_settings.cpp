// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/nsa_settings.h"

#include "engine/config/segment_fields.h"

namespace carryover {
namespace {

#define TEXT(text) text  // scripts/translations.sh collects these texts

constexpr SegmentField nsa_rows[] = {
    {"selected_block_length", "", TEXT("Selected block"), TEXT(" tokens"),
     TEXT("Policy nsa: tokens per block; queries see the mean of each complete block, and all tokens of the blocks "
          "that they select"),
     setting<&NsaSettings::selected_block_length>(), 1},
    {"selected_blocks", "", TEXT("Selected blocks"), "",
     TEXT("Policy nsa: blocks that each query selects, including its own"), setting<&NsaSettings::selected_blocks>(),
     1},
};

#undef TEXT

}  // namespace

constinit const PolicyFields nsa_fields{nsa_rows};

}  // namespace carryover
