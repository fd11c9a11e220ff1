// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/nsa/nsa.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>

#include "engine/base/attention_scale.h"
#include "engine/method/score_cap.h"
#include "engine/policies/registry.h"

namespace carryover {

namespace {

constexpr std::int64_t kScores = std::int64_t{1} << 20;  ///< number of scores that are held at a time

enum Branch : std::size_t { kCompressed, kSelected, kWindow };  ///< in the order of gates

/// Returns an index with a list for each query, which all query heads of a KV head share.
KeyIndex index_of_queries(std::int64_t kv_heads, std::int64_t m) {
  KeyIndex index = KeyIndex::of_tiles(kv_heads, 1, 0, m);
  index.shared = true;
  return index;
}

std::shared_ptr<const KeyIndex> shared(KeyIndex index) {
  return std::make_shared<const KeyIndex>(std::move(index));
}

}  // namespace

std::int64_t NsaState::pool_entries() const {
  return most_entries(layers, [](const Layer& layer) { return layer.tokens.entries() + layer.blocks.entries(); });
}

std::vector<at::Tensor> NsaState::pool_contents() const {
  std::vector<at::Tensor> all;
  for (const Layer& layer : layers)
    for (const GrowingCache* cache : {&layer.tokens, &layer.blocks}) cache->add_to(all);
  return all;
}

std::unique_ptr<PolicyState> NsaState::clone() const {
  auto copy = std::make_unique<NsaState>(*this);
  for (Layer& layer : copy->layers) {
    layer.tokens.share();
    layer.blocks.share();
  }
  return copy;
}

std::unique_ptr<PolicyState> NsaPolicy::init_state() const {
  auto state = std::make_unique<NsaState>();
  state->carry.layers.resize(static_cast<std::size_t>(model_.layers));
  state->layers.resize(static_cast<std::size_t>(model_.layers));
  for (const int l : model_.global_layers()) {
    NsaState::Layer& layer = state->layers[static_cast<std::size_t>(l)];
    layer.tokens.reserve(model_.kv_heads, expected_tokens_, model_.head_dim, options_);
    layer.blocks.reserve(model_.kv_heads, rule_.whole(expected_tokens_), model_.head_dim, options_);
  }
  return state;
}

/// Returns a group for each branch, with all keys and values that the branch may select from.
std::vector<HeadGroup> NsaPolicy::read(const NsaState& state, int layer, Rope&) const {
  const NsaState::Layer& own = state.layers[static_cast<std::size_t>(layer)];
  HeadGroup all = group_of_all(model_);
  all.shares_cache = true;
  std::vector<HeadGroup> branches(3, all);
  if (const std::int64_t blocks = own.blocks.entries(); blocks > 0) {
    branches[kCompressed].prefix_keys = own.blocks.keys.held();
    branches[kCompressed].prefix_values = own.blocks.values.held();
    branches[kCompressed].spans = {{PrefixPart::Core, 0, blocks}};
  }
  branches[kCompressed].core_length = rule_.block;
  own.tokens.stand_before(branches[kSelected]);
  own.tokens.stand_before(branches[kWindow]);
  return branches;
}

/// Returns the means over blocks, [H_kv, blocks, d]. rows: [H_kv, blocks · b, d], keys or values of whole blocks.
at::Tensor NsaPolicy::means(const at::Tensor& rows) const {
  return rows.reshape({model_.kv_heads, -1, rule_.block, model_.head_dim})
      .to(at::toOpMathType(rows.scalar_type()))
      .mean(2)
      .to(rows.scalar_type());
}

/// Adds the means of blocks that became whole in the segment, up to the chunk's last query.
void NsaPolicy::add_means(HeadGroup& compressed, const NsaState::Layer& layer, const ChunkQueries& chunk) const {
  const std::int64_t held = layer.blocks.entries(), whole = rule_.whole(chunk.first_token() + chunk.count());
  if (whole == held) return;
  const auto joined = [&](const at::Tensor& prefix, const GrowingRows& cache, const at::Tensor& segment) {
    const at::Tensor fresh = means(rows_of(cache.held(), segment, held * rule_.block, whole * rule_.block));
    return prefix.defined() ? at::cat({prefix, fresh}, 1) : fresh;
  };
  compressed.prefix_keys = joined(compressed.prefix_keys, layer.tokens.keys, chunk.kv.rotated_keys);
  compressed.prefix_values = joined(compressed.prefix_values, layer.tokens.values, chunk.kv.values);
  compressed.spans = {{PrefixPart::Core, 0, whole}};
}

/// Returns the index of the compressed branch: queries see only the means of [means; segment]. Tiles end where a block
/// becomes whole.
KeyIndex NsaPolicy::seen_means(const ChunkQueries& chunk) const {
  const std::int64_t first = chunk.first_token();
  KeyIndex index = KeyIndex::of_tiles(model_.heads, rule_.block, (first + 1) % rule_.block, chunk.count());
  for (std::int64_t tile = 0; tile < index.tiles(); ++tile) {
    std::vector<KeyRange> ranges = {KeyRange::of(0, rule_.whole(first + index.first(tile) + 1))};
    unite(ranges);
    for (std::int64_t head = 0; head < index.rows; ++head)
      index.lists[static_cast<std::size_t>(head * index.tiles() + tile)] = ranges;
  }
  return index;
}

/// Returns the index of the selected branch. [cache; segment] begins at the text's first token.
KeyIndex NsaPolicy::selected_keys(const ChunkQueries& chunk, const at::Tensor& means) const {
  const at::NoGradGuard no_gradients;
  const std::int64_t first = chunk.first_token(), m = chunk.count(), share = model_.group_size();
  KeyIndex index = index_of_queries(model_.kv_heads, m);
  std::int64_t choosing = 0;  // the first query that can't see all tokens
  for (; choosing < m && rule_.selects_all(first + choosing + 1); ++choosing)
    for (std::int64_t row = 0; row < index.rows; ++row)
      index.lists[static_cast<std::size_t>(row * m + choosing)] = {KeyRange::of(0, first + choosing + 1)};
  const auto opmath = at::toOpMathType(means.scalar_type());
  const double scale = attention_scale<double>(model_.head_dim);
  const std::int64_t step = std::max<std::int64_t>(1, kScores / (share * means.size(1)));
  for (std::int64_t kv_head = 0; kv_head < model_.kv_heads; ++kv_head) {
    const at::Tensor keys = means[kv_head].detach().to(opmath) * scale,
                     queries = chunk.rotated.detach().narrow(0, kv_head * share, share);
    for (std::int64_t query = choosing; query < m; query += step)
      select_blocks(index, kv_head, query, first, queries.narrow(1, query, std::min(step, m - query)).to(opmath), keys);
  }
  return index;
}

/// Fills in the lists of a KV head for `queries`, [r, count, d]. The first of them is query number `query` of the
/// chunk, whose own first query is at position `first`. means: [blocks, d], scaled. A query's own block is not a
/// candidate. As in the reference, though, attention includes the own block's mean once the block is whole.
void NsaPolicy::select_blocks(KeyIndex& index, std::int64_t kv_head, std::int64_t query, std::int64_t first,
                              const at::Tensor& queries, const at::Tensor& means) const {
  const std::int64_t count = queries.size(1), chosen = rule_.selected - 1, b = rule_.block;
  const at::Tensor n = (at::arange(count, means.options().dtype(at::kLong)) + first + query + 1).unsqueeze(1),
                   block = at::arange(means.size(0), n.options());
  const at::Tensor unseen = block >= n.floor_divide(b), behind = block >= (n - 1).floor_divide(b);
  const at::Tensor attention = capped_scores(queries.matmul(means.t()), model_)
                                   .masked_fill_(unseen, -std::numeric_limits<double>::infinity())
                                   .softmax(2)
                                   .sum(0);
  const at::Tensor best =
      std::get<1>(attention.masked_fill(behind, -1).topk(chosen, 1, true, false)).cpu().contiguous();
  const std::int64_t* blocks = best.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t end = first + query + i + 1;
    std::vector<KeyRange>& ranges = index.lists[static_cast<std::size_t>(kv_head * index.queries + query + i)];
    ranges.push_back(KeyRange::of(rule_.own(end) * b, end));
    for (std::int64_t k = 0; k < chosen; ++k, ++blocks) ranges.push_back(KeyRange::of(*blocks * b, (*blocks + 1) * b));
    unite(ranges);
  }
}

