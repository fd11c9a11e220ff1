// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs for the kernels of a decoder layer, and how far a result may lie from the reference's: case n is a
// function of n alone (see kernel_cases.h).
#pragma once
#include <cmath>
#include <limits>

#include "kernels/extend_segment.h"
#include "kernels/join_rows.h"
#include "kernels/place_heads.h"
#include "kernels/rotate_rows.h"
#include "kernels/row_attention.h"
#include "kernels/swiglu.h"
#include "tests/support/kernels/kernel_cases.h"

namespace carryover::kernel_cases {

/// Numbers in `bytes`, converted to double.
inline std::vector<double> numbers(const Bytes& bytes, Element type) {
  return kernels::visit_element(type, [&](auto element) {
    std::vector<double> result;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof element) {
      memcpy(&element, bytes.data() + at, sizeof element);
      result.push_back(static_cast<double>(kernels::to_opmath(element)));
    }
    return result;
  });
}

/// Rounding of one operation on a number of magnitude `largest`, `operations` of them in the opmath type and one in
/// `type`.
inline double rounding(Element type, double largest, double operations) {
  const double opmath = type == Element::Float64 ? std::numeric_limits<double>::epsilon()
                                                 : static_cast<double>(std::numeric_limits<float>::epsilon());
  return largest * (operations * opmath + (type == Element::BFloat16 ? 1.0 / 128 : 0.0));
}

/// Equal within `tolerance`, NaN nowhere.
inline bool agree(const Bytes& a, const Bytes& b, Element type, double tolerance) {
  const std::vector<double> x = numbers(a, type), y = numbers(b, type);
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(x[i] - y[i]) <= tolerance)) return false;
  return true;
}

/// Compares arrays that have holes, which are NaN or huge on both sides.
inline bool agree_where_written(const Bytes& a, const Bytes& b, Element type, double tolerance) {
  const std::vector<double> x = numbers(a, type), y = numbers(b, type);
  const auto is_hole = [](double number) { return !(std::abs(number) < 1e30); };
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (is_hole(x[i]) != is_hole(y[i]) || (!is_hole(x[i]) && !(std::abs(x[i] - y[i]) <= tolerance))) return false;
  return true;
}

inline std::size_t bytes_of(Element type, std::int64_t count) {
  return static_cast<std::size_t>(count * kernels::element_bytes(type));
}

struct RotateRowsCase {
  kernels::RotateRows args{};
  Bytes input, cosine, sine;
  std::vector<std::int32_t> row;  ///< empty: in their own order
  std::size_t result_bytes() const {
    return bytes_of(args.type, std::int64_t{args.rows} * args.length * args.head_dim);
  }
  double tolerance() const { return rounding(args.type, 8, 4); }  // two products of numbers up to 4
};

/// Inputs as the engine's: heads side by side at each position, or one head after the other.
inline RotateRowsCase rotate_rows_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n) + 400000);
  RotateRowsCase c;
  c.args.type = element_types[static_cast<std::size_t>(n) % element_types.size()];
  c.args.head_dim = draw.one_of({2, 6, 8, 16, 20, 32, 64, 128});
  c.args.rows = static_cast<std::int32_t>(draw.whole(0, 4));
  c.args.length = static_cast<std::int32_t>(draw.whole(0, 40));
  c.args.backwards = draw.chance(50);
  const std::int64_t spare = draw.whole(0, 2);  // heads that are not this tensor's
  const bool by_position = draw.chance(60);
  c.args.row_stride = by_position ? c.args.head_dim : c.args.length * c.args.head_dim;
  c.args.position_stride = by_position ? (c.args.rows + spare) * c.args.head_dim : c.args.head_dim;
  c.input = exact_elements(draw, c.args.type, (c.args.rows + spare) * std::int64_t{c.args.length} * c.args.head_dim);
  const Element opmath = c.args.type == Element::Float64 ? Element::Float64 : Element::Float32;
  kernels::visit_element(opmath, [&](auto element) {
    for (int i = 0; i < c.args.length * c.args.head_dim / 2; ++i) {
      const double angle = static_cast<double>(draw.whole(0, 1000)) / 100;
      for (auto [to, value] : {std::pair(&c.cosine, std::cos(angle)), std::pair(&c.sine, std::sin(angle))}) {
        kernels::narrow(static_cast<decltype(kernels::to_opmath(element))>(value), element);
        const auto* from = reinterpret_cast<const std::byte*>(&element);
        to->insert(to->end(), from, from + sizeof element);
      }
    }
    return 0;
  });
  if (draw.chance(50))
    for (int i = 0; i < c.args.rows; ++i) c.row.push_back(static_cast<std::int32_t>(draw.whole(0, c.args.rows - 1)));
  c.args.by_position = draw.chance(50);
  return c;
}

