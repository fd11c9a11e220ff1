// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs for list_attention, and how far a result may lie from the reference's: case n is a function of n alone
// (see kernel_cases.h).
#pragma once
#include "kernels/list_attention.h"
#include "tests/support/kernels/layer_cases.h"

namespace carryover::kernel_cases {

struct ListAttentionCase {
  kernels::ListAttention args{};
  Bytes queries, apart_queries;
  KvCase prefix, segment;
  std::vector<kernels::QueryTile> tiles;
  std::vector<kernels::KeyList> lists;
  std::vector<kernels::KeyRun> runs;

  std::int64_t results() const { return std::int64_t{args.heads} * args.query_count; }
  std::size_t result_bytes() const { return bytes_of(args.type, results() * args.head_dim); }
  /// Scores up to 500 are rounded before exp; weights of bf16 values are rounded too.
  double tolerance() const { return rounding(args.type, 4, 1000) + (args.type == Element::BFloat16 ? 4.0 / 128 : 0.0); }
  std::int32_t places() const { return args.prefix_length + args.length; }
};

/// Ascending runs, without overlap, of `places`; none in one list of five.
inline void add_key_list(Draw& draw, ListAttentionCase& c) {
  kernels::KeyList list{static_cast<std::int32_t>(c.runs.size()), 0, 0};
  const bool single = draw.chance(30);  // keys, as columns are
  std::int64_t place = draw.chance(20) ? c.places() : draw.whole(0, c.places() / 2);
  while (place < c.places()) {
    const std::int64_t length = single ? 1 : draw.whole(1, std::min<std::int64_t>(c.places() - place, 40));
    c.runs.push_back({static_cast<std::int32_t>(place), list.keys});
    ++list.runs;
    list.keys += static_cast<std::int32_t>(length);
    place += length + draw.whole(1, single ? 5 : 60);
  }
  c.lists.push_back(list);
}

/// Tiles of any lengths, two of which may have one list; keys behind a query are in its list, too.
inline void add_lists(Draw& draw, ListAttentionCase& c) {
  const bool of_heads = c.args.heads_together > 1;
  for (std::int32_t first = 0; first < c.args.query_count;) {
    const auto count =
        static_cast<std::int32_t>(of_heads ? 1 : draw.whole(1, std::min(64, c.args.query_count - first)));
    if (c.tiles.empty() || draw.chance(90)) ++c.args.row_lists;
    c.tiles.push_back({first, count, c.args.row_lists - 1});
    c.args.most_together = std::max(c.args.most_together, of_heads ? c.args.heads_together : count);
    first += count;
  }
  c.args.tile_count = static_cast<std::int32_t>(c.tiles.size());
  for (std::int32_t i = 0; i < c.args.heads / c.args.heads_together * c.args.row_lists; ++i) add_key_list(draw, c);
  c.args.bands[0] = {0, c.places(), 0, kernels::unlimited_reach, false};
  c.args.band_count = 1;
}

/// The first keys, copies behind them, and the last ones.
inline void add_window(Draw& draw, ListAttentionCase& c) {
  const auto all = static_cast<std::int32_t>(c.places()),
             window = static_cast<std::int32_t>(draw.chance(30) ? draw.whole(1, 4) : draw.whole(1, all + 3)),
             sinks = static_cast<std::int32_t>(draw.chance(40) ? 0 : draw.whole(0, std::min(6, all))),
             far = static_cast<std::int32_t>(
                 draw.chance(50) ? 0 : draw.whole(0, std::max(0, c.args.prefix_length - sinks)));
  const bool apart = draw.chance(50);
  if (sinks > 0) c.args.bands[c.args.band_count++] = {0, sinks, 0, kernels::unlimited_reach, apart};
  if (far > 0) c.args.bands[c.args.band_count++] = {sinks, sinks + far, window + far, kernels::unlimited_reach, apart};
  c.args.bands[c.args.band_count++] = {sinks + far, all, 0, window, false};
  c.args.tile_count = (c.args.query_count + 63) / 64;
  c.args.most_together = std::min(c.args.query_count, 64);
}

/// Fp32 and bf16, lists and windows; heads that attend alone or together, one query or several tiles, a few tiles of so
/// many keys that they are cut.
inline ListAttentionCase list_attention_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n) + 800000);
  ListAttentionCase c;
  c.args.type = n % 2 == 0 ? Element::Float32 : Element::BFloat16;
  c.args.head_dim = draw.one_of({64, 64, 64, 128, 256});
  const bool listed = draw.chance(60);
  c.args.heads_together = listed ? draw.one_of({1, 1, 2, 3, 20}) : 1;
  c.args.heads = static_cast<std::int32_t>(draw.whole(0, 2)) * c.args.heads_together;
  const bool few = c.args.heads_together > 1 || draw.chance(30);
  c.args.query_count = static_cast<std::int32_t>(few ? draw.whole(1, 6) : draw.whole(1, 140));
  c.args.length = c.args.query_count + static_cast<std::int32_t>(draw.chance(50) ? 0 : draw.whole(1, 40));
  c.args.prefix_length = few && draw.chance(30) ? 600 : draw.one_of({0, 0, 1, 5, 33, 70});
  c.args.scale = 1 / std::sqrt(static_cast<float>(c.args.head_dim));
  if (n % 5 == 1) c.args.cap = 0.7F;
  const std::int64_t d = c.args.head_dim, spare = draw.whole(0, 2);
  const bool by_position = draw.chance(50);
  c.args.queries = {nullptr, by_position ? d : c.args.query_count * d, by_position ? (c.args.heads + spare) * d : d};
  c.args.apart_queries = c.args.queries;
  c.queries = exact_elements(draw, c.args.type, (c.args.heads + spare) * c.args.query_count * d);
  c.apart_queries = exact_elements(draw, c.args.type, (c.args.heads + spare) * c.args.query_count * d);
  c.prefix = kv_case(draw, c.args.type, c.args.heads, c.args.prefix_length, d);
  c.segment = kv_case(draw, c.args.type, c.args.heads, c.args.length, d);
  for (KvCase* kv : {&c.prefix, &c.segment})
    for (std::int32_t head = 0; head < c.args.heads; ++head) {
      const auto first = static_cast<std::size_t>(head / c.args.heads_together * c.args.heads_together);
      kv->row[static_cast<std::size_t>(head)] = kv->row[first];
    }
  listed ? add_lists(draw, c) : add_window(draw, c);
  return c;
}

/// Equal within `tolerance`, and where one is infinite so is the other.
inline bool log_sums_agree(const std::vector<float>& a, const std::vector<float>& b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::abs(double{a[i]} - double{b[i]}) <= tolerance)) return false;
  return a.size() == b.size();
}

}  // namespace carryover::kernel_cases
