// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/head_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/prefix_attention.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/device_list.h"

namespace carryover::ops {

namespace {

std::int64_t prefix_length(const HeadAttention& a) {
  return a.prefix_keys.defined() ? a.prefix_keys.size(1) : 0;
}

/// Returns every `step`-th of `rows`.
std::vector<int> every(std::int64_t step, const std::vector<int>& rows) {
  std::vector<int> chosen;
  for (std::size_t i = 0; i < rows.size(); i += static_cast<std::size_t>(step)) chosen.push_back(rows[i]);
  return chosen;
}

/// Returns true if the rows are consecutive, so that a view has them.
bool consecutive(const std::vector<int>& rows) {
  return std::ranges::adjacent_find(rows, [](int a, int b) { return b != a + 1; }) == rows.end();
}

at::Tensor listed(const std::vector<int>& rows, c10::Device device) {
  return device_list(std::vector<std::int32_t>(rows.begin(), rows.end()), device);
}

kernels::KvRows kv_rows(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& rows) {
  CARRYOVER_CHECK(keys.stride(2) == 1 && values.stride(2) == 1);
  return {keys.const_data_ptr(),
          values.const_data_ptr(),
          keys.stride(0),
          keys.stride(1),
          values.stride(0),
          values.stride(1),
          rows.const_data_ptr<std::int32_t>()};
}

/// Returns true if every position begins at a multiple of 16 bytes.
bool is_aligned(const at::Tensor& kv) {
  if (!kv.defined()) return true;
  const std::int64_t bytes = kv.itemsize();
  return reinterpret_cast<std::uintptr_t>(kv.const_data_ptr()) % 16 == 0 && kv.stride(0) * bytes % 16 == 0 &&
         kv.stride(1) * bytes % 16 == 0 && kv.stride(2) == 1;
}

bool takes_one_row(const HeadAttention& a) {
  return a.queries.size(1) == 1 && a.queries.is_contiguous() &&
         kernels::row_attention_takes(element_of(a.queries.scalar_type()), a.queries.size(2)) &&
         is_aligned(a.queries) && is_aligned(a.prefix_keys) && is_aligned(a.prefix_values) && is_aligned(a.keys) &&
         is_aligned(a.values);
}

/// For each head of a decoded token: the rows of queries, of keys and values and of a prefix that it reads, and whether
/// that is the prefix of the other group.
struct RowLists {
  std::vector<int> query, kv, prefix, reads_other;
};

/// Computes [heads, 1, d] in the order of `lists`. `other`: null, or the group whose prefix some heads read.
at::Tensor attend_listed(const HeadAttention& a, const HeadAttention* other, const RowLists& lists) {
  const c10::Device device = a.queries.device();
  const at::Tensor query = listed(lists.query, device), kv = listed(lists.kv, device),
                   prefix = listed(lists.prefix, device), reads_other = listed(lists.reads_other, device);
  const auto count = std::ssize(lists.query);
  at::Tensor out = at::empty({count, 1, a.queries.size(2)}, a.queries.options());
  kernels::RowAttention args{};
  args.queries = a.queries.const_data_ptr();
  args.query_row = query.const_data_ptr<std::int32_t>();
  args.segment = kv_rows(a.keys, a.values, kv);
  args.prefix_length = static_cast<std::int32_t>(prefix_length(a));
  if (args.prefix_length > 0) args.prefix = kv_rows(a.prefix_keys, a.prefix_values, prefix);
  if (other != nullptr) {
    args.reads_other = reads_other.const_data_ptr<std::int32_t>();
    args.other_length = static_cast<std::int32_t>(prefix_length(*other));
    if (args.other_length > 0) args.other = kv_rows(other->prefix_keys, other->prefix_values, prefix);
  }
  args.type = element_of(a.queries.scalar_type());
  args.heads = static_cast<std::int32_t>(count);
  args.length = static_cast<std::int32_t>(a.keys.size(1));
  args.head_dim = static_cast<std::int32_t>(a.queries.size(2));
  args.scale = attention_scale<float>(args.head_dim);
  args.cap = static_cast<float>(a.score_cap);
  args.output = out.mutable_data_ptr();
  const at::Tensor scratch =
      at::empty({cuda_kernels().row_attention_workspace_bytes(args)}, a.queries.options().dtype(at::kByte));
  args.workspace = scratch.mutable_data_ptr();
  const at::Tensor arrived = device_zeros(count, device);
  args.arrived = arrived.mutable_data_ptr<std::int32_t>();
  check_cuda(cuda_kernels().row_attention(args, current_stream(device)), "row_attention");
  return out;
}

/// Returns how many consecutive query heads read the same rows, if the number is the same for all; else 1.
std::int64_t sharing(const HeadAttention& a) {
  const auto same = [&](std::size_t i, std::size_t j) {
    return a.kv_rows[i] == a.kv_rows[j] && a.prefix_rows[i] == a.prefix_rows[j];
  };
  std::size_t r = 1;
  while (r < a.heads.size() && same(0, r)) ++r;
  if (a.heads.size() % r != 0) return 1;
  for (std::size_t i = 0; i < a.heads.size(); ++i)
    if (!same(i, i / r * r) || (i % r == 0 && i > 0 && same(i, i - 1))) return 1;
  return static_cast<std::int64_t>(r);
}

/// Returns keys and values, [rows, P + n, d] each, of the named rows of prefix and segment.
std::pair<at::Tensor, at::Tensor> join(const HeadAttention& a, const std::vector<int>& kv,
                                       const std::vector<int>& prefix) {
  const c10::Device device = a.keys.device();
  const at::Tensor rows = listed(kv, device), prefix_rows = listed(prefix, device);
  const std::int64_t n = a.keys.size(1), d = a.keys.size(2);
  at::Tensor keys = at::empty({rows.size(0), prefix_length(a) + n, d}, a.keys.options()), values = at::empty_like(keys);
  kernels::JoinRows args{};
  if (prefix_length(a) > 0) args.prefix = kv_rows(a.prefix_keys, a.prefix_values, prefix_rows);
  args.segment = kv_rows(a.keys, a.values, rows);
  args.type = element_of(keys.scalar_type());
  args.heads = static_cast<std::int32_t>(rows.size(0));
  args.prefix_length = static_cast<std::int32_t>(prefix_length(a));
  args.length = static_cast<std::int32_t>(n);
  args.head_dim = static_cast<std::int32_t>(d);
  args.keys = keys.mutable_data_ptr();
  args.values = values.mutable_data_ptr();
  check_cuda(cuda_kernels().join_rows(args, current_stream(device)), "join_rows");
  return {keys, values};
}

/// Returns [prefix; segment] of every r-th head: in place if the rows are consecutive and there is no prefix, else
/// joined.
std::pair<at::Tensor, at::Tensor> in_one_piece(const HeadAttention& a, std::int64_t r) {
  const std::vector<int> kv = every(r, a.kv_rows);
  if (prefix_length(a) > 0 || !consecutive(kv)) return join(a, kv, every(r, a.prefix_rows));
  return {a.keys.narrow(0, kv.front(), std::ssize(kv)), a.values.narrow(0, kv.front(), std::ssize(kv))};
}

at::Tensor queries_of(const HeadAttention& a) {
  if (consecutive(a.heads)) return a.queries.narrow(0, a.heads.front(), std::ssize(a.heads));
  const std::vector<std::int64_t> rows(a.heads.begin(), a.heads.end());
  return a.queries.index_select(0, device_list(rows, a.queries.device()));
}

}  // namespace

bool attends_by_heads(const at::Tensor& queries) {
  return takes_kernels(queries.device()) && !at::GradMode::is_enabled();
}

at::Tensor attend_heads(const HeadAttention& a) {
  if (takes_one_row(a)) return attend_listed(a, nullptr, {a.heads, a.kv_rows, a.prefix_rows, {}});
  const std::int64_t r = sharing(a), heads = std::ssize(a.heads);
  const auto [keys, values] = in_one_piece(a, r);
  return prefix_attention({queries_of(a).view({heads / r, r, a.queries.size(1), a.queries.size(2)}),
                           {},
                           {},
                           keys.unsqueeze(1),
                           values.unsqueeze(1),
                           {},
                           nullptr,
                           a.score_cap})
      .flatten(0, 1);
}

at::Tensor attend_row(std::span<const HeadAttention> groups) {
  const auto heads = static_cast<std::size_t>(groups.front().queries.size(0));
  if (groups.size() > 2 || !std::ranges::all_of(groups, takes_one_row)) return {};
  RowLists lists{std::vector<int>(heads, -1), std::vector<int>(heads), std::vector<int>(heads),
                 std::vector<int>(heads)};
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t i = 0; i < groups[g].heads.size(); ++i) {
      const auto head = static_cast<std::size_t>(groups[g].heads[i]);
      if (lists.query[head] >= 0) return {};  // a branch of a head that another group has
      lists.query[head] = groups[g].heads[i];
      lists.kv[head] = groups[g].kv_rows[i];
      lists.prefix[head] = groups[g].prefix_rows[i];
      lists.reads_other[head] = static_cast<int>(g);
    }
  if (std::ranges::find(lists.query, -1) != lists.query.end()) return {};
  return attend_listed(groups[0], groups.size() == 2 ? &groups[1] : nullptr, lists);
}

