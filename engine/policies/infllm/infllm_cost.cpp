// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/infllm/infllm_cost.h"

#include <algorithm>

#include "engine/base/translated_text.h"
#include "engine/config/window_settings.h"
#include "engine/cost/cost_terms.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

std::vector<VisiblePrefix> visible_infllm(const ModelConfig& model, const SegmentConfig& config, int,
                                          std::int64_t first) {
  return {{model.heads, model.kv_heads, seen_of_memory(config, block_memory(config, first)), 0}};
}

/// All tokens are held, and a segment sees sinks, some blocks and the near tokens.
MemoryBytes memory_infllm(const CostModel& cost, std::int64_t tokens, RunUse use) {
  const std::int64_t length = std::min(tokens, cost.config.segment_length), past = tokens - length,
                     opmath_bytes = std::max<std::int64_t>(cost.bytes_per_value, 4);
  const BlockMemory before = block_memory(cost.config, past), after = block_memory(cost.config, tokens);
  const Int128 token = Int128{cost.global_layers()} * cost.model.kv_heads * pair_bytes(cost),
               score = Int128{cost.global_layers()} * cost.model.heads * opmath_bytes,
               block = token * cost.config.of<InfLlmSettings>().memory_block_length + score * cost.model.head_dim;
  const auto held = [&](const BlockMemory& memory, std::int64_t count) {
    return token * (memory.sinks + memory.near) + score * memory.near + block * count;
  };
  const std::int64_t seen = seen_of_memory(cost.config, before),
                     copies = std::max<std::int64_t>(
                         0, before.near + length - cost.config.of<WindowSettings>().attention_window);
  // Keys of near tokens are rotated for a segment: a layer's while it runs, or all layers' while a segment is open.
  const Int128 rotated = while_running(cost, use, token / 2 * before.near),
               newest = (use.decoding ? open_bytes(cost) : token * length) + score * (before.near + length);
  MemoryBytes bytes;
  bytes.weights = cost.weight_bytes();
  bytes.activations = saturated(temporaries(cost, length, seen + copies, use.loss) + rotated + newest);
  bytes.attention_kv = saturated(token * (seen + length));
  bytes.pool = saturated(held(after, after.blocks));
  // Memory for all blocks is reserved from the start.
  bytes.device_peak = saturated(Int128{bytes.weights} + bytes.activations + held(before, after.blocks));
  return bytes;
}

std::int64_t tail_infllm(const SegmentConfig& config, std::int64_t first) {
  return block_memory(config, first).near;
}

constexpr std::string_view infllm_reads[] = {"sink_length", "attention_window", "memory_blocks", "memory_block_length",
                                             "memory_representatives"};

}  // namespace

constinit const PolicyRow infllm_row{
    .name = "infllm",
    .help = TEXT("sinks, a window, and blocks of the past that each segment looks up (InfLLM)"),
    .runs_in_chunks = true,
    .state_grows = true,
    .segment_in_window = true,
    .fields = infllm_reads,
    .visible_globally = visible_infllm,
    .memory_globally = memory_infllm,
    .tail = tail_infllm,
};

}  // namespace carryover
