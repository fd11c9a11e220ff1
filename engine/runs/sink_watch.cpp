// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/sink_watch.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "engine/base/attention_scale.h"
#include "engine/method/head_groups.h"
#include "engine/method/head_select.h"
#include "engine/ops/prefix_attention.h"
#include "engine/ops/soft_cap.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

/// bias + scale · q·kᵀ of queries [G, r, q, d] and keys [G, r or 1, n, d], as [G, r·q, n], soft-capped before the bias
/// is added. A KV head that serves r query heads is read where it lies. `bias`: [r·q, n], or undefined.
at::Tensor scores_of(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& bias, double cap) {
  if (cap != 0) {
    const at::Tensor capped = ops::soft_capped(scores_of(queries, keys, {}, 0), cap);
    return bias.defined() ? capped + bias : capped;
  }
  const double scale = attention_scale<double>(queries.size(3));
  const at::Tensor rows = keys.to(queries.scalar_type());
  if (keys.size(1) == 1) {
    const at::Tensor flat = queries.flatten(1, 2), columns = rows.squeeze(1).transpose(1, 2);
    if (bias.defined()) return at::baddbmm(bias.unsqueeze(0), flat, columns, 1, scale);
    return (flat * scale).bmm(columns);
  }
  return (queries * scale)
      .flatten(0, 1)
      .bmm(rows.flatten(0, 1).transpose(1, 2))
      .view({queries.size(0), -1, rows.size(2)});
}

/// [heads or 1, lead, kinds] → [G, r or 1, lead, kinds].
at::Tensor grouped_kinds(const at::Tensor& kinds, std::int64_t groups) {
  if (kinds.size(0) == 1) return kinds.unsqueeze(0).expand({groups, 1, kinds.size(1), kinds.size(2)});
  return kinds.view({groups, -1, kinds.size(1), kinds.size(2)});
}

}  // namespace

SinkWatch::SinkWatch(const ModelConfig& model, const SegmentConfig& config, std::int64_t most_weights)
    : model_(model), text_tokens_(std::max(config.sink_length, kFirstTokens)), most_weights_(most_weights) {}

void SinkWatch::start(const PolicyState& state, std::int64_t length) {
  state_ = &state;
  length_ = length;
  norms_ = at::Tensor();
}

void SinkWatch::see(const AttentionSight& sight) {
  if (!norms_.defined()) prepare(sight.entering);
  at::Tensor norms = norms_[sight.layer];
  at::linalg_vector_norm_out(norms, sight.entering, 2, {1}, false, norms.scalar_type());
  const at::Tensor largest = norms.argmax().view({1});
  const HeadGroup* last = nullptr;
  for (const HeadGroup& group : sight.groups) {
    add(sight, group, last != nullptr && group.gate.defined() && last->heads == group.heads, largest);
    last = &group;
  }
}

void SinkWatch::prepare(const at::Tensor& entering) {
  const auto options = entering.options().dtype(ops::compute_type(entering.scalar_type()));
  const std::int64_t count = std::min(kSinkQueries, length_);
  norms_ = at::empty({model_.layers, length_}, options);
  masses_ = at::empty({model_.layers, model_.heads, kKinds}, options);
  rows_ = ((at::arange(count, options.dtype(at::kLong)) * 2 + 1) * length_).floor_divide(2 * count);
  futures_ = {{1, at::zeros({count, length_}, options)}};
  futures_[1].masked_fill_(at::arange(length_, rows_.options()).unsqueeze(0) > rows_.unsqueeze(1),
                           -std::numeric_limits<double>::infinity());
}

/// 1 where a slot of a prefix counts as `kind`. `hits`: what its head retrieved.
float SinkWatch::counts_as(Kind kind, std::int64_t slot, const HeadGroup& group, const HeadHits* hits) const {
  const auto position = [&](std::int64_t of) { return slot_position(group, of, hits, state_->next.first_token); };
  if (position(slot) < text_tokens_) return kind == Text;
  const PrefixSpan carry = group.span(PrefixPart::Carry);
  if (kind != Carry || !carry.holds(slot)) return 0;
  return position(slot) < position(carry.first) + kFirstTokens;
}

