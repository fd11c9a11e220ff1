// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/forward_map.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/method/group_attention.h"
#include "engine/method/head_groups.h"
#include "engine/method/layer_checkpoint.h"
#include "engine/method/seen_keys.h"
#include "engine/ops/cuda/device_elementwise.h"
#include "engine/ops/cuda/device_segment.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/head_attention.h"

namespace carryover {

namespace {

/// The tensors that a layer's attention worked on, and the residual stream after it.
struct Attended {
  at::Tensor queries;       ///< [H, m, d], rotated
  at::Tensor sink_queries;  ///< [H, m, d], rotated for the sinks; undefined if the sinks are read with `queries`
  LayerKv kv;               ///< rows of the segment so far
  at::Tensor x;             ///< [m, D]
};

/// Returns the queries rotated to their positions, but at most to `furthest`, which is the same for all groups. Returns
/// an undefined tensor if no query is beyond `furthest`.
at::Tensor rotate_for_sinks(const LayerCall& call, const at::Tensor& queries, const std::vector<HeadGroup>& groups) {
  const auto limited = std::ranges::find_if(groups, [](const HeadGroup& group) { return group.window.furthest >= 0; });
  const std::int64_t m = queries.size(1);
  if (limited == groups.end() || call.first_position + m - 1 <= limited->window.furthest) return {};
  const RopeAngles angles = call.rope().angles_up_to(call.first_position, m, limited->window.furthest);
  return ops::rotate(queries, angles.cos, angles.sin);
}

/// Returns, of queries whose first is at position `first` of the text, those of tokens that end a group: [H, ends, d].
at::Tensor at_group_ends(const at::Tensor& queries, std::int64_t first, std::int64_t group) {
  const std::int64_t m = queries.size(1);
  return queries.slice(1, std::min(m, group - 1 - first % group), m, group);
}

/// The order in which a device without gradients rotates rows of queries and keys: first the queries, one group after
/// the other, so that each group's queries are a view, and then the keys.
struct RowOrder {
  std::vector<std::int32_t> rows;
  std::vector<int> place;  ///< the place of each head's queries in `rows`
};
RowOrder order_of(const std::vector<HeadGroup>& groups, const ModelConfig& model) {
  RowOrder order;
  order.place.assign(static_cast<std::size_t>(model.heads), -1);
  const auto add = [&](int head) {
    int& place = order.place[static_cast<std::size_t>(head)];
    if (place >= 0) return;  // placed already, with an earlier branch
    place = static_cast<int>(order.rows.size());
    order.rows.push_back(head);
  };
  for (const HeadGroup& group : groups) std::ranges::for_each(group.heads, add);
  for (std::int64_t key = 0; key < model.kv_heads; ++key)
    order.rows.push_back(static_cast<std::int32_t>(model.heads + key));
  return order;
}

/// Returns true if the group's free rows have room for a segment of m tokens and all heads read it with one prefix.
bool has_room(const std::vector<HeadGroup>& groups, const ModelConfig& model, std::int64_t m) {
  const HeadGroup& group = groups.front();
  return groups.size() == 1 && group.room_keys.defined() && group.room_keys.size(0) == model.kv_heads &&
         group.room_keys.size(1) >= m && std::ssize(group.heads) == model.heads && group.window.length == 0 &&
         !group.index;
}

/// Rotates a chunk's queries and keys, and writes its keys and values to the place where attention reads them.
RotatedQueries place_chunk(const LayerCall& call, const Decoder::Projections& fresh,
                           const std::vector<HeadGroup>& context, LayerKv& kv) {
  const ForwardContext& f = call.context;
  const ModelConfig& model = f.decoder.config;
  const auto& [cos, sin] = call.angles;
  const std::int64_t m = fresh.keys.size(1);
  RotatedQueries queries;
  kv = {fresh.queries, fresh.keys, fresh.values};
  if (!ops::attends_by_heads(fresh.queries)) {
    queries.rows = ops::rotate(fresh.queries, cos, sin);
    kv.rotated_keys = ops::rotate(fresh.keys, cos, sin);
    if (call.open != nullptr) kv = call.open->extend(call.layer, kv);
  } else if (call.open != nullptr) {
    kv = call.open->extend(call.layer, fresh, call.angles, queries.rows);
  } else if (has_room(context, model, m) && !call.attention().selects()) {
    const HeadGroup& all = context.front();
    kv.rotated_keys = all.room_keys.narrow(1, 0, m);
    kv.values = all.room_values.narrow(1, 0, m);
    kv.in_room = true;
    queries.rows = ops::extend_on_device(fresh.all, cos, sin, {kv.rotated_keys, kv.values});
  } else {
    const bool in_order =
        call.attention().selects() || call.attention().pooled_group() > 0 || f.watch || f.watch_attention;
    RowOrder order = order_of(in_order ? std::vector{group_of_all(model)} : context, model);
    const at::Tensor both = fresh.all.narrow(1, 0, model.heads + model.kv_heads).transpose(0, 1);
    const at::Tensor rotated = ops::rotate_in_order(both, cos, sin, order.rows);
    queries = {rotated.narrow(0, 0, model.heads), std::move(order.place)};
    kv.rotated_keys = rotated.narrow(0, model.heads, model.kv_heads);
  }
  return queries;
}

/// Lets the hook replace what heads read and write. values: [m, heads, d], of one kind.
at::Tensor hooked_heads(const LayerCall& call, ForwardPoint point, const at::Tensor& values) {
  return call.context.hook(point, call.layer, values.flatten(1)).view_as(values);
}

/// Returns a layer's projections, with the queries, keys and values that the hook replaces.
Decoder::Projections project(const LayerCall& call, const at::Tensor& x) {
  const ForwardContext& f = call.context;
  const Decoder::Projections fresh = f.decoder.project(call.layer, x, call.dropout);
  if (!f.hook.at(ForwardPoint::Queries) && !f.hook.at(ForwardPoint::Keys) && !f.hook.at(ForwardPoint::Values))
    return fresh;
  const std::int64_t heads = fresh.queries.size(0), kv_heads = fresh.keys.size(0);
  const at::Tensor queries = hooked_heads(call, ForwardPoint::Queries, fresh.all.narrow(1, 0, heads));
  const at::Tensor keys = hooked_heads(call, ForwardPoint::Keys, fresh.all.narrow(1, heads, kv_heads));
  const at::Tensor values = hooked_heads(call, ForwardPoint::Values, fresh.all.narrow(1, heads + kv_heads, kv_heads));
  return Decoder::side_by_side(at::cat({queries, keys, values}, 1), heads);
}

at::Tensor add_attention(const LayerCall& call, const at::Tensor& x, const at::Tensor& heads) {
  const ForwardContext& f = call.context;
  if (!f.hook.at(ForwardPoint::Attention))
    return f.decoder.add_attention(call.layer, x, heads, call.dropout, call.reuses_x);
  return x + f.hook(ForwardPoint::Attention, call.layer, f.decoder.attention_out(call.layer, heads, call.dropout));
}

/// entering: as for Decoder::add_feed_forward().
at::Tensor add_feed_forward(const LayerCall& call, const at::Tensor& x, const at::Tensor& entering) {
  const ForwardContext& f = call.context;
  if (!f.hook.at(ForwardPoint::FeedForward) && !f.hook.at(ForwardPoint::Neurons))
    return f.decoder.add_feed_forward(call.layer, x, entering, call.dropout, call.reuses_x);
  const at::Tensor neurons =
      f.hook(ForwardPoint::Neurons, call.layer, f.decoder.active_neurons(call.layer, x, entering, call.dropout));
  const at::Tensor out = f.decoder.feed_forward_out(call.layer, neurons, call.dropout);
  return x + f.hook(ForwardPoint::FeedForward, call.layer, out);
}

/// Runs a layer's attention on x. If the policy selects, its selection is stored in `selected` and replaces `context`.
Attended attend_layer(const LayerCall& call, const at::Tensor& x, const std::vector<HeadGroup>& context,
                      std::vector<HeadGroup>& selected) {
  const ForwardContext& f = call.context;
  const Decoder& decoder = f.decoder;
  const LayerAttention& attention = call.attention();
  f.spend(&SegmentTime::projections);
  const auto fresh = project(call, x);
  LayerKv kv;
  const RotatedQueries rotated = place_chunk(call, fresh, context, kv);
  const at::Tensor& queries = rotated.rows;
  if (const std::int64_t group = attention.pooled_group(); group > 0) {
    kv.end_queries = at_group_ends(queries, call.first_position, group);
    if (call.open != nullptr) kv.end_queries = call.open->add_end_queries(call.layer, kv.end_queries);
  }
  if (attention.selects()) {
    const at::Tensor gates = attention.gated() ? decoder.branch_gates(call.layer, x) : at::Tensor();
    f.spend(&SegmentTime::retrieval);
    selected =
        attention.select(call.state, context, {call.layer, call.frame, queries, fresh.queries, kv, call.rope(), gates});
  }
  const std::vector<HeadGroup>& groups = attention.selects() ? selected : context;
  const at::Tensor sink_queries = rotate_for_sinks(call, fresh.queries, groups);

  const bool weighs = attention.weighs_keys();
  CARRYOVER_CHECK(!weighs || groups.size() == 1);
  at::Tensor heads = attend_groups(f, groups, rotated, sink_queries, kv, weighs ? &kv.received : nullptr);
  if (weighs && call.open != nullptr) kv.received = call.open->add_received(call.layer, std::move(kv.received));
  f.spend(&SegmentTime::projections);
  heads = f.hook(ForwardPoint::HeadOutputs, call.layer, heads);
  return {queries, sink_queries, kv, f.hook(ForwardPoint::Attended, call.layer, add_attention(call, x, heads))};
}

}  // namespace

LayerResult run_layer(const LayerCall& call, const at::Tensor& input, const std::vector<HeadGroup>& context) {
  const ForwardContext& f = call.context;
  const at::Tensor x = f.hook(ForwardPoint::Entering, call.layer, input);
  std::vector<HeadGroup> selected;
  Attended attended = attend_layer(call, x, context, selected);
  const std::vector<HeadGroup>& groups = call.attention().selects() ? selected : context;
  LayerResult result;
  result.attention_kv_bytes = seen_bytes(groups, x, f.decoder.config, attended.kv.keys.size(1));
  f.spend(&SegmentTime::retrieval);
  if (call.open == nullptr) result.trace = call.attention().trace(call.layer, attended.kv);
  if (f.watch_attention) {
    f.spend(&SegmentTime::host);
    f.watch_attention(
        {call.layer, groups, attended.queries, attended.kv, x, attended.sink_queries, f.decoder.config.score_cap});
  }
  if (!f.watch) {  // the feed-forward does not pay for the rest
    attended = {{}, {}, {}, attended.x};
    selected.clear();
  }
  f.spend(&SegmentTime::feed_forward);
  result.x = f.hook(ForwardPoint::Leaving, call.layer, add_feed_forward(call, attended.x, x));
  f.spend(&SegmentTime::host);
  if (f.watch)
    f.watch({{call.layer, groups, attended.queries, attended.kv, x, attended.sink_queries, f.decoder.config.score_cap},
             attended.x,
             result.x});
  return result;
}

at::Tensor forward_map(const ForwardContext& f, const PolicyState& state, OpenSegment& open, const at::Tensor& ids) {
  f.spend(&SegmentTime::projections);
  return forward_map(f, state, open, LayerInput{0, f.decoder.embed(ids)});
}

at::Tensor forward_map(const ForwardContext& f, const PolicyState& state, OpenSegment& open, LayerInput input) {
  const ModelConfig& model = f.decoder.config;
  at::Tensor x = std::move(input.x);
  const std::int64_t m = x.size(0);
  const std::int64_t position = f.policy.first_position(open.frame()) + open.length();
  const bool checkpointing = f.checkpointing && open.whole() && at::GradMode::is_enabled();
  open.restart_attention_kv();
  std::shared_ptr<const PolicyState> kept;  // for layers that run again once the segment is closed
  if (checkpointing && f.policy.selects()) kept = state.clone();

  LayerCall call{f, state, open.frame(), input.layer, {}, position, f.dropout, open.whole() ? nullptr : &open};
  call.dropout.segment = static_cast<std::uint64_t>(open.frame().index);
  call.reuses_x = !checkpointing && !f.watch && !f.watch_attention;
  for (; call.layer < model.layers; ++call.layer) {
    f.spend(&SegmentTime::retrieval);
    call.angles = call.rope().angles(position, m);
    const std::vector<HeadGroup>& groups = open.context(call.attention(), state, call.layer, call.rope());
    LayerResult result = checkpointing ? run_layer_checkpointed(call, kept, x, groups) : run_layer(call, x, groups);
    x = std::move(result.x);
    open.count_attention_kv(result.attention_kv_bytes);
    open.keep(call.layer, std::move(result.trace));
    if (f.after_layer) f.after_layer(call.layer);
  }
  open.advance(m);
  f.spend(&SegmentTime::projections);
  return f.decoder.finish(x);
}

}  // namespace carryover
