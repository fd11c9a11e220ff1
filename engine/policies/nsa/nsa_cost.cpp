// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/base/translated_text.h"
#include "engine/cost/cost_terms.h"
#include "engine/policies/nsa/nsa_settings.h"
#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

std::vector<VisiblePrefix> visible_nsa(const ModelConfig& model, const SegmentConfig& config, int, std::int64_t first) {
  return {{.heads = model.heads, .rows = model.kv_heads, .length = first, .branches = sparse_blocks(config)}};
}

/// All tokens are held, and the mean of each whole block.
MemoryBytes memory_nsa(const CostModel& cost, std::int64_t tokens, RunUse use) {
  const SparseBlocks rule = sparse_blocks(cost.config);
  const std::int64_t length = std::min(tokens, cost.config.segment_length), past = tokens - length,
                     means = rule.whole(tokens), output = length * cost.model.group_size() / 2;
  const Int128 token = segment_slots(cost, 1) * pair_bytes(cost);
  // A layer's means are copied. Beside the output of one branch there is the sum of the outputs before it, and also the
  // keys that are read without an index, or the output times its gates.
  const std::int64_t dense = std::max(std::min(past, rule.window - 1), rule.selects_all(tokens) ? past : 0),
                     read = saturated(Int128{means} + output + std::max(dense, output - length));
  const Int128 newest = use.decoding ? open_bytes(cost) : token * length, held = token * (Int128{tokens} + means);
  MemoryBytes bytes;
  bytes.weights = cost.weight_bytes();
  bytes.activations = saturated(temporaries(cost, length, read, use.loss) + newest);
  bytes.attention_kv = saturated(token * rule.seen_by(tokens));
  bytes.pool = saturated(held);
  // Memory for everything is reserved from the start.
  bytes.device_peak = saturated(Int128{bytes.weights} + bytes.activations + held);
  return bytes;
}

std::int64_t tail_nsa(const SegmentConfig&, std::int64_t) {
  return 0;
}

constexpr std::string_view nsa_reads[] = {"attention_window", "selected_block_length", "selected_blocks"};

}  // namespace

constinit const PolicyRow nsa_row{
    .name = "nsa",
    .help = TEXT("a mean of each block, the blocks that each query selects, and a window, by gates (NSA)"),
    .runs_in_chunks = true,
    .trained = true,
    .state_grows = true,
    .gated = true,
    .fields = nsa_reads,
    .visible_globally = visible_nsa,
    .memory_globally = memory_nsa,
    .tail = tail_nsa,
};

}  // namespace carryover
