// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/infllm/infllm_settings.h"

#include "engine/base/config_fields.h"
#include "engine/base/translated_text.h"
#include "engine/config/segment_fields.h"

namespace carryover {
namespace {

constexpr SegmentField infllm_rows[] = {
    {"memory_blocks", "", TEXT("Memory blocks"), "",
     TEXT("Policy infllm: past blocks that each segment, and in decoding each token, looks up"),
     setting<&InfLlmSettings::memory_blocks>(), 1},
    {"memory_block_length", "", TEXT("Memory block"), TEXT(" tokens"),
     TEXT("Policy infllm: tokens per block; a block is looked up as a whole"),
     setting<&InfLlmSettings::memory_block_length>(), 1},
    {"memory_representatives", "", TEXT("Representatives"), TEXT(" tokens"),
     TEXT("Policy infllm: tokens of a block, those with most attention, the mean of whose keys represents the block in "
          "lookups"),
     setting<&InfLlmSettings::memory_representatives>(), 1},
};

void check_infllm(const SegmentConfig& config, const ModelConfig&, const std::string& where) {
  const auto& settings = config.of<InfLlmSettings>();
  if (settings.memory_representatives > settings.memory_block_length)
    refuse_field(where, "memory_representatives",
                 "is " + std::to_string(settings.memory_representatives) + ", more than memory_block_length, " +
                     std::to_string(settings.memory_block_length),
                 "A block is represented by keys of its own: name at most as many as it has.");
}

}  // namespace

constinit const PolicyFields infllm_fields{infllm_rows, check_infllm};

}  // namespace carryover