/// Sets each branch's gate, and its index or window. A branch whose queries see all tokens gets neither.
std::vector<HeadGroup> NsaPolicy::complete(const NsaState& state, std::vector<HeadGroup> branches,
                                           const ChunkQueries& chunk) const {
  const std::int64_t end = chunk.first_token() + chunk.count();
  for (std::size_t branch = 0; branch < branches.size(); ++branch)
    branches[branch].gate = chunk.gates.select(1, static_cast<std::int64_t>(branch));
  HeadGroup &compressed = branches[kCompressed], &selected = branches[kSelected], &window = branches[kWindow];
  add_means(compressed, state.layers[static_cast<std::size_t>(chunk.layer)], chunk);
  if (!rule_.selects_all(end)) selected.index = shared(selected_keys(chunk, compressed.prefix_keys));
  if (end > rule_.window) window.window.length = rule_.window;
  if (compressed.slots() == 0)
    branches.erase(branches.begin() + kCompressed);
  else
    compressed.index = shared(seen_means(chunk));
  return branches;
}

LayerTrace NsaPolicy::trace(int, const LayerKv& kv) const {
  LayerTrace trace;
  const at::Tensor kept = at::stack({kv.rotated_keys.detach(), kv.values.detach()});
  trace.past_keys = kept[0];
  trace.past_values = kept[1];
  return trace;
}

void NsaPolicy::take(NsaState& state, std::size_t number, const LayerTrace& trace, std::int64_t m) const {
  NsaState::Layer& layer = state.layers[number];
  layer.tokens.append(trace.past_keys, trace.past_values);
  const std::int64_t whole = rule_.whole(state.next.first_token + m), held = layer.blocks.entries(),
                     first = held * rule_.block, count = whole * rule_.block - first;
  if (whole == held) return;
  const auto fresh = [&](const GrowingRows& rows) { return means(rows.held().narrow(1, first, count)); };
  layer.blocks.append(fresh(layer.tokens.keys), fresh(layer.tokens.values));
}

void NsaPolicy::name_fields(NsaState& state, StateFields& fields) const {
  const std::int64_t tokens = state.next.first_token;
  for (const int l : model_.global_layers()) {
    const std::string prefix = field_prefix(l);
    NsaState::Layer& layer = state.layers[static_cast<std::size_t>(l)];
    layer.tokens.visit(fields, prefix + "tokens.", tokens);
    layer.blocks.visit(fields, prefix + "blocks.", rule_.whole(tokens));
  }
}

std::unique_ptr<AttentionPolicy> make_nsa(const PolicyRequest& r) {
  return std::make_unique<NsaPolicy>(r.config, r.model, r.options, r.expected_tokens);
}

}  // namespace carryover