/// Returns the number of a prefix's first slots that contain all tokens which may count.
std::int64_t SinkWatch::counted_slots(const HeadGroup& group) const {
  std::int64_t slots = 0;
  for (const PrefixSpan& span : group.spans) {
    const std::int64_t copies = span.part == PrefixPart::Carry ? group.window.far : 0;  // of tokens behind them
    slots = std::max(slots, span.first + std::min(span.length, copies + text_tokens_ + kFirstTokens));
  }
  return slots;
}

at::Tensor SinkWatch::prefix_kinds(const HeadGroup& group, int layer) const {
  const std::int64_t lead = counted_slots(group);
  std::vector<float> kinds;
  std::int64_t rows = 0;
  for (const int head : group.heads) {
    const HeadHits* hits = find_hits(state_->hits, layer, head);
    for (std::int64_t slot = 0; slot < lead; ++slot)
      for (const Kind kind : {Text, Carry}) kinds.push_back(counts_as(kind, slot, group, hits));
    ++rows;
    if (!group.prefix_per_query_head) break;  // alike for all
  }
  return ops::device_list(kinds, norms_.device()).to(norms_.scalar_type()).view({rows, lead, 2});
}

const at::Tensor& SinkWatch::future(std::int64_t r) {
  at::Tensor& repeated = futures_[r];
  if (!repeated.defined()) repeated = futures_[1].repeat({r, 1});
  return repeated;
}

at::Tensor SinkWatch::unseen(const HeadGroup& group, const Looked& looked, std::int64_t before) const {
  const std::int64_t r = looked.queries.size(1), count = rows_.size(0), keys = before + length_;
  const auto as_bias = [&](const at::Tensor& visible) {
    at::Tensor bias = at::zeros(visible.sizes(), norms_.options());
    return bias.masked_fill_(visible.logical_not(), -std::numeric_limits<double>::infinity());
  };
  if (!group.index) {
    const at::Tensor visible = ops::visible_keys({group.window.length, group.window.sinks, {}, group.window.far},
                                                 length_, keys, rows_.device());
    return as_bias(visible.index_select(0, rows_)).repeat({r, 1});
  }
  const at::Tensor places = rows_.cpu().contiguous();
  const std::int64_t first = looked.first * r, heads = looked.queries.size(0) * r;
  at::Tensor bias = at::full({heads * count, keys}, -std::numeric_limits<float>::infinity(), at::kFloat);
  auto* const to = bias.mutable_data_ptr<float>();
  for (std::int64_t row = 0; row < heads * count; ++row) {
    const std::int64_t head = first + row / count, place = places.const_data_ptr<std::int64_t>()[row % count];
    const KeyIndex& index = *group.index;
    for (const KeyRange& range : index.list(index.shared ? head / r : head, index.tile_of(place)))
      if (const std::int64_t end = std::min<std::int64_t>(range.end, before + place + 1); range.first < end)
        std::fill(to + row * keys + range.first, to + row * keys + end, 0.0f);
  }
  return bias.to(norms_.options()).view({-1, r * count, keys});
}

at::Tensor SinkWatch::mean_weights(const Looked& looked, const HeadGroup& group) {
  const HeadWindow& window = group.window;
  const bool part_seen = window.length > 0 || group.index;
  const double cap = model_.score_cap;
  const at::Tensor &queries = looked.queries, &prefix = looked.prefix;
  const std::int64_t r = queries.size(1), before = prefix.defined() ? prefix.size(2) : 0;
  at::Tensor scores = scores_of(queries, looked.keys, part_seen ? at::Tensor() : future(r), cap);
  if (prefix.defined()) scores = at::cat({scores_of(queries, prefix, {}, cap), scores}, 2);
  if (window.length > 0) {
    const std::int64_t apart = std::min(window.sinks + window.far, before + length_), held = std::min(apart, before);
    if (looked.sink_queries.defined() && held > 0)
      scores.narrow(2, 0, held).copy_(scores_of(looked.sink_queries, prefix.narrow(2, 0, held), {}, cap));
    if (looked.sink_queries.defined() && apart > held)
      scores.narrow(2, held, apart - held)
          .copy_(scores_of(looked.sink_queries, looked.keys.narrow(2, 0, apart - held), {}, cap));
  }
  if (part_seen) scores = scores + unseen(group, looked, before);
  at::Tensor weights = at::softmax(scores, 2).nan_to_num(0).view({queries.size(0), r, queries.size(2), -1});
  if (looked.gate.defined()) weights.mul_(looked.gate.unsqueeze(3));
  return weights.mean(2);
}

