// SPDX-License-Identifier: GPL-3.0-or-later
#include "examples/kernel_parity/layer_parity.h"

#include <algorithm>
#include <deque>

#include "examples/kernel_parity/device_kv.h"
#include "examples/kernel_parity/parity.h"
#include "tests/support/kernels/layer_cases.h"
#include "tests/support/kernels/select_cases.h"

namespace carryover::parity {

using namespace kernels;
using kernel_cases::Bytes;

namespace {

struct DeviceSelectHits {
  explicit DeviceSelectHits(const kernel_cases::SelectHitsCase& c)
      : scores(c.scores), indices(c.indices), positions(c.results()), origins(c.results()), args(c.args) {
    args.scores = scores.get(), args.indices = indices.get();
    args.positions = positions.get(), args.origins = origins.get();
  }
  DeviceArray<float> scores;
  DeviceArray<std::int64_t> indices, positions;
  DeviceArray<std::int32_t> origins;
  SelectHits args;
};

struct DeviceRotateRows {
  explicit DeviceRotateRows(const kernel_cases::RotateRowsCase& c)
      : input(c.input), cosine(c.cosine), sine(c.sine), output(c.result_bytes()), row(c.row), args(c.args) {
    args.input = input.get(), args.cosine = cosine.get(), args.sine = sine.get(), args.output = output.get();
    if (!c.row.empty()) args.row = row.get();
  }
  DeviceArray<std::byte> input, cosine, sine, output;
  DeviceArray<std::int32_t> row;
  RotateRows args;
};

struct DeviceSwiglu {
  DeviceSwiglu(const kernel_cases::SwigluCase& c, bool backward)
      : input(c.input), gradient(c.gradient), output(c.result_bytes(backward)), args(c.args) {
    args.input = input.get(), args.gradient = backward ? gradient.get() : nullptr, args.output = output.get();
  }
  DeviceArray<std::byte> input, gradient, output;
  Swiglu args;
};

struct DeviceJoinRows {
  explicit DeviceJoinRows(const kernel_cases::JoinRowsCase& c)
      : prefix(c.prefix), segment(c.segment), keys(c.result_bytes()), values(c.result_bytes()), args(c.args) {
    args.prefix = prefix.args, args.segment = segment.args, args.keys = keys.get(), args.values = values.get();
  }
  DeviceKv prefix, segment;
  DeviceArray<std::byte> keys, values;
  JoinRows args;
};

struct DevicePlaceHeads {
  explicit DevicePlaceHeads(const kernel_cases::PlaceHeadsCase& c)
      : group(c.group), row(c.row), output(c.result_bytes()), args(c.args) {
    for (std::size_t g = 0; g < c.groups.size(); ++g) args.groups[g].data = groups.emplace_back(c.groups[g]).get();
    args.group = group.get(), args.row = row.get(), args.output = output.get();
  }
  std::deque<DeviceArray<std::byte>> groups;
  DeviceArray<std::int32_t> group, row;
  DeviceArray<std::byte> output;
  PlaceHeads args;
};

struct DeviceExtendSegment {
  explicit DeviceExtendSegment(const kernel_cases::ExtendSegmentCase& c)
      : projections(c.projections),
        cosine(c.cosine),
        sine(c.sine),
        queries(c.query_bytes()),
        rotated_keys(c.kv_bytes()),
        values(c.kv_bytes()),
        keys(c.kv_bytes()),
        tail(c.tail_bytes()),
        args(c.args) {
    args.projections = projections.get(), args.cosine = cosine.get(), args.sine = sine.get();
    args.queries = queries.get(), args.rotated_keys = rotated_keys.get(), args.values = values.get();
    args.keys = c.keeps_keys ? keys.get() : nullptr, args.tail = tail.get();
  }
  DeviceArray<std::byte> projections, cosine, sine, queries, rotated_keys, values, keys, tail;
  ExtendSegment args;
};

struct DeviceRowAttention {
  explicit DeviceRowAttention(const kernel_cases::RowAttentionCase& c)
      : queries(c.queries),
        query_row(c.query_row),
        reads_other(c.reads_other),
        arrived(std::vector<std::int32_t>(static_cast<std::size_t>(c.args.heads))),
        prefix(c.prefix),
        segment(c.segment),
        other(c.other),
        output(c.result_bytes()),
        workspace(static_cast<std::size_t>(cuda().row_attention_workspace_bytes(c.args))),
        args(c.args) {
    args.queries = queries.get(), args.query_row = query_row.get();
    args.prefix = prefix.args, args.segment = segment.args, args.other = other.args;
    if (!c.reads_other.empty()) args.reads_other = reads_other.get();
    args.output = output.get(), args.workspace = workspace.get(), args.arrived = arrived.get();
  }
  DeviceArray<std::byte> queries;
  DeviceArray<std::int32_t> query_row, reads_other, arrived;
  DeviceKv prefix, segment, other;
  DeviceArray<std::byte> output, workspace;
  RowAttention args;
};

bool select_hits_agrees(int n) {
  const auto c = kernel_cases::select_hits_case(n);
  const DeviceSelectHits device(c);
  finish(cuda().select_hits(device.args, nullptr));
  std::vector<std::int64_t> positions(c.results());
  std::vector<std::int32_t> origins(c.results());
  SelectHits args = c.args;
  args.scores = c.scores.data(), args.indices = c.indices.data();
  args.positions = positions.data(), args.origins = origins.data();
  reference::select_hits(args, nullptr);
  return device.positions.host() == positions && device.origins.host() == origins && device.positions.guard_intact() &&
         device.origins.guard_intact();
}

bool rotate_rows_agrees(int n) {
  const auto c = kernel_cases::rotate_rows_case(n);
  const DeviceRotateRows device(c);
  finish(cuda().rotate_rows(device.args, nullptr));
  Bytes expected(c.result_bytes());
  RotateRows args = c.args;
  args.input = c.input.data(), args.cosine = c.cosine.data(), args.sine = c.sine.data(), args.output = expected.data();
  if (!c.row.empty()) args.row = c.row.data();
  reference::rotate_rows(args, nullptr);
  return device.output.guard_intact() &&
         kernel_cases::agree(device.output.host(), expected, c.args.type, c.tolerance());
}

bool swiglu_agrees(int n) {
  const auto c = kernel_cases::swiglu_case(n);
  for (const bool backward : {false, true}) {
    const DeviceSwiglu device(c, backward);
    finish(backward ? cuda().swiglu_backward(device.args, nullptr) : cuda().swiglu(device.args, nullptr));
    Bytes expected(c.result_bytes(backward));
    Swiglu args = c.args;
    args.input = c.input.data(), args.gradient = c.gradient.data(), args.output = expected.data();
    backward ? reference::swiglu_backward(args, nullptr) : reference::swiglu(args, nullptr);
    if (!device.output.guard_intact() ||
        !kernel_cases::agree(device.output.host(), expected, c.args.type, c.tolerance()))
      return false;
  }
  return true;
}

bool join_rows_agrees(int n) {
  const auto c = kernel_cases::join_rows_case(n);
  const DeviceJoinRows device(c);
  finish(cuda().join_rows(device.args, nullptr));
  Bytes keys(c.result_bytes()), values(c.result_bytes());
  JoinRows args = c.args;
  args.prefix = on_host(c.prefix), args.segment = on_host(c.segment);
  args.keys = keys.data(), args.values = values.data();
  reference::join_rows(args, nullptr);
  return device.keys.host() == keys && device.values.host() == values && device.keys.guard_intact() &&
         device.values.guard_intact();
}

bool place_heads_agrees(int n) {
  const auto c = kernel_cases::place_heads_case(n);
  const DevicePlaceHeads device(c);
  finish(cuda().place_heads(device.args, nullptr));
  Bytes expected(c.result_bytes());
  PlaceHeads args = c.args;
  for (std::size_t g = 0; g < c.groups.size(); ++g) args.groups[g].data = c.groups[g].data();
  args.group = c.group.data(), args.row = c.row.data(), args.output = expected.data();
  reference::place_heads(args, nullptr);
  return device.output.host() == expected && device.output.guard_intact();
}

bool extend_segment_agrees(int n) {
  const auto c = kernel_cases::extend_segment_case(n);
  const DeviceExtendSegment device(c);
  Bytes queries = device.queries.host(), rotated_keys = device.rotated_keys.host(), values = device.values.host(),
        keys = device.keys.host(), tail = device.tail.host();  // as they are where nothing is written
  finish(cuda().extend_segment(device.args, nullptr));
  ExtendSegment args = c.args;
  args.projections = c.projections.data(), args.cosine = c.cosine.data(), args.sine = c.sine.data();
  args.queries = queries.data(), args.rotated_keys = rotated_keys.data(), args.values = values.data();
  args.keys = c.keeps_keys ? keys.data() : nullptr, args.tail = tail.data();
  reference::extend_segment(args, nullptr);
  const auto close = [&](const DeviceArray<std::byte>& found, const Bytes& expected) {
    return found.guard_intact() && kernel_cases::agree(found.host(), expected, c.args.type, c.tolerance());
  };
  return close(device.queries, queries) && close(device.rotated_keys, rotated_keys) && close(device.values, values) &&
         close(device.keys, keys) && close(device.tail, tail);
}

bool row_attention_agrees(int n) {
  const auto c = kernel_cases::row_attention_case(n);
  const DeviceRowAttention device(c);
  finish(cuda().row_attention(device.args, nullptr));
  Bytes expected(c.result_bytes());
  RowAttention args = c.args;
  args.queries = c.queries.data(), args.query_row = c.query_row.data();
  args.prefix = on_host(c.prefix), args.segment = on_host(c.segment), args.output = expected.data();
  if (!c.reads_other.empty()) args.other = on_host(c.other), args.reads_other = c.reads_other.data();
  reference::row_attention(args, nullptr);
  const auto arrived = device.arrived.host();
  return device.output.guard_intact() && device.workspace.guard_intact() &&
         std::all_of(arrived.begin(), arrived.end(), [](std::int32_t count) { return count == 0; }) &&
         kernel_cases::agree(device.output.host(), expected, c.args.type, c.tolerance());
}

void print(const char* what, float ms, double bytes) {
  std::printf("%-46s %8.3f ms   %7.1f GB/s\n", what, ms, bytes / 1e6 / ms);
}

void time_elementwise() {
  constexpr std::int32_t heads = 32, tokens = 4096, d = 128, inner = 11008;
  kernel_cases::RotateRowsCase rotate;
  rotate.args = {nullptr, Element::BFloat16, d, 3 * heads * d, nullptr, nullptr, false, heads, tokens, d, nullptr};
  rotate.input = filled(std::int64_t{3} * heads * tokens * d);
  rotate.cosine = rotate.sine = filled(tokens * d);  // fp32: twice the bytes, half the numbers
  const DeviceRotateRows rotated(rotate);
  print("rotate_rows    32 heads, 4096 tokens, bf16",
        median_ms([&] { return cuda().rotate_rows(rotated.args, nullptr); }),
        2.0 * static_cast<double>(rotate.result_bytes()));
  kernel_cases::SwigluCase gates;
  gates.args.type = Element::BFloat16, gates.args.rows = tokens, gates.args.inner = inner;
  gates.input = filled(std::int64_t{2} * tokens * inner);
  const DeviceSwiglu gated(gates, false);
  print("swiglu         4096 tokens of 11008, bf16", median_ms([&] { return cuda().swiglu(gated.args, nullptr); }),
        3.0 * static_cast<double>(gates.result_bytes(false)));
}

void time_placement() {
  constexpr std::int32_t heads = 32, tokens = 4096, d = 128;
  kernel_cases::PlaceHeadsCase place;
  place.args.type = Element::BFloat16, place.args.heads = heads, place.args.length = tokens, place.args.head_dim = d;
  for (int g = 0; g < 2; ++g) {
    place.groups.push_back(filled(heads / 2 * tokens * d));
    place.args.groups[g] = {nullptr, d, heads / 2 * d};
  }
  for (std::int32_t head = 0; head < heads; ++head) place.group.push_back(head % 2), place.row.push_back(head / 2);
  const DevicePlaceHeads placed(place);
  print("place_heads    32 heads of 2 groups, 4096, bf16",
        median_ms([&] { return cuda().place_heads(placed.args, nullptr); }),
        2.0 * static_cast<double>(place.result_bytes()));
  kernel_cases::ExtendSegmentCase extend;
  extend.args.type = Element::BFloat16, extend.args.heads = extend.args.kv_heads = heads;
  extend.args.length = tokens, extend.args.head_dim = d, extend.args.row_stride = std::int64_t{tokens} * d;
  extend.projections = filled(std::int64_t{3} * heads * tokens * d);
  extend.cosine = extend.sine = filled(tokens * d);
  const DeviceExtendSegment extended(extend);
  print("extend_segment 32 heads, 4096 tokens, bf16",
        median_ms([&] { return cuda().extend_segment(extended.args, nullptr); }),
        2.0 * static_cast<double>(extend.projections.size()));
}

void time_attention() {
  constexpr std::int32_t heads = 16, d = 128;
  kernel_cases::JoinRowsCase join;
  join.args.type = Element::BFloat16, join.args.heads = heads, join.args.head_dim = d;
  join.args.prefix_length = 512, join.args.length = 4096;
  join.prefix = filled_kv(heads, 512, d), join.segment = filled_kv(heads, 4096, d);
  const DeviceJoinRows joined(join);
  print("join_rows      16 heads, 512 + 4096, bf16", median_ms([&] { return cuda().join_rows(joined.args, nullptr); }),
        4.0 * static_cast<double>(join.result_bytes()));
  kernel_cases::RowAttentionCase row;
  row.args.type = Element::BFloat16, row.args.heads = heads, row.args.head_dim = d, row.args.scale = 0.01f;
  row.args.prefix_length = 512, row.args.length = 2048;
  row.queries = filled(heads * d);
  row.prefix = filled_kv(heads, 512, d), row.segment = filled_kv(heads, 2048, d);
  row.query_row = row.segment.row;
  const DeviceRowAttention attended(row);
  print("row_attention  16 heads, 512 + 2048, bf16",
        median_ms([&] { return cuda().row_attention(attended.args, nullptr); }), 2.0 * 2 * heads * (512 + 2048) * d);
  kernel_cases::SelectHitsCase select;
  kernel_cases::Draw draw(1);
  select.args.heads = select.args.summaries = select.args.kept = 16, select.args.row_stride = 17;
  select.args.entries = 131072, select.args.anchors = 64, select.args.expand_before = 3, select.args.expand_after = 4;
  select.args.length = 512;
  for (int i = 0; i < heads * 16; ++i) kernel_cases::add_ranked_row(draw, select);
  const DeviceSelectHits selected(select);
  std::printf("select_hits    16 heads, 16 summaries, R = 512     %8.3f ms\n",
              median_ms([&] { return cuda().select_hits(selected.args, nullptr); }));
}

}  // namespace

bool layer_kernels_agree() {
  bool agree = compare("select_hits", select_hits_agrees);
  agree = compare("rotate_rows", rotate_rows_agrees) && agree;
  agree = compare("swiglu", swiglu_agrees) && agree;
  agree = compare("join_rows", join_rows_agrees) && agree;
  agree = compare("place_heads", place_heads_agrees) && agree;
  agree = compare("extend_segment", extend_segment_agrees) && agree;
  return compare("row_attention", row_attention_agrees) && agree;
}

void time_layer_kernels() {
  time_elementwise();
  time_placement();
  time_attention();
}

}  // namespace carryover::parity