struct SwigluCase {
  kernels::Swiglu args{};
  Bytes input, gradient;
  std::size_t result_bytes(bool backward) const {
    return bytes_of(args.type, args.rows * args.inner * (backward ? 2 : 1));
  }
  double tolerance() const { return rounding(args.type, 64, 16); }  // gate, up and gradient are up to 4 in magnitude
};

inline SwigluCase swiglu_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n) + 500000);
  SwigluCase c;
  c.args.type = element_types[static_cast<std::size_t>(n) % element_types.size()];
  c.args.rows = draw.whole(0, 5);
  c.args.inner = static_cast<std::int32_t>(draw.chance(50) ? draw.whole(1, 70) : 8 * draw.whole(1, 400));
  c.input = exact_elements(draw, c.args.type, c.args.rows * c.args.inner * 2);
  c.gradient = exact_elements(draw, c.args.type, c.args.rows * c.args.inner);
  c.args.gelu = draw.chance(50);
  return c;
}

/// Keys and values of some heads, dense or strided, and which head reads which.
struct KvCase {
  Bytes keys, values;
  std::vector<std::int32_t> row;
  kernels::KvRows args{};
};

inline KvCase kv_case(Draw& draw, Element type, std::int64_t heads, std::int64_t positions, std::int64_t d) {
  KvCase c;
  const std::int64_t rows = draw.whole(1, 3), spare = draw.whole(0, 4);
  const bool by_position = draw.chance(50);
  c.args.key_row_stride = (positions + spare) * d;
  c.args.key_position_stride = d;
  c.args.value_row_stride = by_position ? d : positions * d;
  c.args.value_position_stride = by_position ? rows * d : d;
  c.keys = exact_elements(draw, type, rows * (positions + spare) * d);
  c.values = exact_elements(draw, type, rows * positions * d);
  for (std::int64_t head = 0; head < heads; ++head) c.row.push_back(static_cast<std::int32_t>(draw.whole(0, rows - 1)));
  return c;
}

struct JoinRowsCase {
  kernels::JoinRows args{};
  KvCase prefix, segment;
  std::size_t result_bytes() const {
    return bytes_of(args.type, std::int64_t{args.heads} * (args.prefix_length + args.length) * args.head_dim);
  }
};

inline JoinRowsCase join_rows_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n) + 600000);
  JoinRowsCase c;
  c.args.type = element_types[static_cast<std::size_t>(n) % element_types.size()];
  c.args.head_dim = draw.one_of({1, 3, 6, 8, 20, 64, 128});
  c.args.heads = static_cast<std::int32_t>(draw.whole(0, 4));
  c.args.prefix_length = static_cast<std::int32_t>(draw.chance(30) ? 0 : draw.whole(1, 30));
  c.args.length = static_cast<std::int32_t>(draw.whole(1, 60));
  c.prefix = kv_case(draw, c.args.type, c.args.heads, c.args.prefix_length, c.args.head_dim);
  c.segment = kv_case(draw, c.args.type, c.args.heads, c.args.length, c.args.head_dim);
  return c;
}

struct RowAttentionCase {
  kernels::RowAttention args{};
  Bytes queries;
  std::vector<std::int32_t> query_row, reads_other;  ///< the latter empty: there is one prefix
  KvCase prefix, segment, other;
  std::size_t result_bytes() const { return bytes_of(args.type, std::int64_t{args.heads} * args.head_dim); }
  double tolerance() const { return rounding(args.type, 4, 400); }  // scores up to 200 are rounded before exp
};

/// Fp32 and bf16; around the borders of a group of four keys, a warp's turn and a chunk.
inline RowAttentionCase row_attention_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n) + 700000);
  RowAttentionCase c;
  c.args.type = n % 2 == 0 ? Element::Float32 : Element::BFloat16;
  c.args.head_dim = draw.one_of({64, 128, 256});
  c.args.heads = static_cast<std::int32_t>(draw.whole(0, 3));
  c.args.prefix_length = draw.one_of({0, 0, 1, 4, 17, 64});
  c.args.length = draw.chance(50) ? static_cast<std::int32_t>(draw.whole(1, 40))
                                  : draw.one_of({60, 63, 64, 65, 111, 127, 128, 129, 300});
  c.args.scale = 1 / std::sqrt(static_cast<float>(c.args.head_dim));
  if (n % 5 == 1) c.args.cap = 0.7F;
  const std::int64_t rows = draw.whole(1, 5);
  c.queries = exact_elements(draw, c.args.type, rows * c.args.head_dim);
  for (int head = 0; head < c.args.heads; ++head)
    c.query_row.push_back(static_cast<std::int32_t>(draw.whole(0, rows - 1)));
  c.prefix = kv_case(draw, c.args.type, c.args.heads, c.args.prefix_length, c.args.head_dim);
  c.segment = kv_case(draw, c.args.type, c.args.heads, c.args.length, c.args.head_dim);
  if (draw.chance(50)) return c;
  c.args.other_length = draw.one_of({0, 1, 5, 130, 260});
  c.other = kv_case(draw, c.args.type, c.args.heads, c.args.other_length, c.args.head_dim);
  for (int head = 0; head < c.args.heads; ++head) c.reads_other.push_back(draw.chance(50));
  return c;
}

