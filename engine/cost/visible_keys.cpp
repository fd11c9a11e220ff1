// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/visible_keys.h"

#include <algorithm>

#include "engine/cost/policy_table.h"
#include "engine/cost/real.h"

namespace carryover {

namespace {

double pairs(std::int64_t length, std::int64_t prefix) {
  return real(length) * real(prefix) + real(length) * real(length + 1) / 2;
}

/// Returns ⌊0/g⌋ + … + ⌊x/g⌋, or 0 if x is negative.
double sum_of_quotients(std::int64_t x, std::int64_t g) {
  const std::int64_t quotient = std::max<std::int64_t>(0, x) / g, rest = std::max<std::int64_t>(0, x) % g;
  return real(g) * real(quotient) * real(quotient - 1) / 2 + real(quotient) * real(rest + 1);
}

/// Returns 1 + 2 + … + n.
double sum_up_to(std::int64_t n) {
  return real(n) * real(n + 1) / 2;
}

/// Returns the pairs of the first n tokens, summed over all branches. In the window, the n-th token has n pairs at
/// first and then those of a full window; in selected blocks, the number then rises with each token of a block and
/// falls back where a block begins.
double pairs(const SparseBlocks& rule, std::int64_t n) {
  const std::int64_t filling = std::min(n, rule.window), b = rule.block;
  const double in_window = sum_up_to(filling) + real(n - filling) * real(rule.window), means = sum_of_quotients(n, b);
  if (n / b < rule.selected) return sum_up_to(n) + in_window + means;
  const std::int64_t full = rule.selected * b, rest = n - full;
  const double of_blocks =
      sum_up_to(full) + real(rest) * real(full - b) + real(rest / b) * sum_up_to(b) + sum_up_to(rest % b);
  return of_blocks + in_window + means;
}

double pairs(std::int64_t length, const VisiblePrefix& seen) {
  if (seen.branches) return pairs(*seen.branches, seen.length + length) - pairs(*seen.branches, seen.length);
  if (seen.most == 0) return pairs(length, seen.length + seen.chosen);
  if (seen.pooled > 0) {
    const auto cores = [&](std::int64_t tokens) { return sum_of_quotients(tokens - seen.most, seen.pooled); };
    return pairs(length, seen.length) - real(seen.pooled - 1) * (cores(seen.length + length) - cores(seen.length));
  }
  const std::int64_t filling = std::clamp<std::int64_t>(seen.most - seen.length - 1, 0, length);
  return pairs(filling, seen.length) + real(length - filling) * real(seen.most);
}

/// Returns the pairs of a segment of `length` tokens that begins at `first`.
double segment_pairs(const PolicyRow& row, const ModelConfig& model, const SegmentConfig& config, std::int64_t first,
                     std::int64_t length) {
  double sum = 0;
  for (int layer = 0; layer < model.layers; ++layer)
    for (const VisiblePrefix& seen : row.visible(model, config, layer, first))
      sum += real(seen.heads) * pairs(length, seen);
  return sum;
}

}  // namespace

double visible_bytes(const CostModel& cost, const std::string& policy, std::int64_t context) {
  const PolicyRow& row = policy_row(policy);
  const std::int64_t own = context % cost.config.segment_length + 1, first = context + 1 - own;
  double slots = real(own) * real(cost.model.kv_heads * cost.model.layers);
  for (int layer = 0; layer < cost.model.layers; ++layer)
    for (const VisiblePrefix& seen : row.visible(cost.model, cost.config, layer, first)) {
      if (seen.branches) {
        slots += real(seen.rows) * real(seen.branches->seen_by(seen.length + own) - own);
        continue;
      }
      const std::int64_t beyond = seen.most > 0 ? std::max<std::int64_t>(0, seen.length + own - seen.most) : 0,
                         cores = seen.pooled > 0 ? beyond / seen.pooled : 0,
                         unseen = seen.pooled > 0 ? cores * seen.pooled : beyond;
      slots += real(seen.rows) * real(seen.length - unseen) + real(seen.heads * (cores + seen.chosen));
    }
  return slots * 2 * real(cost.model.head_dim * cost.bytes_per_value);
}

double searched_pairs(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                      std::int64_t tokens) {
  const PolicyRow& row = policy_row(policy);
  double sum = 0;
  for (std::int64_t first = 0; first < tokens; first += config.segment_length)
    for (const int layer : model.global_layers())
      for (const VisiblePrefix& seen : row.visible(model, config, layer, first))
        sum += real(seen.heads) * real(seen.searched) * real(std::min(config.segment_length, tokens - first));
  return sum;
}

double visible_pairs(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                     std::int64_t tokens) {
  const PolicyRow& row = policy_row(policy);
  // The division into chunks does not change what is seen, unless each chunk looks blocks up.
  if (row.runs_in_chunks && !row.segment_in_window) return segment_pairs(row, model, config, 0, tokens);
  const std::int64_t length = config.segment_length;
  // From some segment on, all segments cost the same.
  const double steady = segment_pairs(row, model, config, tokens, length);
  double sum = 0;
  for (std::int64_t first = 0; first < tokens; first += length) {
    const double next = segment_pairs(row, model, config, first, std::min(length, tokens - first));
    const std::int64_t whole = (tokens - first) / length;
    if (next == steady && whole > 0)
      return sum + real(whole) * steady + segment_pairs(row, model, config, first, tokens - first - whole * length);
    sum += next;
  }
  return sum;
}

}  // namespace carryover