void SinkWatch::add(const AttentionSight& sight, const HeadGroup& group, bool further, const at::Tensor& largest) {
  const KvSharing sharing = share_kv(group.heads, model_.group_size());
  const auto looked_at = [&](const at::Tensor& all) {
    return grouped(select_heads(all, group.heads).index_select(1, rows_).to(norms_.scalar_type()), sharing.r);
  };
  const at::Tensor queries = looked_at(sight.queries);
  const bool apart = sight.sink_queries.defined() && group.window.furthest >= 0;
  const at::Tensor sink_queries = apart ? looked_at(sight.sink_queries) : at::Tensor();
  const at::Tensor gate =
      group.gate.defined()
          ? group.gate.index_select(1, rows_).to(norms_.scalar_type()).view({-1, sharing.r, rows_.size(0)})
          : at::Tensor();
  const at::Tensor keys = select_heads(sight.kv.rotated_keys, sharing.kv_rows).unsqueeze(1);
  const at::Tensor prefix = group_prefix(group.prefix_keys, group, sharing);
  const Kind own = state_->next.first_token == 0 ? Text : Segment;
  const std::int64_t before = prefix.defined() ? prefix.size(2) : 0,
                     first_tokens = std::min(own == Text ? text_tokens_ : kFirstTokens, length_);
  at::Tensor kinds;
  if (prefix.defined()) kinds = grouped_kinds(prefix_kinds(group, sight.layer), queries.size(0));
  const std::int64_t rows = sharing.r * queries.size(2) * (before + length_);
  const std::int64_t step = std::clamp(most_weights_ / rows, std::int64_t{1}, queries.size(0));
  std::vector<at::Tensor> parts;
  for (std::int64_t first = 0; first < queries.size(0); first += step) {
    const auto part = [&](const at::Tensor& all) {
      return all.defined() ? all.narrow(0, first, std::min(step, all.size(0) - first)) : all;
    };
    const at::Tensor weights = mean_weights(
        {part(queries), part(sink_queries), part(prefix), part(keys), part(gate), first}, group);  // [G, r, P + m]
    at::Tensor masses = at::zeros({weights.size(0), weights.size(1), kKinds}, weights.options());
    if (prefix.defined())
      masses.narrow(2, Text, 2)
          .copy_(at::matmul(weights.narrow(2, 0, kinds.size(2)).unsqueeze(2), part(kinds)).squeeze(2));
    masses.select(2, own).add_(weights.narrow(2, before, first_tokens).sum(2));
    masses.select(2, Largest).copy_((weights.index_select(2, largest + before) * (largest >= first_tokens)).squeeze(2));
    parts.push_back(masses.flatten(0, 1));
  }
  const at::Tensor all = parts.size() == 1 ? parts[0] : at::cat(parts, 0);
  const at::Tensor layer = masses_[sight.layer];
  if (consecutive(group.heads)) {
    const at::Tensor own = layer.narrow(0, group.heads.front(), all.size(0));
    further ? own.add_(all) : own.copy_(all);
    return;
  }
  const at::Tensor heads =
      ops::device_list(std::vector<std::int64_t>(group.heads.begin(), group.heads.end()), all.device());
  further ? layer.index_add_(0, heads, all) : layer.index_copy_(0, heads, all);
}

Map SinkWatch::take() {
  const at::Tensor norms = norms_.to(at::kFloat).cpu(), masses = masses_.mean(1).to(at::kFloat).cpu();
  const auto [largest, position] = norms.max(1);
  const at::Tensor columns = at::cat({at::stack({norms.narrow(1, 0, std::min(kFirstTokens, length_)).amax(1),
                                                 std::get<0>(norms.median(1)), largest, position.to(at::kFloat)},
                                                1),
                                      masses},
                                     1)
                                 .contiguous();
  Map map{columns.size(0), columns.size(1), {}};
  map.values.assign(columns.const_data_ptr<float>(), columns.const_data_ptr<float>() + columns.numel());
  norms_ = at::Tensor();
  return map;
}

}  // namespace carryover
