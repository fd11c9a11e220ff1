// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/head_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "engine/core/base/error.h"
#include "engine/ops/prefix_attention.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/device_list.h"

namespace carryover::ops {

namespace {

std::int64_t prefix_length(const HeadAttention& a) {
  return a.prefix_keys.defined() ? a.prefix_keys.size(1) : 0;
}

/// Every `step`-th of `rows`, on the tensors' device.
at::Tensor listed(const std::vector<int>& rows, std::int64_t step, c10::Device device) {
  std::vector<std::int32_t> chosen;
  for (std::size_t i = 0; i < rows.size(); i += static_cast<std::size_t>(step)) chosen.push_back(rows[i]);
  return device_list(chosen, device);
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

/// Whether every position begins at a multiple of 16 bytes.
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

at::Tensor attend_row(const HeadAttention& a) {
  const c10::Device device = a.queries.device();
  const at::Tensor heads = listed(a.heads, 1, device), rows = listed(a.kv_rows, 1, device),
                   prefix_rows = listed(a.prefix_rows, 1, device);
  const auto count = static_cast<std::int64_t>(a.heads.size());
  at::Tensor out = at::empty({count, 1, a.queries.size(2)}, a.queries.options());
  kernels::RowAttention args{};
  args.queries = a.queries.const_data_ptr();
  args.query_row = heads.const_data_ptr<std::int32_t>();
  if (prefix_length(a) > 0) args.prefix = kv_rows(a.prefix_keys, a.prefix_values, prefix_rows);
  args.segment = kv_rows(a.keys, a.values, rows);
  args.type = element_of(a.queries.scalar_type());
  args.heads = static_cast<std::int32_t>(count);
  args.prefix_length = static_cast<std::int32_t>(prefix_length(a));
  args.length = static_cast<std::int32_t>(a.keys.size(1));
  args.head_dim = static_cast<std::int32_t>(a.queries.size(2));
  args.scale = 1.0f / std::sqrt(static_cast<float>(args.head_dim));
  args.output = out.mutable_data_ptr();
  const at::Tensor scratch =
      at::empty({cuda_kernels().row_attention_workspace_bytes(args)}, a.queries.options().dtype(at::kByte));
  args.workspace = scratch.mutable_data_ptr();
  check_cuda(cuda_kernels().row_attention(args, current_stream(device)), "row_attention");
  return out;
}

/// How many query heads read the same rows, if all do in runs of one length; else 1.
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

/// [prefix; segment] of every r-th head: keys and values [heads / r, P + n, d].
std::pair<at::Tensor, at::Tensor> join(const HeadAttention& a, std::int64_t r) {
  const c10::Device device = a.keys.device();
  const at::Tensor rows = listed(a.kv_rows, r, device), prefix_rows = listed(a.prefix_rows, r, device);
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

}  // namespace

bool attends_by_heads(const at::Tensor& queries) {
  return takes_kernels(queries.device()) && !at::GradMode::is_enabled();
}

at::Tensor attend_heads(const HeadAttention& a) {
  if (takes_one_row(a)) return attend_row(a);
  const std::int64_t r = sharing(a), heads = static_cast<std::int64_t>(a.heads.size());
  const auto [keys, values] = join(a, r);
  const std::vector<std::int64_t> rows(a.heads.begin(), a.heads.end());
  const at::Tensor queries = a.queries.index_select(0, device_list(rows, a.queries.device()));
  return prefix_attention({queries.view({heads / r, r, a.queries.size(1), a.queries.size(2)}),
                           {},
                           {},
                           keys.unsqueeze(1),
                           values.unsqueeze(1)})
      .flatten(0, 1);
}

}  // namespace carryover::ops