std::int64_t most_placed_groups() {
  return kernels::place_heads_max_groups;
}

at::Tensor place_heads(std::span<const PlacedHeads> groups) {
  std::map<int, std::pair<int, int>> places;  // head → group and row
  kernels::PlaceHeads args{};
  CARRYOVER_CHECK(std::ssize(groups) <= most_placed_groups());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const at::Tensor& rows = groups[g].rows;
    CARRYOVER_CHECK(rows.stride(2) == 1);
    args.groups[g] = {rows.const_data_ptr(), rows.stride(0), rows.stride(1)};
    int row = 0;
    for (const int head : groups[g].heads) places[head] = {static_cast<int>(g), row++};
  }
  std::vector<int> group, row;
  for (const auto& [head, place] : places) {
    CARRYOVER_CHECK(head == std::ssize(group));
    group.push_back(place.first);
    row.push_back(place.second);
  }
  const at::Tensor& first = groups[0].rows;
  const c10::Device device = first.device();
  const at::Tensor group_list = listed(group, device), row_list = listed(row, device);
  at::Tensor out = at::empty({first.size(1), std::ssize(group) * first.size(2)}, first.options());
  args.group = group_list.const_data_ptr<std::int32_t>();
  args.row = row_list.const_data_ptr<std::int32_t>();
  args.type = element_of(first.scalar_type());
  args.heads = static_cast<std::int32_t>(group.size());
  args.length = static_cast<std::int32_t>(first.size(1));
  args.head_dim = static_cast<std::int32_t>(first.size(2));
  args.output = out.mutable_data_ptr();
  check_cuda(cuda_kernels().place_heads(args, current_stream(device)), "place_heads");
  return out;
}

std::pair<at::Tensor, at::Tensor> copy_rows(const at::Tensor& keys, const at::Tensor& values,
                                            const std::vector<int>& rows) {
  HeadAttention segment;
  segment.keys = keys;
  segment.values = values;
  return join(segment, rows, {});
}

}  // namespace carryover::ops