struct PlaceHeadsCase {
  kernels::PlaceHeads args{};
  std::vector<Bytes> groups;
  std::vector<std::int32_t> group, row;
  std::size_t result_bytes() const {
    return bytes_of(args.type, std::int64_t{args.heads} * args.length * args.head_dim);
  }
};

/// Groups as attention leaves them: one head after the other, or heads side by side at each position.
inline PlaceHeadsCase place_heads_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n) + 800000);
  PlaceHeadsCase c;
  c.args.type = element_types[static_cast<std::size_t>(n) % element_types.size()];
  c.args.head_dim = draw.one_of({1, 3, 6, 8, 20, 64, 128});
  c.args.length = static_cast<std::int32_t>(draw.whole(0, 30));
  for (std::int64_t g = draw.whole(1, kernels::place_heads_max_groups); g > 0; --g) {
    const std::int64_t heads = draw.whole(1, 4), d = c.args.head_dim, length = c.args.length;
    auto& group = c.args.groups[c.groups.size()];
    const bool by_position = draw.chance(50);
    group.head_stride = by_position ? d : length * d;
    group.position_stride = by_position ? heads * d : d;
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto place = static_cast<std::ptrdiff_t>(draw.whole(0, c.args.heads++));  // among those before it
      c.group.insert(c.group.begin() + place, static_cast<std::int32_t>(c.groups.size()));
      c.row.insert(c.row.begin() + place, static_cast<std::int32_t>(head));
    }
    c.groups.push_back(exact_elements(draw, c.args.type, heads * length * d));
  }
  return c;
}

struct ExtendSegmentCase {
  kernels::ExtendSegment args{};
  Bytes projections, cosine, sine;
  std::int64_t capacity = 0, tail_capacity = 0;  ///< positions of a row
  bool keeps_keys = false;
  std::size_t query_bytes() const {
    return bytes_of(args.type, std::int64_t{args.length} * args.heads * args.head_dim);
  }
  std::size_t kv_bytes() const { return bytes_of(args.type, args.kv_heads * args.row_stride); }
  std::size_t tail_bytes() const { return bytes_of(args.type, args.heads * args.tail_row_stride); }
  double tolerance() const { return rounding(args.type, 8, 4); }  // two products of numbers up to 4
};

inline ExtendSegmentCase extend_segment_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n) + 900000);
  ExtendSegmentCase c;
  c.args.type = element_types[static_cast<std::size_t>(n) % element_types.size()];
  c.args.head_dim = draw.one_of({2, 6, 8, 16, 20, 32, 64, 128});
  c.args.kv_heads = static_cast<std::int32_t>(draw.whole(1, 3));
  c.args.heads = c.args.kv_heads * static_cast<std::int32_t>(draw.whole(1, 3));
  c.args.length = static_cast<std::int32_t>(draw.chance(50) ? 1 : draw.whole(0, 30));
  c.args.first = draw.whole(0, 20);
  c.capacity = c.args.first + c.args.length + draw.whole(0, 5);
  c.args.row_stride = c.capacity * c.args.head_dim;
  c.keeps_keys = draw.chance(70);
  c.args.tail_kept = static_cast<std::int32_t>(draw.whole(0, std::min<std::int64_t>(c.args.length, 8)));
  c.args.tail_first = draw.whole(0, 8);
  c.tail_capacity = c.args.tail_first + c.args.tail_kept + draw.whole(0, 3);
  c.args.tail_row_stride = c.tail_capacity * c.args.head_dim;
  const std::int64_t rows = c.args.heads + 2 * std::int64_t{c.args.kv_heads};
  c.projections = exact_elements(draw, c.args.type, rows * c.args.length * c.args.head_dim);
  const Element opmath = c.args.type == Element::Float64 ? Element::Float64 : Element::Float32;
  const std::int64_t angles = std::int64_t{c.args.length} * (c.args.head_dim / 2);
  c.cosine = exact_elements(draw, opmath, angles);  // no angle has them, which no sum needs
  c.sine = exact_elements(draw, opmath, angles);
  return c;
}

}  // namespace carryover::kernel_cases
