// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/open_segment.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/method/forward_map.h"
#include "engine/ops/cuda/device_segment.h"

namespace carryover {

namespace {

/// Writes a chunk to rows [length, length + chunk) of a buffer that holds `capacity` rows per head.
void put(at::Tensor& buffer, const at::Tensor& chunk, std::int64_t length, std::int64_t capacity) {
  if (!buffer.defined()) buffer = at::empty({chunk.size(0), capacity, chunk.size(2)}, chunk.options());
  buffer.narrow(1, length, chunk.size(1)).copy_(chunk);
}

}  // namespace

OpenSegment::OpenSegment(const SegmentFrame& frame, std::int64_t layers, bool whole, std::int64_t capacity,
                         std::int64_t query_length)
    : frame_(frame),
      whole_(whole),
      capacity_(capacity),
      query_length_(std::min(query_length, capacity)),
      kv_(static_cast<std::size_t>(layers)),
      tails_(static_cast<std::size_t>(layers)),
      received_(static_cast<std::size_t>(layers)),
      ends_(static_cast<std::size_t>(layers)),
      contexts_(static_cast<std::size_t>(layers)),
      traces_(static_cast<std::size_t>(layers)) {}

at::Tensor OpenSegment::last(const TailQueries& tail) const {
  const std::int64_t count = std::min(tail.end, query_length_);
  return tail.rows.narrow(1, tail.end - count, count);
}

/// Makes room for the chunk's queries at the end of a layer's tail queries, and returns how many of the chunk's queries
/// have to be kept. The buffer holds twice the tail, so rows move to its front only once in query_length_ tokens.
std::int64_t OpenSegment::make_room(TailQueries& tail, const at::Tensor& chunk) const {
  if (!tail.rows.defined()) tail.rows = at::empty({chunk.size(0), 2 * query_length_, chunk.size(2)}, chunk.options());
  const std::int64_t fresh = std::min(chunk.size(1), query_length_);
  if (tail.end + fresh > tail.rows.size(1)) {
    const std::int64_t kept = query_length_ - fresh;
    tail.rows.narrow(1, 0, kept).copy_(tail.rows.narrow(1, tail.end - kept, kept).clone());
    tail.end = kept;
  }
  return fresh;
}

void OpenSegment::keep_tail(TailQueries& tail, const at::Tensor& chunk) const {
  const std::int64_t fresh = make_room(tail, chunk);
  tail.rows.narrow(1, tail.end, fresh).copy_(chunk.narrow(1, chunk.size(1) - fresh, fresh));
  tail.end += fresh;
}

LayerKv OpenSegment::so_far(int layer, std::int64_t n) const {
  const LayerKv& held = kv_[static_cast<std::size_t>(layer)];
  return {last(tails_[static_cast<std::size_t>(layer)]), held.keys.narrow(1, 0, n), held.values.narrow(1, 0, n),
          held.rotated_keys.narrow(1, 0, n)};
}

LayerKv OpenSegment::extend(int layer, const LayerKv& chunk) {
  if (whole_) return chunk;
  LayerKv& held = kv_[static_cast<std::size_t>(layer)];
  put(held.keys, chunk.keys, length_, capacity_);
  put(held.values, chunk.values, length_, capacity_);
  put(held.rotated_keys, chunk.rotated_keys, length_, capacity_);
  keep_tail(tails_[static_cast<std::size_t>(layer)], chunk.queries);
  return so_far(layer, length_ + chunk.keys.size(1));
}

LayerKv OpenSegment::extend(int layer, const Decoder::Projections& chunk, const RopeAngles& angles,
                            at::Tensor& queries) {
  CARRYOVER_CHECK(!whole_);
  LayerKv& held = kv_[static_cast<std::size_t>(layer)];
  TailQueries& tail = tails_[static_cast<std::size_t>(layer)];
  const std::int64_t m = chunk.keys.size(1), kv_heads = chunk.keys.size(0), d = chunk.keys.size(2);
  for (at::Tensor* rows : {&held.keys, &held.values, &held.rotated_keys})
    if (!rows->defined()) *rows = at::empty({kv_heads, capacity_, d}, chunk.keys.options());
  const std::int64_t fresh = make_room(tail, chunk.queries);
  queries = ops::extend_on_device(chunk.all, angles.cos, angles.sin,
                                  {held.rotated_keys, held.values, held.keys, length_, tail.rows, tail.end, fresh});
  tail.end += fresh;
  return so_far(layer, length_ + m);
}

at::Tensor OpenSegment::add_received(int layer, at::Tensor of_chunk) {
  at::Tensor& sum = received_[static_cast<std::size_t>(layer)];
  if (sum.defined()) of_chunk.narrow(1, 0, sum.size(1)).add_(sum);
  return sum = std::move(of_chunk);
}

at::Tensor OpenSegment::add_end_queries(int layer, const at::Tensor& of_chunk) {
  if (whole_) return of_chunk;
  at::Tensor& ends = ends_[static_cast<std::size_t>(layer)];
  if (!ends.defined()) return ends = of_chunk.clone();
  if (of_chunk.size(1) > 0) ends = at::cat({ends, of_chunk}, 1);
  return ends;
}

const std::vector<HeadGroup>& OpenSegment::context(const LayerAttention& attention, const PolicyState& state, int layer,
                                                   Rope& rope) {
  auto& groups = contexts_[static_cast<std::size_t>(layer)];
  if (groups.empty()) groups = attention.context(state, layer, rope);
  return groups;
}

OpenSegment::Mark OpenSegment::mark() const {
  CARRYOVER_CHECK(!whole_);
  Mark mark{length_, tails_, received_, ends_};
  for (TailQueries& tail : mark.tails)
    if (tail.rows.defined()) tail.rows = tail.rows.clone();  // make_room() moves rows within the buffer
  return mark;
}

void OpenSegment::rewind(Mark mark) {
  length_ = mark.length;
  tails_ = std::move(mark.tails);
  received_ = std::move(mark.received);
  ends_ = std::move(mark.ends);
}

void OpenSegment::keep(int layer, LayerTrace trace) {
  if (!whole_) return;
  traces_[static_cast<std::size_t>(layer)] = std::move(trace);
  contexts_[static_cast<std::size_t>(layer)].clear();
}

std::vector<LayerTrace> OpenSegment::close(const ForwardContext& context) {
  CARRYOVER_CHECK(length_ > 0);
  if (!whole_) {
    for (std::size_t l = 0; l < kv_.size(); ++l) {
      const LayerKv& held = kv_[l];
      const auto layer = static_cast<int>(l);
      traces_[l] = context.attention_of(layer).trace(
          layer, {last(tails_[l]), held.keys.narrow(1, 0, length_), held.values.narrow(1, 0, length_),
                  held.rotated_keys.narrow(1, 0, length_), received_[l], ends_[l]});
      kv_[l] = {};
      tails_[l] = {};
      received_[l] = ends_[l] = at::Tensor();
    }
  }
  return std::move(traces_);
}

}  // namespace carryover
