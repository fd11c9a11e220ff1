// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/pretended_cuda/kernel_arguments.h"

#include <algorithm>
#include <cstdint>

#include "kernels/extend_segment.h"
#include "kernels/gather_prefix.h"
#include "kernels/join_rows.h"
#include "kernels/list_attention.h"
#include "kernels/place_heads.h"
#include "kernels/pool_topk.h"
#include "kernels/rotate_rows.h"
#include "kernels/row_attention.h"
#include "kernels/select_hits.h"
#include "kernels/swiglu.h"
#include "tests/pretended_cuda/report.h"

namespace carryover::pretended {

namespace {

using namespace kernels;

/// Values that a kernel reads or writes from an address on.
struct Values {
  const char* name;
  const void* address;
  std::int64_t count, bytes_each;
};

void check(const std::string& kernel, std::initializer_list<Values> all) {
  for (const Values& values : all)
    if (values.count > 0)
      pretended_cuda_check((kernel + ", " + values.name).c_str(), values.address, values.count * values.bytes_each);
}

std::int64_t opmath_bytes(Element type) {
  return type == Element::Float64 ? 8 : 4;
}

void check(const std::string& kernel, const PoolTopk& a) {
  const std::int64_t best = std::int64_t{a.heads} * a.summary_count * a.k;
  check(kernel, {{"keys", a.keys, a.entries * a.head_dim, element_bytes(a.key_type)},
                 {"summaries", a.summaries, std::int64_t{a.heads} * a.summary_count * a.head_dim, 4},
                 {"head_slot", a.head_slot, a.heads, 4},
                 {"scores", a.scores, best, 4},
                 {"indices", a.indices, best, 8},
                 {"workspace", a.workspace, 1, 1}});
}

void check(const std::string& kernel, const SelectHits& a) {
  const std::int64_t ranked = std::int64_t{a.heads} * a.summaries * a.row_stride,
                     slots = std::int64_t{a.heads} * a.length;
  check(kernel, {{"scores", a.scores, ranked, 4},
                 {"indices", a.indices, ranked, 8},
                 {"positions", a.positions, slots, 8},
                 {"origins", a.origins, slots, 4}});
}

void check(const std::string& kernel, const GatherPrefix& a) {
  const std::int64_t slots = std::int64_t{a.heads} * a.prefix_length, bytes = element_bytes(a.type);
  check(kernel, {{"pool_keys", a.pool_keys, a.head_dim, bytes},
                 {"pool_values", a.pool_values, a.head_dim, bytes},
                 {"head_slot", a.head_slot, a.heads, 4},
                 {"positions", a.positions, slots, 8},
                 {"keys", a.keys, slots * a.head_dim, bytes},
                 {"values", a.values, slots * a.head_dim, bytes}});
}

void check(const std::string& kernel, const RotateRows& a) {
  const std::int64_t bytes = element_bytes(a.type), angles = std::int64_t{a.length} * (a.head_dim / 2);
  const std::int64_t rows = a.row == nullptr ? a.rows : 1;  // which others are read the device alone knows
  const std::int64_t last = (rows - 1) * a.row_stride + (a.length - 1) * a.position_stride;
  check(kernel, {{"input", a.input, last + a.head_dim, bytes},
                 {"row", a.row, a.row == nullptr ? 0 : a.rows, 4},
                 {"cosine", a.cosine, angles, opmath_bytes(a.type)},
                 {"sine", a.sine, angles, opmath_bytes(a.type)},
                 {"output", a.output, std::int64_t{a.rows} * a.length * a.head_dim, bytes}});
}

void check(const std::string& kernel, const Swiglu& a) {
  const std::int64_t bytes = element_bytes(a.type), values = a.rows * a.inner;
  const bool backward = a.gradient != nullptr;
  check(kernel, {{"input", a.input, 2 * values, bytes},
                 {"gradient", a.gradient, backward ? values : 0, bytes},
                 {"output", a.output, backward ? 2 * values : values, bytes}});
}

/// Checks the rows of `positions` positions of `heads` heads. Only the device knows which rows these are.
void check(const std::string& kernel, const KvRows& a, std::int64_t heads, std::int64_t positions) {
  if (positions > 0) check(kernel, {{"keys", a.keys, 1, 1}, {"values", a.values, 1, 1}, {"row", a.row, heads, 4}});
}

/// The kernel's numbers count units of more than an element.
void check(const std::string& kernel, const JoinRows& a) {
  check(kernel + ", prefix", a.prefix, a.heads, a.prefix_length);
  check(kernel + ", segment", a.segment, a.heads, a.length);
  check(kernel, {{"keys", a.keys, 1, 1}, {"values", a.values, 1, 1}});
}

void check(const std::string& kernel, const RowAttention& a) {
  check(kernel + ", prefix", a.prefix, a.heads, a.prefix_length);
  check(kernel + ", segment", a.segment, a.heads, a.length);
  if (a.reads_other != nullptr) check(kernel + ", other", a.other, a.heads, a.other_length);
  check(kernel, {{"queries", a.queries, a.head_dim, element_bytes(a.type)},
                 {"reads_other", a.reads_other, a.reads_other == nullptr ? 0 : a.heads, 4},
                 {"arrived", a.arrived, a.heads, 4},
                 {"query_row", a.query_row, a.heads, 4},
                 {"output", a.output, std::int64_t{a.heads} * a.head_dim, element_bytes(a.type)},
                 {"workspace", a.workspace, 1, 1}});
}

/// The kernel's numbers count units of more than an element.
void check(const std::string& kernel, const PlaceHeads& a) {
  for (const PlaceHeads::Group& group : a.groups)
    if (group.data != nullptr) check(kernel, {{"a group", group.data, 1, 1}});
  check(kernel, {{"group", a.group, a.heads, 4}, {"row", a.row, a.heads, 4}, {"output", a.output, 1, 1}});
}

void check(const std::string& kernel, const ExtendSegment& a) {
  const std::int64_t bytes = element_bytes(a.type), d = a.head_dim, angles = a.length * (d / 2),
                     end = (a.kv_heads - 1) * a.row_stride + (a.first + a.length) * d,
                     tail = (a.heads - 1) * a.tail_row_stride + (a.tail_first + a.tail_kept) * d;
  check(kernel, {{"projections", a.projections, a.length * (a.heads + 2 * std::int64_t{a.kv_heads}) * d, bytes},
                 {"cosine", a.cosine, angles, opmath_bytes(a.type)},
                 {"sine", a.sine, angles, opmath_bytes(a.type)},
                 {"queries", a.queries, std::int64_t{a.length} * a.heads * d, bytes},
                 {"rotated_keys", a.rotated_keys, end, bytes},
                 {"values", a.values, end, bytes},
                 {"keys", a.keys, a.keys == nullptr ? 0 : end, bytes},
                 {"tail", a.tail, a.tail_kept == 0 ? 0 : tail, bytes}});
}

void check(const std::string& kernel, const ListAttention& a) {
  const std::int64_t bytes = element_bytes(a.type), queries = std::int64_t{a.heads} * a.query_count,
                     lists = std::int64_t{a.heads} / std::max(a.heads_together, 1) * a.row_lists;
  check(kernel + ", prefix", a.prefix, a.heads, a.prefix_length);
  check(kernel + ", segment", a.segment, a.heads, a.length);
  check(kernel, {{"queries", a.queries.data, a.head_dim, bytes},
                 {"apart_queries", a.apart_queries.data, a.apart_queries.data == nullptr ? 0 : a.head_dim, bytes},
                 {"tiles", a.tiles, a.tiles == nullptr ? 0 : a.tile_count, sizeof(QueryTile)},
                 {"lists", a.lists, a.lists == nullptr ? 0 : lists, sizeof(KeyList)},
                 {"output", a.output, queries * a.head_dim, bytes},
                 {"log_sums", a.log_sums, a.log_sums == nullptr ? 0 : queries, 4}});
}

template <typename Arguments>
void check_first(const std::string& kernel, void* const* arguments) {
  check(kernel, *static_cast<const Arguments*>(arguments[0]));
}

constexpr struct {
  const char* kernel;
  void (*check)(const std::string&, void* const*);
} ours[] = {{"score_chunks", check_first<PoolTopk>},        {"merge_chunks", check_first<PoolTopk>},
            {"select_slots", check_first<SelectHits>},      {"gather_rows", check_first<GatherPrefix>},
            {"rotate_packs", check_first<RotateRows>},      {"swiglu_packs", check_first<Swiglu>},
            {"swiglu_backward_packs", check_first<Swiglu>}, {"join_units", check_first<JoinRows>},
            {"attend_chunks", check_first<RowAttention>},   {"place_units", check_first<PlaceHeads>},
            {"extend_packs", check_first<ExtendSegment>},   {"attend_tiles", check_first<ListAttention>},
            {"merge_parts", check_first<ListAttention>}};

}  // namespace

void check_arguments(const std::string& kernel, void* const* arguments) {
  if (kernel.find("carryover") == std::string::npos) return;
  for (const auto& each : ours)
    if (kernel.find(each.kernel) != std::string::npos) return each.check(each.kernel, arguments);
  complain("%s is a kernel of ours whose arguments nobody checks: tests/pretended_cuda/kernel_arguments.cpp",
           kernel.c_str());
}

}  // namespace carryover::pretended
