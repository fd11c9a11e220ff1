// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/prefix_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "engine/core/base/error.h"
#include "engine/ops/cpu/bf16_attention.h"
#include "engine/ops/cpu/opmath_attention.h"
#include "engine/ops/cpu/row_attention.h"

namespace carryover::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

at::Tensor share(const at::Tensor& kv, std::int64_t r) {
  return kv.size(1) == r ? kv : kv.expand({kv.size(0), r, kv.size(2), kv.size(3)});
}

std::vector<KvBlock> split(const at::Tensor& queries, const at::Tensor& prefix_keys, const at::Tensor& prefix_values,
                           const at::Tensor& keys, const at::Tensor& values) {
  const std::int64_t r = queries.size(1), m = queries.size(2), n = keys.size(2);
  CARRYOVER_CHECK(n >= m);
  std::vector<KvBlock> parts;
  if (prefix_keys.defined() && prefix_keys.size(2) > 0)
    parts.push_back({share(prefix_keys, r), share(prefix_values, r), false});
  const at::Tensor k = share(keys, r), v = share(values, r);
  if (m == 1) {  // a decoded token: causality is no mask at all
    parts.push_back({k, v, false});
  } else {
    if (n > m) parts.push_back({k.narrow(2, 0, n - m), v.narrow(2, 0, n - m), false});
    parts.push_back({k.narrow(2, n - m, m), v.narrow(2, n - m, m), true});
  }
  return parts;
}

std::pair<at::Tensor, at::Tensor> attend_cpu(const at::Tensor& queries, const std::vector<KvBlock>& parts) {
  if (queries.size(2) == 1) return attend_row(queries, parts);
  if (has_bf16_attention(queries)) return attend_bf16(queries, parts);
  return attend_opmath(queries, parts);
}

AttentionGradients attend_cpu_backward(const at::Tensor& gradient, const at::Tensor& queries,
                                       const std::vector<KvBlock>& parts, const at::Tensor& out,
                                       const at::Tensor& lse) {
  const bool in_bf16 = queries.size(2) > 1 && has_bf16_attention(queries);
  return in_bf16 ? attend_bf16_backward(gradient, queries, parts, out, lse)
                 : attend_opmath_backward(gradient, queries, parts, out, lse);
}

struct CpuAttention : Function<CpuAttention> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& queries, const at::Tensor& prefix_keys,
                            const at::Tensor& prefix_values, const at::Tensor& keys, const at::Tensor& values) {
    auto [out, lse] = attend_cpu(queries, split(queries, prefix_keys, prefix_values, keys, values));
    context->save_for_backward({queries, prefix_keys, prefix_values, keys, values, out, lse});
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &queries = saved[0], &prefix_keys = saved[1], &prefix_values = saved[2], &keys = saved[3],
                     &values = saved[4];
    auto parts = split(queries, prefix_keys, prefix_values, keys, values);
    const bool has_prefix = prefix_keys.size(2) > 0;
    if (has_prefix) parts[0].fixed = !context->needs_input_grad(1) && !context->needs_input_grad(2);
    auto to = attend_cpu_backward(gradients[0], queries, parts, saved[5], saved[6]);
    KvBlock to_prefix;
    if (has_prefix) {
      if (!parts[0].fixed)
        to_prefix = {to.parts[0].keys.sum_to_size(prefix_keys.sizes()),
                     to.parts[0].values.sum_to_size(prefix_values.sizes())};
      to.parts.erase(to.parts.begin());
    }
    std::vector<at::Tensor> to_keys, to_values;  // in order of position
    for (const KvBlock& part : to.parts) {
      to_keys.push_back(part.keys);
      to_values.push_back(part.values);
    }
    CARRYOVER_CHECK(!to_keys.empty());
    const auto join = [](const std::vector<at::Tensor>& rows) { return rows.size() == 1 ? rows[0] : at::cat(rows, 2); };
    return {to.queries, to_prefix.keys, to_prefix.values, join(to_keys).sum_to_size(keys.sizes()),
            join(to_values).sum_to_size(values.sizes())};
  }
};

/// CUDA: FlashAttention is bottom-right causal, so [prefix; segment] is one call where it takes the dtype. One KV head
/// serves all r query heads of its group there, unless the group's prefixes differ.
at::Tensor attend_cuda(const PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1), m = a.queries.size(2);
  at::Tensor keys = a.keys, values = a.values;
  if (a.prefix_keys.defined() && a.prefix_keys.size(2) > 0) {
    const std::int64_t rows = std::max(keys.size(1), a.prefix_keys.size(1));
    keys = at::cat({share(a.prefix_keys, rows), share(keys, rows)}, 2);
    values = at::cat({share(a.prefix_values, rows), share(values, rows)}, 2);
  }
  if (a.queries.scalar_type() == at::kBFloat16 && a.queries.size(3) % 8 == 0 && a.queries.size(3) <= 256)
    return std::get<0>(at::_scaled_dot_product_flash_attention(a.queries, keys, values, 0.0, m > 1));
  const std::int64_t n = keys.size(2);
  const at::Tensor visible = at::ones({m, n}, a.queries.options().dtype(at::kBool)).tril(n - m);
  return at::scaled_dot_product_attention(a.queries, share(keys, r), share(values, r), visible);
}

}  // namespace

at::Tensor prefix_attention(const PrefixAttention& a) {
  if (!a.queries.is_cpu()) return attend_cuda(a);
  if (!at::GradMode::is_enabled())
    return attend_cpu(a.queries, split(a.queries, a.prefix_keys, a.prefix_values, a.keys, a.values)).first;
  // Autograd functions take defined tensors only: no prefix is a prefix of no keys.
  const bool has_prefix = a.prefix_keys.defined();
  const at::Tensor none = has_prefix ? at::Tensor() : a.keys.narrow(2, 0, 0).detach();
  return CpuAttention::apply(a.queries, has_prefix ? a.prefix_keys : none, has_prefix ? a.prefix_values : none, a.keys,
                             a.values);
}

}  // namespace carryover::ops
