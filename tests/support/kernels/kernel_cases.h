// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs for the kernels, the same on every machine: case n of each kind is a function of n alone. No Qt, no
// torch, so that a GPU machine runs them with nothing installed (examples/kernel_parity). Vectors are drawn from
// multiples of 1/8 in [-4, 4]: products are multiples of 1/64 and all sums are exact in fp32, in any order, so results
// of pool_topk are equal to the last bit and ties are common.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/element.h"
#include "kernels/gather_prefix.h"
#include "kernels/pool_topk.h"

namespace carryover::kernel_cases {

using kernels::Element;
using Bytes = std::vector<std::byte>;
inline constexpr int case_count = 1000;
inline constexpr std::array element_types = {Element::Float32, Element::BFloat16, Element::Float64};

/// std::uniform_int_distribution differs between standard libraries; this does not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed * 2654435761u + 17) {}
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  template <typename T, std::size_t n>
  T one_of(const T (&values)[n]) {
    return values[static_cast<std::size_t>(whole(0, static_cast<std::int64_t>(n) - 1))];
  }
  float eighth() { return static_cast<float>(whole(-32, 32)) / 8; }
  bool chance(int percent) { return whole(0, 99) < percent; }

 private:
  std::mt19937_64 engine_;
};

/// `count` exact numbers in the storage of `type`.
inline std::vector<std::byte> exact_elements(Draw& draw, Element type, std::int64_t count) {
  return kernels::visit_element(type, [&](auto element) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof element);
    for (std::int64_t i = 0; i < count; ++i) {
      kernels::narrow(static_cast<decltype(kernels::to_opmath(element))>(draw.eighth()), element);
      memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof element, &element, sizeof element);
    }
    return bytes;
  });
}

struct PoolTopkCase {
  kernels::PoolTopk args{};  ///< sizes only; who runs it adds the addresses
  std::int64_t capacity = 0;
  std::vector<std::byte> keys;
  std::vector<float> summaries;
  std::vector<std::int32_t> head_slot;

  std::size_t results() const {
    return static_cast<std::size_t>(args.heads) * static_cast<std::size_t>(args.summary_count) *
           static_cast<std::size_t>(args.k);
  }
};

/// Half of the keys become copies of others: whole-key ties, as layer 0 has them.
inline void repeat_some_keys(Draw& draw, PoolTopkCase& c) {
  const auto row = static_cast<std::size_t>(c.args.head_dim * kernels::element_bytes(c.args.key_type));
  const auto rows = static_cast<std::int64_t>(c.keys.size() / row);
  for (std::int64_t i = 0; i < rows; ++i) {
    if (!draw.chance(50)) continue;
    const auto from = static_cast<std::size_t>(draw.whole(0, rows - 1)) * row;
    std::copy_n(c.keys.begin() + static_cast<std::ptrdiff_t>(from), row,
                c.keys.begin() + i * static_cast<std::ptrdiff_t>(row));
  }
}

/// Sizes about every boundary of the kernel: tiles of 128 keys, chunks of 1024, warps, groups of 16, k beyond entries.
inline PoolTopkCase pool_topk_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n));
  PoolTopkCase c;
  c.args.key_type = element_types[static_cast<std::size_t>(n) % element_types.size()];
  c.args.head_dim = draw.one_of({1, 2, 8, 15, 16, 17, 31, 32, 33, 64, 80, 128, 256});
  c.args.heads = static_cast<std::int32_t>(draw.whole(1, 4));
  c.args.summary_count = static_cast<std::int32_t>(draw.chance(20) ? draw.whole(15, 34) : draw.whole(1, 8));
  c.args.k = static_cast<std::int32_t>(draw.chance(20) ? draw.one_of({31, 32, 33, 63, 64}) : draw.whole(1, 20));
  c.args.entries = draw.chance(50) ? draw.whole(0, 400)
                                   : draw.one_of({0, 1, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 2047, 2049, 3000});
  c.capacity = c.args.entries + draw.whole(0, 5);
  c.args.slot_stride = c.capacity * c.args.head_dim;
  const std::int64_t slots = draw.whole(1, c.args.heads);
  c.keys = exact_elements(draw, c.args.key_type, slots * c.args.slot_stride);
  if (draw.chance(33)) repeat_some_keys(draw, c);
  for (std::int64_t i = 0; i < c.args.heads * c.args.summary_count * c.args.head_dim; ++i) {
    c.summaries.push_back(draw.eighth());
  }
  for (int head = 0; head < c.args.heads; ++head) {
    c.head_slot.push_back(static_cast<std::int32_t>(draw.whole(0, slots - 1)));
  }
  return c;
}

struct GatherPrefixCase {
  kernels::GatherPrefix args{};
  std::vector<std::byte> pool_keys, pool_values;
  std::vector<std::int32_t> head_slot;
  std::vector<std::int64_t> positions;

  std::size_t result_bytes() const {
    return static_cast<std::size_t>(args.heads) * static_cast<std::size_t>(args.prefix_length) *
           static_cast<std::size_t>(args.head_dim * kernels::element_bytes(args.type));
  }
};

/// Odd head dimensions take the narrow copies, the usual ones the wide.
inline GatherPrefixCase gather_prefix_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n) + 100000);
  GatherPrefixCase c;
  c.args.type = element_types[static_cast<std::size_t>(n) % element_types.size()];
  c.args.head_dim = draw.one_of({1, 2, 3, 6, 8, 20, 33, 64, 80, 128, 256});
  c.args.heads = static_cast<std::int32_t>(draw.whole(0, 5));
  const std::int64_t capacity = draw.whole(1, 300), slots = draw.whole(1, 4);
  c.args.prefix_length = static_cast<std::int32_t>(draw.whole(0, std::min<std::int64_t>(capacity, 70)));
  c.args.slot_stride = capacity * c.args.head_dim;
  c.pool_keys = exact_elements(draw, c.args.type, slots * c.args.slot_stride);
  c.pool_values = exact_elements(draw, c.args.type, slots * c.args.slot_stride);
  for (int head = 0; head < c.args.heads; ++head) {
    c.head_slot.push_back(static_cast<std::int32_t>(draw.whole(0, slots - 1)));
    std::int64_t position = capacity - c.args.prefix_length;
    for (int p = 0; p < c.args.prefix_length; ++p) c.positions.push_back(position++);
    for (auto p = c.positions.end() - c.args.prefix_length; p != c.positions.end(); ++p) {
      const std::int64_t low = p == c.positions.end() - c.args.prefix_length ? 0 : *(p - 1) + 1;
      *p = draw.whole(low, *p);
    }
  }
  return c;
}

}  // namespace carryover::kernel_cases
