// SPDX-License-Identifier: GPL-3.0-or-later
#include "examples/kernel_parity/layer_parity.h"

#include "examples/kernel_parity/parity.h"
#include "tests/support/layer_cases.h"
#include "tests/support/select_cases.h"

namespace carryover::parity {

using namespace kernels;
using kernel_cases::Bytes;

namespace {

struct DeviceKv {
  explicit DeviceKv(const kernel_cases::KvCase& c) : keys(c.keys), values(c.values), row(c.row), args(c.args) {
    args.keys = keys.get(), args.values = values.get(), args.row = row.get();
  }
  DeviceArray<std::byte> keys, values;
  DeviceArray<std::int32_t> row;
  KvRows args;
};

KvRows on_host(const kernel_cases::KvCase& c) {
  KvRows args = c.args;
  args.keys = c.keys.data(), args.values = c.values.data(), args.row = c.row.data();
  return args;
}

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
      : input(c.input), cosine(c.cosine), sine(c.sine), output(c.result_bytes()), args(c.args) {
    args.input = input.get(), args.cosine = cosine.get(), args.sine = sine.get(), args.output = output.get();
  }
  DeviceArray<std::byte> input, cosine, sine, output;
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

struct DeviceRowAttention {
  explicit DeviceRowAttention(const kernel_cases::RowAttentionCase& c)
      : queries(c.queries),
        query_row(c.query_row),
        prefix(c.prefix),
        segment(c.segment),
        output(c.result_bytes()),
        workspace(static_cast<std::size_t>(cuda().row_attention_workspace_bytes(c.args))),
        args(c.args) {
    args.queries = queries.get(), args.query_row = query_row.get();
    args.prefix = prefix.args, args.segment = segment.args;
    args.output = output.get(), args.workspace = workspace.get();
  }
  DeviceArray<std::byte> queries;
  DeviceArray<std::int32_t> query_row;
  DeviceKv prefix, segment;
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

bool row_attention_agrees(int n) {
  const auto c = kernel_cases::row_attention_case(n);
  const DeviceRowAttention device(c);
  finish(cuda().row_attention(device.args, nullptr));
  Bytes expected(c.result_bytes());
  RowAttention args = c.args;
  args.queries = c.queries.data(), args.query_row = c.query_row.data();
  args.prefix = on_host(c.prefix), args.segment = on_host(c.segment), args.output = expected.data();
  reference::row_attention(args, nullptr);
  return device.output.guard_intact() && device.workspace.guard_intact() &&
         kernel_cases::agree(device.output.host(), expected, c.args.type, c.tolerance());
}

/// Random bits of ordinary numbers: the times do not depend on them.
Bytes filled(std::int64_t elements) {
  return Bytes(static_cast<std::size_t>(2 * elements), std::byte{0x3c});
}

kernel_cases::KvCase filled_kv(std::int64_t rows, std::int64_t positions, std::int64_t d) {
  kernel_cases::KvCase c;
  c.keys = c.values = filled(rows * positions * d);
  c.args.key_row_stride = c.args.value_row_stride = positions * d;
  c.args.key_position_stride = c.args.value_position_stride = d;
  for (std::int32_t row = 0; row < rows; ++row) c.row.push_back(row);
  return c;
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
  return compare("row_attention", row_attention_agrees) && agree;
}

void time_layer_kernels() {
  time_elementwise();
  time_attention();
}

}  // namespace carryover::parity
