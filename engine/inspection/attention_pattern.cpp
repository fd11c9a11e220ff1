// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/attention_pattern.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <set>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/prefix_attention.h"
#include "engine/ops/soft_cap.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

constexpr std::int64_t kWeights = std::int64_t{1} << 22;  // held at a time
constexpr std::int64_t kCached = std::int64_t{1} << 16;   // the same where they are summed: they stay in the cache

std::int64_t steps(std::int64_t count, std::int64_t step) {
  return (count + step - 1) / step;
}

/// Returns the row of query head `head`'s KV head among the KV heads that `group` reads. `group_size`: query heads per
/// KV head.
std::int64_t kv_row(const HeadGroup& group, int head, std::int64_t group_size) {
  std::set<std::int64_t> before;
  for (const int other : group.heads)
    if (other / group_size < head / group_size) before.insert(other / group_size);
  return std::ssize(before);
}

/// Sums every `step` neighbouring columns.
at::Tensor pool_columns(const at::Tensor& weights, std::int64_t step) {
  const std::int64_t columns = steps(weights.size(1), step);
  return at::constant_pad_nd(weights, {0, columns * step - weights.size(1)})
      .view({weights.size(0), columns, step})
      .sum(2);
}

}  // namespace

AttentionPattern::AttentionPattern(const AttentionSight& sight, int head) : score_cap_(sight.score_cap) {
  const auto kv_head = head / (sight.queries.size(0) / sight.kv.keys.size(0));
  const auto opmath = ops::compute_type(sight.queries.scalar_type());
  queries_ = sight.queries[head].to(opmath) * attention_scale<double>(sight.queries.size(2));
  values_ = sight.kv.values[kv_head].to(opmath);
  for (const HeadGroup& group : sight.groups)
    if (std::ranges::count(group.heads, head) > 0) branches_.push_back(branch_of(sight, group, head));
  CARRYOVER_CHECK(!branches_.empty());
  join_prefixes();
}

AttentionPattern::Branch AttentionPattern::branch_of(const AttentionSight& sight, const HeadGroup& group,
                                                     int head) const {
  const auto group_size = sight.queries.size(0) / sight.kv.keys.size(0);
  const auto opmath = queries_.scalar_type();
  const std::int64_t place = std::ranges::find(group.heads, head) - group.heads.begin();
  Branch branch{&group, sight.kv.rotated_keys[head / group_size].to(opmath), {}, {}, {}, 0};
  if (group.index) branch.index_row = group.index->shared ? kv_row(group, head, group_size) : place;
  if (group.gate.defined()) branch.gate = group.gate[place].to(opmath);
  if (sight.sink_queries.defined() && group.window.furthest >= 0)
    branch.sink_queries = sight.sink_queries[head].to(opmath) * attention_scale<double>(sight.queries.size(2));
  if (!group.prefix_keys.defined()) return branch;
  const std::int64_t row = group.prefix_per_query_head ? place : kv_row(group, head, group_size);
  branch.prefix_values = group.prefix_values[row].to(opmath);
  branch.keys = at::cat({group.prefix_keys[row].to(opmath), branch.keys}, 0);
  return branch;
}

/// A branch's core tokens stand first. The other prefixes end where the segment begins, so that the longest has all.
void AttentionPattern::join_prefixes() {
  std::vector<at::Tensor> parts;
  if (branches_.size() > 1)
    for (Branch& branch : branches_) {
      if (!branch.has_cores()) continue;
      branch.first = prefix_length_;
      prefix_length_ += branch.slots();
      parts.push_back(branch.prefix_values);
    }
  const auto tokens = [&](const Branch& branch) {
    return branches_.size() > 1 && branch.has_cores() ? 0 : branch.slots();
  };
  const Branch& longest = *std::ranges::max_element(branches_, {}, tokens);
  if (tokens(longest) > 0) parts.push_back(longest.prefix_values);
  prefix_length_ += tokens(longest);
  for (Branch& branch : branches_)
    if (branches_.size() == 1 || !branch.has_cores()) branch.first = prefix_length_ - branch.slots();
  if (!parts.empty()) prefix_values_ = parts.size() == 1 ? parts[0] : at::cat(parts, 0);
}

