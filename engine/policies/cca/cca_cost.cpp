// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/cca/cca_cost.h"

#include <algorithm>

#include "engine/base/translated_text.h"
#include "engine/cost/cost_terms.h"
#include "engine/policies/policy_rows.h"

namespace carryover {
namespace {

std::vector<VisiblePrefix> visible_cca(const ModelConfig& model, const SegmentConfig& config, int, std::int64_t first) {
  const CoreTokens rule(config);
  return {{model.heads, model.kv_heads, first, rule.window, rule.group}};
}

/// Core tokens are held, and the tokens that are seen one by one.
MemoryBytes memory_cca(const CostModel& cost, std::int64_t tokens, RunUse use) {
  const CoreTokens rule(cost.config);
  const std::int64_t length = std::min(tokens, cost.config.segment_length), past = tokens - length,
                     cores = rule.whole(past), near = rule.near(past), seen = rule.seen_by(tokens);
  const Int128 token = segment_slots(cost, 1) * pair_bytes(cost), core = token * cost.model.group_size();
  // The prefix of a segment repeats near tokens for each head: a layer's while it runs, or all layers' while a segment
  // is open.
  const Int128 prefix = cores > 0 ? while_running(cost, use, core * (cores + near)) : 0,
               newest = (use.decoding ? open_bytes(cost) : token * length) + core / 2 * (length / rule.group);
  // A layer whose segment sees core tokens of its own copies its prefix once more.
  const std::int64_t read = seen == 0 ? near : seen > cores ? (seen + near) * cost.model.group_size() : 0;
  MemoryBytes bytes;
  bytes.weights = cost.weight_bytes();
  bytes.activations = saturated(temporaries(cost, length, read, use.loss) + prefix + newest);
  bytes.attention_kv = saturated(core * seen + token * (tokens - seen * rule.group));
  bytes.pool = saturated(core * rule.whole(tokens) + token * rule.near(tokens));
  // Memory for all core tokens is reserved from the start.
  bytes.device_peak = saturated(Int128{bytes.weights} + bytes.activations + core * rule.whole(tokens) + token * near);
  return bytes;
}

std::int64_t tail_cca(const SegmentConfig& config, std::int64_t first) {
  return CoreTokens(config).near(first);
}

constexpr std::string_view cca_reads[] = {"attention_window", "core_group_length"};

}  // namespace

constinit const PolicyRow cca_row{
    .name = "cca",
    .help = TEXT("a window, and groups of older tokens that are each pooled into one (CCA-Attention)"),
    .runs_in_chunks = true,
    .trained = true,
    .state_grows = true,
    .fields = cca_reads,
    .visible_globally = visible_cca,
    .memory_globally = memory_cca,
    .tail = tail_cca,
};

}  // namespace carryover
