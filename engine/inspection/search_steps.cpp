// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/search_steps.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "engine/base/error.h"
#include "engine/method/position_scores.h"
#include "engine/method/query_summaries.h"
#include "engine/method/retrieval_pool.h"
#include "engine/method/retriever.h"
#include "engine/method/retrieving_policy.h"
#include "engine/ops/retrieval_ops.h"

namespace carryover {

namespace {

constexpr std::int64_t kColumns = 4096;
constexpr double kNotSearched = -std::numeric_limits<double>::infinity();

/// Unrotated tail queries of one head in the segment before, [1, ≤ L_q, d].
at::Tensor tail_queries(Replay& replay, HeadRef head) {
  at::Tensor tail;
  const std::int64_t wanted = replay.request().config.query_length;
  replay.look(replay.policy(), replay.state_before(replay.segment() - 1), [&](const LayerSight& sight) {
    if (sight.layer != head.layer) return;
    const at::Tensor queries = sight.kv.queries[head.head];
    const std::int64_t length = std::min(wanted, queries.size(0));
    tail = queries.narrow(0, queries.size(0) - length, length).unsqueeze(0).clone();
  });
  return tail;
}

/// The positions that each summary is the mean of; `end` is the tail's last position + 1.
std::vector<TokenRange> summary_ranges(const SegmentConfig& config, std::int64_t tail, std::int64_t end) {
  std::vector<TokenRange> ranges;
  if (tail < config.summary_window) ranges.push_back({end - tail, end});
  for (std::int64_t first = 0; first + config.summary_window <= tail; first += config.summary_stride)
    ranges.push_back({end - tail + first, end - tail + first + config.summary_window});
  ranges.push_back({end - std::min(config.summary_tail, tail), end});
  return ranges;
}

/// The best of `step` neighbouring columns; NaN where none of them was searched.
Map pooled(const at::Tensor& scores, std::int64_t step) {
  const std::int64_t columns = (scores.size(1) + step - 1) / step;
  const at::Tensor best = at::constant_pad_nd(scores, {0, columns * step - scores.size(1)}, kNotSearched)
                              .view({scores.size(0), columns, step})
                              .amax(2)
                              .to(at::kFloat)
                              .cpu()
                              .contiguous();
  best.masked_fill_(best == kNotSearched, std::numeric_limits<float>::quiet_NaN());
  return {best.size(0), columns, {best.const_data_ptr<float>(), best.const_data_ptr<float>() + best.numel()}};
}

/// The best column of each row; −1 where none was searched.
std::vector<std::int64_t> best_columns(const at::Tensor& scores) {
  const auto [best, column] = at::max(scores, 1);
  const at::Tensor found = column.masked_fill(best == kNotSearched, -1).cpu().contiguous();
  return {found.const_data_ptr<std::int64_t>(), found.const_data_ptr<std::int64_t>() + found.numel()};
}

/// scores: [rows, searched.count], of a pool of so many entries.
void set_scores(SearchSteps& steps, const at::Tensor& scores, SearchedEntries searched, std::int64_t entries) {
  const std::int64_t behind = entries - searched.first - searched.count;
  const at::Tensor all = at::constant_pad_nd(scores, {searched.first, behind}, kNotSearched);
  steps.scores = pooled(all, steps.position_step);
  steps.best = best_columns(all);
}

/// The paper's search: scores of each summary, and the k best of each.
void add_summaries(SearchSteps& steps, const SegmentConfig& config, const RetrievalPool& pool, const LayerPool& layer,
                   std::int64_t slot, const at::Tensor& queries, SearchedEntries searched) {
  const at::Tensor summaries = query_summaries(config, queries).to(layer.keys.device());
  const at::Tensor keys = layer.keys.upcast(slot, searched.first, searched.count);
  set_scores(steps, at::mm(summaries[0].to(keys.scalar_type()), keys.t()), searched, pool.entries());
  const auto ranked =
      ops::pool_topk(layer.keys.slot(slot).after(searched.first), searched.count, summaries, {0}, config.top_k);
  for (std::size_t i = 0; i < ranked.indices.size(); ++i) {
    if (ranked.indices[i] < 0) continue;
    const std::int64_t position = searched.first + ranked.indices[i];
    const bool anchor = std::ranges::any_of(
        steps.hits.hits, [&](const Hit& hit) { return hit.kind == HitKind::Anchor && hit.position == position; });
    steps.ranked.push_back({static_cast<int>(i / static_cast<std::size_t>(config.top_k)), position,
                            static_cast<float>(ranked.scores[i]), anchor});
  }
}

/// A search by positions: one row of this head's scores, and the anchors that came of it.
void add_positions(SearchSteps& steps, const SegmentConfig& config, const RetrievalPool& pool, const LayerPool& layer,
                   std::int64_t slot, const at::Tensor& queries, SearchedEntries searched) {
  const std::vector<double> scores = position_scores(config, layer, slot, queries[0], searched);
  set_scores(steps, at::tensor(scores, at::kDouble).unsqueeze(0), searched, pool.entries());
  for (const Hit& hit : steps.hits.hits)
    if (hit.kind == HitKind::Anchor) steps.ranked.push_back({0, hit.position, hit.score, true});
  std::ranges::sort(steps.ranked, std::greater(), &SearchSteps::Ranked::score);
}

}  // namespace

SearchSteps search_steps(Replay& replay, const PolicyState& before, HeadRef head) {
  const RetrievingPolicy* policy = replay.policy().retrieving();
  const HeadHits* const found = find_hits(before.hits, head.layer, head.head);
  if (!policy || found == nullptr)
    throw EngineError(Fault::BadInput, "layer " + std::to_string(head.layer) + ", head " + std::to_string(head.head),
                      "retrieves nothing for segment " + std::to_string(replay.segment()),
                      "Choose a long head of a long-range layer, and a segment after the first.");
  const SegmentConfig& config = replay.request().config;
  const RetrievalPool& pool = policy->pool(before);
  if (found->shared) head = {found->layer, found->head};  // who searched
  const LayerPool& layer = pool.layer(head.layer);
  const std::int64_t slot = layer.slot_of(static_cast<int>(head.head / replay.decoder().config.group_size()));
  const at::Tensor queries = tail_queries(replay, head);
  const std::int64_t end = replay.first_token();
  SearchSteps steps{head, {{end - queries.size(1), end}}, 1, {}, {}, {}, *found};
  steps.position_step = (pool.entries() + kColumns - 1) / kColumns;
  const SearchedEntries searched = policy->searched(before, *found);
  if (searched.count == 0) return steps;  // its hits were prescribed
  if (is_paper_search(config)) {
    steps.summaries = summary_ranges(config, queries.size(1), end);
    add_summaries(steps, config, pool, layer, slot, queries, searched);
  } else {
    add_positions(steps, config, pool, layer, slot, queries, searched);
  }
  return steps;
}

}  // namespace carryover