PrefixSpan AttentionPattern::span(PrefixPart part) const {
  PrefixSpan longest{part};
  for (const Branch& branch : branches_)
    if (const PrefixSpan own = branch.group->span(part); own.length > longest.length)
      longest = {part, branch.first + own.first, own.length};
  return longest;
}

const AttentionPattern::Branch& AttentionPattern::branch_at(std::int64_t slot) const {
  const auto found = std::ranges::find_if(
      branches_, [&](const Branch& branch) { return slot >= branch.first && slot < branch.first + branch.slots(); });
  CARRYOVER_CHECK(found != branches_.end());
  return *found;
}

std::optional<PrefixPart> AttentionPattern::part(std::int64_t slot, std::int64_t first_token) const {
  const Branch& branch = branch_at(slot);
  const PrefixPart part = branch.group->span_at(slot - branch.first).part;
  if (part == PrefixPart::Sinks || part == PrefixPart::Retrieved) return part;
  if (slot_position(*branch.group, slot - branch.first, nullptr, first_token) >= first_token) return {};
  return part;
}

std::int64_t AttentionPattern::position(std::int64_t slot, const HeadHits* hits, std::int64_t first_token) const {
  const Branch& branch = branch_at(slot);
  return slot_position(*branch.group, slot - branch.first, hits, first_token);
}

at::Tensor AttentionPattern::weights(std::int64_t first, std::int64_t count) const {
  const at::Tensor seen = visible_weights(first, count);
  return at::constant_pad_nd(seen, {0, prefix_length_ + values_.size(0) - seen.size(1)});
}

at::Tensor AttentionPattern::visible_weights(std::int64_t first, std::int64_t count) const {
  if (branches_.size() == 1) return weights_of(branches_.front(), first, count);
  const std::int64_t own = values_.size(0) - queries() + first + count;
  at::Tensor sum = at::zeros({count, prefix_length_ + own}, queries_.options());
  for (const Branch& branch : branches_) {
    at::Tensor weights = weights_of(branch, first, count);
    if (branch.gate.defined()) weights = weights * branch.gate.narrow(0, first, count).unsqueeze(1);
    const std::int64_t slots = branch.slots();
    sum.narrow(1, branch.first, slots).add_(weights.narrow(1, 0, slots));
    sum.narrow(1, prefix_length_, own).add_(weights.narrow(1, slots, own));
  }
  return sum;
}

/// Returns one branch's attention over [its prefix; segment], without the keys that none of the queries sees.
at::Tensor AttentionPattern::weights_of(const Branch& branch, std::int64_t first, std::int64_t count) const {
  const std::int64_t all = branch.keys.size(0), seen = all - queries() + first + count;
  const auto scores_of = [&](const at::Tensor& queries, std::int64_t keys) {
    return ops::soft_capped(at::mm(queries.narrow(0, first, count), branch.keys.narrow(0, 0, keys).t()), score_cap_);
  };
  at::Tensor scores = scores_of(queries_, seen);
  if (const auto& index = branch.group->index) {
    const at::Tensor visible = ops::listed_keys(*index, branch.index_row, first, count, all, scores.device());
    const at::Tensor hidden = visible.narrow(1, 0, seen).logical_not();
    scores.masked_fill_(hidden, -std::numeric_limits<double>::infinity());
    return at::softmax(scores, 1).masked_fill(hidden, 0);  // a query may see none
  }
  if (const HeadWindow& window = branch.group->window; window.length > 0) {
    const at::Tensor& apart_queries = branch.sink_queries;
    if (const std::int64_t apart = std::min(window.sinks + window.far, seen); apart > 0 && apart_queries.defined())
      scores.narrow(1, 0, apart).copy_(scores_of(apart_queries, apart));
    const at::Tensor visible =
        ops::visible_keys({window.length, window.sinks, {}, window.far}, count, seen, scores.device());
    scores.masked_fill_(visible.logical_not(), -std::numeric_limits<double>::infinity());
    return at::softmax(scores, 1);
  }
  const at::Tensor future = at::ones({count, count}, scores.options().dtype(at::kBool)).triu(1);
  scores.narrow(1, seen - count, count).masked_fill_(future, -std::numeric_limits<double>::infinity());
  return at::softmax(scores, 1);
}

