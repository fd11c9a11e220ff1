// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/prefix_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/core/base/error.h"
#include "engine/ops/cpu/bf16_attention.h"
#include "engine/ops/cpu/opmath_attention.h"
#include "engine/ops/cpu/row_attention.h"
#include "engine/runtime/compute_type.h"

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
    parts.push_back({share(prefix_keys, r), share(prefix_values, r)});
  const at::Tensor k = share(keys, r), v = share(values, r);
  if (m == 1) {  // a decoded token: causality is no mask at all
    parts.push_back({k, v});
  } else {
    if (n > m) parts.push_back({k.narrow(2, 0, n - m), v.narrow(2, 0, n - m)});
    parts.push_back({k.narrow(2, n - m, m), v.narrow(2, n - m, m), -KvBlock::kUnbounded, 1});
  }
  return parts;
}

/// Keys [first, end) of `from`, whose first key is the `place`-th of [prefix; segment]; of m queries the i-th is its
/// `query` + i-th.
void add_part(std::vector<KvBlock>& parts, const KvBlock& from, std::int64_t first, std::int64_t end,
              std::int64_t place, std::int64_t query, std::int64_t m, std::int64_t window) {
  if (first >= end) return;
  const std::int64_t ahead = query - place - first;  // of the first query, beyond the part's first key
  KvBlock part{from.keys.narrow(2, first, end - first),
               from.values.narrow(2, first, end - first),
               window > 0 ? ahead - window + 1 : -KvBlock::kUnbounded,
               ahead + 1,
               false,
               from.queries};
  if (m == 1) {  // what a decoded token sees, and nothing to leave out
    const std::int64_t seen = part.first_seen(0), count = part.end_seen(0) - seen;
    if (count <= 0) return;
    part = {part.keys.narrow(2, seen, count), part.values.narrow(2, seen, count)};
    part.queries = from.queries;
  }
  parts.push_back(part);
}

/// The sinks, which each query sees that stands behind them, and of the rest the window's last keys.
std::vector<KvBlock> split_window(const PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1), m = a.queries.size(2), n = a.keys.size(2);
  const std::int64_t before = a.prefix_keys.defined() ? a.prefix_keys.size(2) : 0, query = before + n - m;
  const std::int64_t sinks = std::min(a.window.sinks, before + n);
  std::vector<KvBlock> parts;
  const auto add = [&](const at::Tensor& keys, const at::Tensor& values, std::int64_t place) {
    const std::int64_t count = keys.size(2), held = std::clamp<std::int64_t>(sinks - place, 0, count);
    KvBlock from{share(keys, r), share(values, r)};
    KvBlock sinks_of = from;
    sinks_of.queries = a.window.sink_queries;
    add_part(parts, sinks_of, 0, held, place, query, m, 0);
    add_part(parts, from, held, count, place, query, m, a.window.length);
  };
  if (before > 0) add(a.prefix_keys, a.prefix_values, 0);
  add(a.keys, a.values, before);
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

/// [prefix; segment], keys or values, with a row for each row of the longer of both.
at::Tensor join(const at::Tensor& prefix, const at::Tensor& own) {
  if (!prefix.defined() || prefix.size(2) == 0) return own;
  const std::int64_t rows = std::max(own.size(1), prefix.size(1));
  return at::cat({share(prefix, rows), share(own, rows)}, 2);
}

/// CUDA: FlashAttention is bottom-right causal, so [prefix; segment] is one call where it takes the dtype. One KV head
/// serves all r query heads of its group there, unless the group's prefixes differ.
at::Tensor attend_cuda(const PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1), m = a.queries.size(2);
  const at::Tensor keys = join(a.prefix_keys, a.keys), values = join(a.prefix_values, a.values);
  if (a.queries.scalar_type() == at::kBFloat16 && a.queries.size(3) % 8 == 0 && a.queries.size(3) <= 256)
    return std::get<0>(at::_scaled_dot_product_flash_attention(a.queries, keys, values, 0.0, m > 1));
  const std::int64_t n = keys.size(2);
  const at::Tensor visible = visible_keys({}, m, n, keys.device());
  return at::scaled_dot_product_attention(a.queries, share(keys, r), share(values, r), visible);
}

}  // namespace

at::Tensor visible_keys(const AttentionWindow& window, std::int64_t m, std::int64_t keys, c10::Device device) {
  const at::Tensor all = at::ones({m, keys}, at::TensorOptions(device).dtype(at::kBool)), past = all.tril(keys - m);
  if (window.sees_all()) return past;
  at::Tensor seen = all.triu(keys - m - window.length + 1);
  seen.narrow(1, 0, std::min(window.sinks, keys)).fill_(true);
  return seen.logical_and_(past);
}

at::Tensor masked_attention(const PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1), m = a.queries.size(2);
  const auto opmath = compute_type(a.queries.scalar_type());
  const at::Tensor keys = share(join(a.prefix_keys, a.keys), r).to(opmath),
                   values = share(join(a.prefix_values, a.values), r).to(opmath);
  const std::int64_t count = keys.size(2), sinks = std::min(a.window.sinks, count);
  const double scale = 1 / std::sqrt(static_cast<double>(keys.size(3)));
  at::Tensor scores = a.queries.to(opmath).matmul(keys.transpose(2, 3));
  if (a.window.sink_queries.defined()) {
    const at::Tensor to_sinks = a.window.sink_queries.to(opmath).matmul(keys.narrow(2, 0, sinks).transpose(2, 3));
    scores = at::cat({to_sinks, scores.narrow(3, sinks, count - sinks)}, 3);
  }
  const at::Tensor hidden = visible_keys(a.window, m, count, keys.device()).logical_not();
  scores = (scores * scale).masked_fill(hidden, -std::numeric_limits<double>::infinity());
  return scores.softmax(3).matmul(values).to(a.queries.scalar_type());
}

at::Tensor prefix_attention(const PrefixAttention& a) {
  if (!a.window.sees_all()) {
    if (!a.queries.is_cpu() || at::GradMode::is_enabled()) return masked_attention(a);
    return attend_cpu(a.queries, split_window(a)).first;
  }
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
