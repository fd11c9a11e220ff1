// SPDX-License-Identifier: GPL-3.0-or-later
// The project's files as they are, for one width of vectors, and each of their loops beside its port. Included in a
// namespace that says what `ports` are and how many `bytes` the vectors have: no #pragma once.
using namespace ::carryover::ops;  // what the files' headers declare
namespace rows {
#include "engine/ops/cpu/simd_rows.cpp"
}
namespace halves {
#include "engine/ops/cpu/weight_halves.cpp"
}
namespace matmul {
#include "engine/ops/cpu/row_matmul.cpp"
}
namespace pool {
#include "engine/ops/cpu/pool_scan.cpp"
}
namespace packed {
#include "engine/ops/cpu/packed_weight.cpp"
}

void compare_softmax() {
  constexpr std::int64_t n = 1024;
  const Lines<float> scores = uniform(n, -20, 0);
  Lines<float> x = scores;
  const auto port = [&](auto softmax) {
    return [&, softmax] {
      std::copy(scores.begin(), scores.end(), x.begin());
      softmax(x.data(), n);
    };
  };
  const auto own = port([](float* row, std::int64_t count) {
    rows::carryover::ops::exponentiate(row, rows::carryover::ops::largest(row, count), count);
  });
  compare("softmax of a row", bytes, "same polynomial", x, own, port(ports::softmax<true>));
  compare("softmax of a row", bytes, "hwy::Exp", x, own, port(ports::softmax<false>));
}

void compare_halves() {
  constexpr std::int64_t n = 4096;
  const Lines<float> values = uniform(n, -1, 1);
  Lines<std::uint16_t> high(values.size()), low(values.size());
  Lines<std::uint32_t> joined(values.size());
  auto* const bf16 = reinterpret_cast<at::BFloat16*>(high.data());
  compare(
      "fp32 to bf16", bytes, "in integers", high, [&] { rows::carryover::ops::store(values.data(), bf16, n); },
      [&] { ports::narrow(values.data(), high.data(), n); });
  halves::carryover::ops::split(reinterpret_cast<const std::uint32_t*>(values.data()), high.data(), low.data(), n);
  compare(
      "halves of a weight joined", bytes, "in integers", joined,
      [&] { halves::carryover::ops::join(high.data(), low.data(), joined.data(), n); },
      [&] { ports::join(high.data(), low.data(), joined.data(), n); });
}

void compare_row_matmul(const char* name, std::int64_t outer) {
  constexpr std::int64_t inner = 1536;
  const auto weight = halves_of(uniform(outer * inner, -1, 1));
  auto x = halves_of(uniform(inner, -1, 1));
  const auto row = matmul::carryover::ops::split(at::from_blob(x.data(), {1, inner}, at::kBFloat16));
  Lines<float> sums(static_cast<std::size_t>(outer));
  Lines<std::uint16_t> out(sums.size());
  const auto own = [&] { matmul::carryover::ops::multiply_rows(weight.data(), row, out.data(), 0, outer, inner); };
  const auto port = [&](auto multiply) {
    return [&, multiply] {
      multiply(weight.data(), x.data(), row.even.data(), row.odd.data(), sums.data(), outer, inner);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = at::BFloat16(sums[i]).x;
    };
  };
  compare(name, bytes, "same sums", out, own, port(ports::multiply_rows<true>));
  compare(name, bytes, "ReorderWidenMulAccumulate", out, own, port(ports::multiply_rows<false>));
}

void compare_pool_scan() {
  constexpr std::int64_t d = 64;
  volatile std::int64_t width = d;  // else the project's loop is compiled for it
  const auto summaries = uniform(16 * d, -1, 1), keys = uniform(6 * d, -1, 1);
  const Lines<float> floors(16, 1e9f);
  Lines<float> scores(6 * 16);
  compare(
      "pool scan's tile", bytes, "same sums", scores,
      [&] { pool::carryover::ops::score_tile(summaries.data(), keys.data(), width, floors.data(), scores.data()); },
      [&] { ports::score_tile(summaries.data(), keys.data(), width, floors.data(), scores.data()); });
}

void compare_packed() {
  constexpr std::int64_t inner = 1536;
  const at::Tensor weight = carryover::ops::empty_packed(16, inner);
  const auto values = uniform(16 * inner, -1, 1), x = uniform(inner, -1, 1);
  carryover::ops::pack_weight_rows(values.data(), 0, 16, weight);
  const packed::carryover::ops::RoundedRow row(x.data(), inner);
  const auto group = packed::carryover::ops::group_of(weight, 0);
  constexpr auto multiply =
      bytes == 64 ? packed::carryover::ops::multiply_group_vnni : packed::carryover::ops::multiply_group_avx2;
  Lines<float> out(16);
  compare(
      "8-bit weights", bytes, "16-bit pairs", out, [&] { multiply(group, row, out.data()); },
      [&] {
        ports::multiply_group(group.bytes, group.blocks, row.pairs.data(), row.scales.data(), row.offsets.data(),
                              out.data());
      });
}