AttentionMap attention_map(const AttentionPattern& attention, HeadRef head, std::int64_t rows, std::int64_t columns) {
  const std::int64_t m = attention.queries(), n = attention.values().size(0), prefix = attention.prefix_length();
  AttentionMap map{head, prefix, n, steps(m, std::min(m, rows)), 1, 0, {}, {}};
  map.key_step = steps(prefix + n, std::max<std::int64_t>(1, std::min(prefix + n, columns)));
  map.prefix_columns = steps(prefix, map.key_step);
  map.mean = {steps(m, map.query_step), map.prefix_columns + steps(n, map.key_step), {}};
  map.mean.values.reserve(static_cast<std::size_t>(map.mean.rows * map.mean.columns));
  for (std::int64_t first = 0; first < m; first += map.query_step) {
    const at::Tensor weights = attention.weights(first, std::min(map.query_step, m - first)).mean(0, true);
    at::Tensor row = pool_columns(weights.narrow(1, prefix, n), map.key_step);
    if (prefix > 0) row = at::cat({pool_columns(weights.narrow(1, 0, prefix), map.key_step), row}, 1);
    row = row.to(at::kFloat).cpu().contiguous();
    map.mean.values.insert(map.mean.values.end(), row.const_data_ptr<float>(),
                           row.const_data_ptr<float>() + row.numel());
  }
  return map;
}

at::Tensor mean_attention(const AttentionPattern& attention) {
  const std::int64_t m = attention.queries(), keys = attention.prefix_length() + attention.values().size(0);
  const std::int64_t rows = std::max<std::int64_t>(1, kCached / keys);
  at::Tensor sum = at::zeros({keys}, attention.values().options().dtype(at::kDouble));
  for (std::int64_t first = 0; first < m; first += rows) {
    const at::Tensor weights = attention.visible_weights(first, std::min(rows, m - first));
    sum.narrow(0, 0, weights.size(1)) += at::mv(weights.t(), at::ones({weights.size(0)}, weights.options()));
  }
  return (sum / m).cpu();
}

PairAttention attend_to_pairs(const AttentionPattern& attention, const std::vector<AttentionPair>& pairs) {
  const std::int64_t keys = attention.prefix_length() + attention.values().size(0);
  const std::int64_t rows = std::max<std::int64_t>(1, kWeights / keys);
  const auto [least, most] = std::minmax_element(
      pairs.begin(), pairs.end(), [](const AttentionPair& a, const AttentionPair& b) { return a.query < b.query; });
  const std::int64_t end = most->query + 1;
  PairAttention sum;
  for (std::int64_t first = least->query; first < end; first += rows) {
    const std::int64_t count = std::min(rows, end - first);
    const at::Tensor weights = attention.weights(first, count).to(at::kDouble).cpu().contiguous();
    const at::Tensor best = weights.argmax(1).contiguous();
    for (const AttentionPair& pair : pairs) {
      if (pair.query < first || pair.query >= first + count) continue;
      const std::int64_t row = pair.query - first, column = attention.prefix_length() + pair.key;
      sum.mass += weights.const_data_ptr<double>()[row * keys + column];
      sum.top += best.const_data_ptr<std::int64_t>()[row] == column;
    }
  }
  const auto count = static_cast<double>(pairs.size());
  return {sum.mass / count, sum.top / count};
}

}  // namespace carryover
