// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/nsa/nsa_settings.h"

#include "engine/base/translated_text.h"
#include "engine/config/segment_fields.h"
#include "engine/config/window_settings.h"

namespace carryover {
namespace {

constexpr SegmentField nsa_rows[] = {
    {"selected_block_length", "", TEXT("Selected block"), TEXT(" tokens"),
     TEXT("Policy nsa: tokens per block; queries see the mean of each complete block, and all tokens of the blocks "
          "that they select"),
     setting<&NsaSettings::selected_block_length>(), 1},
    {"selected_blocks", "", TEXT("Selected blocks"), "",
     TEXT("Policy nsa: blocks that each query selects, including its own"), setting<&NsaSettings::selected_blocks>(),
     1},
};

}  // namespace

constinit const PolicyFields nsa_fields{nsa_rows};

SparseBlocks sparse_blocks(const SegmentConfig& config) {
  const auto& own = config.of<NsaSettings>();
  return {own.selected_block_length, own.selected_blocks, config.of<WindowSettings>().attention_window};
}

}  // namespace carryover
