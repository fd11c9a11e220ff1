// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/prefix_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/cpu/bf16_attention.h"
#include "engine/ops/cpu/opmath_attention.h"
#include "engine/ops/cpu/row_attention.h"
#include "engine/ops/listed_attention.h"
#include "engine/ops/listed_backward.h"
#include "engine/ops/soft_cap.h"
#include "engine/runtime/compute_type.h"
#include "engine/runtime/cuda_runtime.h"

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
  if (m == 1) {  // a decoded token sees all keys, so causality needs no mask
    parts.push_back({k, v});
  } else {
    if (n > m) parts.push_back({k.narrow(2, 0, n - m), v.narrow(2, 0, n - m)});
    parts.push_back({k.narrow(2, n - m, m), v.narrow(2, n - m, m), -KvBlock::kUnbounded, 1});
  }
  return parts;
}

/// The distance of the keys that a query sees: at least `least` positions back, and fewer than `end`.
struct Reach {
  std::int64_t least = 0, end = KvBlock::kUnbounded;
};

/// Adds keys [first, end) of `from`. The first key of `from` is at place `place` of [prefix; segment], and query i of m
/// is at place `query` + i.
void add_part(std::vector<KvBlock>& parts, const KvBlock& from, std::int64_t first, std::int64_t end,
              std::int64_t place, std::int64_t query, std::int64_t m, const Reach& reach) {
  if (first >= end) return;
  const std::int64_t ahead = query - place - first;  // distance of the first query from the part's first key
  KvBlock part{from.keys.narrow(2, first, end - first),
               from.values.narrow(2, first, end - first),
               ahead - reach.end + 1,
               ahead - reach.least + 1,
               false,
               from.queries};
  if (m == 1) {  // keeps only the keys that a decoded token sees
    const std::int64_t seen = part.first_seen(0), count = part.end_seen(0) - seen;
    if (count <= 0) return;
    part = {part.keys.narrow(2, seen, count), part.values.narrow(2, seen, count)};
    part.queries = from.queries;
  }
  parts.push_back(part);
}

/// Splits keys and values into the parts of a window: the sinks, which each query behind them sees; the copies, which
/// it sees instead of keys out of its window; and of the rest the window's last keys.
std::vector<KvBlock> split_window(const PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1), m = a.queries.size(2), n = a.keys.size(2);
  const std::int64_t before = a.prefix_keys.defined() ? a.prefix_keys.size(2) : 0, query = before + n - m;
  const std::int64_t sinks = a.window.sinks, apart = sinks + a.window.far;
  const std::int64_t unseen = query - a.window.length + 1;  // keys before it are out of every window
  const Reach to_copies{a.window.length + a.window.far}, to_others{0, a.window.length};
  std::vector<KvBlock> parts;
  const auto add = [&](const at::Tensor& keys, const at::Tensor& values, std::int64_t place) {
    const std::int64_t count = keys.size(2), sinks_end = std::clamp<std::int64_t>(sinks - place, 0, count),
                       apart_end = std::clamp<std::int64_t>(apart - place, 0, count);
    KvBlock from{share(keys, r), share(values, r)};
    KvBlock read_apart = from;
    read_apart.queries = a.window.sink_queries;
    add_part(parts, read_apart, 0, sinks_end, place, query, m, {});
    add_part(parts, read_apart, sinks_end, apart_end, place, query, m, to_copies);
    add_part(parts, from, std::clamp(unseen - place, apart_end, count), count, place, query, m, to_others);
  };
  if (before > 0) add(a.prefix_keys, a.prefix_values, 0);
  add(a.keys, a.values, before);
  return parts;
}

std::vector<KvBlock> parts_of(const PrefixAttention& a) {
  return a.window.sees_all() ? split(a.queries, a.prefix_keys, a.prefix_values, a.keys, a.values) : split_window(a);
}

/// Leaves out keys that no query's window reaches, so that each of the parts of parts_of() is a whole tensor.
PrefixAttention within_reach(PrefixAttention a) {
  const std::int64_t before = a.prefix_keys.defined() ? a.prefix_keys.size(2) : 0, n = a.keys.size(2);
  const std::int64_t unseen = std::max<std::int64_t>(0, before + n - a.queries.size(2) - a.window.length + 1);
  const std::int64_t of_prefix = std::min(unseen, before), of_keys = unseen - of_prefix;
  const auto behind = [](at::Tensor& rows, std::int64_t first) {
    if (first > 0) rows = rows.narrow(2, first, rows.size(2) - first);
  };
  behind(a.prefix_keys, of_prefix);
  behind(a.prefix_values, of_prefix);
  behind(a.keys, of_keys);
  behind(a.values, of_keys);
  return a;
}

/// Returns true if attention is computed in bf16, which has no soft cap.
bool takes_bf16(const at::Tensor& queries, double score_cap) {
  return score_cap == 0 && has_bf16_attention(queries);
}

std::pair<at::Tensor, at::Tensor> attend_cpu(const at::Tensor& queries, const std::vector<KvBlock>& parts,
                                             double score_cap) {
  if (queries.size(2) == 1) return attend_row(queries, parts, score_cap);
  if (takes_bf16(queries, score_cap)) return attend_bf16(queries, parts);
  return attend_opmath(queries, parts, score_cap);
}

/// Computes attention where each query sees its own choice of the prefix and all other keys: those as a dense part.
at::Tensor attend_chosen(const PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1), P = a.prefix_keys.size(2);
  const KeyRange choice = a.index->choice;
  std::vector<KvBlock> parts = split(a.queries, {}, {}, a.keys, a.values);
  const auto add = [&](std::int64_t first, std::int64_t end) {
    if (first < end)
      parts.push_back({share(a.prefix_keys.narrow(2, first, end - first), r),
                       share(a.prefix_values.narrow(2, first, end - first), r)});
  };
  add(0, choice.first);
  add(choice.end, P);
  return add_chosen(a.queries, {share(a.prefix_keys, r), share(a.prefix_values, r)}, *a.index,
                    attend_cpu(a.queries, parts, a.score_cap), a.score_cap);
}

/// Computes attention to the keys of [prefix; segment] that the index lists.
at::Tensor attend_listed(const PrefixAttention& a) {
  if (a.index->choice.length() > 0) return attend_chosen(a);
  const std::int64_t r = a.queries.size(1);
  std::vector<KvBlock> parts;
  if (a.prefix_keys.defined() && a.prefix_keys.size(2) > 0)
    parts.push_back({share(a.prefix_keys, r), share(a.prefix_values, r)});
  parts.push_back({share(a.keys, r), share(a.values, r)});
  CARRYOVER_CHECK(a.index->rows == a.queries.size(0) * (a.index->shared ? 1 : r) &&
                  a.index->queries == a.queries.size(2) && a.queries.stride(3) == 1);
  for (const KvBlock& part : parts) CARRYOVER_CHECK(part.keys.stride(3) == 1 && part.values.stride(3) == 1);
  return takes_bf16(a.queries, a.score_cap) ? attend_listed_bf16(a.queries, parts, *a.index)
                                            : attend_listed_opmath(a.queries, parts, *a.index, a.score_cap);
}

AttentionGradients attend_cpu_backward(const at::Tensor& gradient, const at::Tensor& queries,
                                       const std::vector<KvBlock>& parts, const at::Tensor& out, const at::Tensor& lse,
                                       double score_cap) {
  const bool in_bf16 = queries.size(2) > 1 && takes_bf16(queries, score_cap);
  return in_bf16 ? attend_bf16_backward(gradient, queries, parts, out, lse)
                 : attend_opmath_backward(gradient, queries, parts, out, lse, score_cap);
}

struct CpuAttention : Function<CpuAttention> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& queries, const at::Tensor& prefix_keys,
                            const at::Tensor& prefix_values, const at::Tensor& keys, const at::Tensor& values,
                            std::int64_t window, double score_cap) {
    auto [out, lse] =
        attend_cpu(queries, parts_of({queries, prefix_keys, prefix_values, keys, values, {window}}), score_cap);
    context->save_for_backward({queries, prefix_keys, prefix_values, keys, values, out, lse});
    context->saved_data["window"] = window;
    context->saved_data["score_cap"] = score_cap;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &queries = saved[0], &prefix_keys = saved[1], &prefix_values = saved[2], &keys = saved[3],
                     &values = saved[4];
    auto parts = parts_of({queries, prefix_keys, prefix_values, keys, values, {context->saved_data["window"].toInt()}});
    const bool has_prefix = prefix_keys.size(2) > 0;
    if (has_prefix) parts[0].fixed = !context->needs_input_grad(1) && !context->needs_input_grad(2);
    auto to = attend_cpu_backward(gradients[0], queries, parts, saved[5], saved[6],
                                  context->saved_data["score_cap"].toDouble());
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
    return {to.queries,
            to_prefix.keys,
            to_prefix.values,
            join(to_keys).sum_to_size(keys.sizes()),
            join(to_values).sum_to_size(values.sizes()),
            at::Tensor(),
            at::Tensor()};
  }
};

/// Joins [prefix; segment], keys or values, with as many rows as the one with more rows has.
at::Tensor join(const at::Tensor& prefix, const at::Tensor& own) {
  if (!prefix.defined() || prefix.size(2) == 0) return own;
  const std::int64_t rows = std::max(own.size(1), prefix.size(1));
  return at::cat({share(prefix, rows), share(own, rows)}, 2);
}

/// attend_listed() with gradients. Without a prefix, it takes a prefix of no keys.
struct ListedAttention : Function<ListedAttention> {
  struct Lists : torch::CustomClassHolder {
    explicit Lists(KeyIndex of) : index(std::move(of)) {}
    KeyIndex index;
  };

  static at::Tensor forward(AutogradContext* context, const at::Tensor& queries, const at::Tensor& prefix_keys,
                            const at::Tensor& prefix_values, const at::Tensor& keys, const at::Tensor& values,
                            const KeyIndex* index, double score_cap) {
    const at::Tensor out = attend_listed({queries, prefix_keys, prefix_values, keys, values, {}, index, score_cap});
    context->save_for_backward({queries, prefix_keys, prefix_values, keys, values, out});
    context->saved_data["lists"] = at::IValue::make_capsule(c10::make_intrusive<Lists>(*index));
    context->saved_data["score_cap"] = score_cap;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto lists = c10::static_intrusive_pointer_cast<Lists>(context->saved_data["lists"].toCapsule());
    const at::Tensor &queries = saved[0], &prefix_keys = saved[1], &prefix_values = saved[2], &keys = saved[3],
                     &values = saved[4];
    const ListedGradients to =
        listed_backward(gradients[0], saved[5], queries, join(prefix_keys, keys), join(prefix_values, values),
                        lists->index, context->saved_data["score_cap"].toDouble());
    const std::int64_t before = prefix_keys.size(2), n = keys.size(2);
    const auto part = [](const at::Tensor& all, std::int64_t first, const at::Tensor& like) {
      return all.narrow(2, first, like.size(2)).sum_to_size(like.sizes()).to(like.scalar_type());
    };
    CARRYOVER_CHECK(to.keys.size(2) == before + n);
    return {to.queries.to(queries.scalar_type()),
            part(to.keys, 0, prefix_keys),
            part(to.values, 0, prefix_values),
            part(to.keys, before, keys),
            part(to.values, before, values),
            at::Tensor(),
            at::Tensor()};
  }
};

/// Computes attention on a GPU. FlashAttention is bottom-right causal, so [prefix; segment] is one call if it accepts
/// the dtype. There, one KV head serves all r query heads of its group, unless the group's prefixes differ. A CPU that
/// stands in for a GPU has no such call.
at::Tensor attend_on_device(const PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1), m = a.queries.size(2);
  const at::Tensor keys = join(a.prefix_keys, a.keys), values = join(a.prefix_values, a.values);
  if (!a.queries.is_cpu() && a.queries.scalar_type() == at::kBFloat16 && a.queries.size(3) % 8 == 0 &&
      a.queries.size(3) <= 256)
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
  if (window.far > 0)
    seen.narrow(1, window.sinks, window.far)
        .copy_(all.narrow(1, 0, window.far).tril(keys - m - window.length - window.sinks - window.far));
  return seen.logical_and_(past);
}

at::Tensor listed_keys(const KeyIndex& index, std::int64_t row, std::int64_t first, std::int64_t count,
                       std::int64_t keys, c10::Device device) {
  at::Tensor listed = at::zeros({count, keys}, at::TensorOptions(at::kCPU).dtype(at::kBool));
  bool* const rows = listed.mutable_data_ptr<bool>();  // a list may have thousands of ranges
  for (std::int64_t tile = 0; tile < index.tiles(); ++tile)
    for (std::int64_t query = std::max(index.first(tile), first); query < std::min(index.end(tile), first + count);
         ++query)
      for (const KeyRange& range : index.list(row, tile))
        std::fill_n(rows + (query - first) * keys + range.first, range.length(), true);
  return listed.logical_and_(listed.new_ones({count, keys}).tril(keys - index.queries + first)).to(device);
}

namespace {

/// Returns which keys each query of each head does not see: [m, keys], or [G, r or 1, m, keys] by an index.
at::Tensor hidden_keys(const PrefixAttention& a, std::int64_t keys) {
  if (a.index == nullptr) return visible_keys(a.window, a.queries.size(2), keys, a.queries.device()).logical_not();
  std::vector<at::Tensor> rows;
  for (std::int64_t row = 0; row < a.index->rows; ++row)
    rows.push_back(listed_keys(*a.index, row, 0, a.index->queries, keys, a.queries.device()));
  return at::stack(rows).view({a.queries.size(0), -1, a.queries.size(2), keys}).logical_not();
}

/// Returns q·kᵀ/√d, and −∞ for `hidden` keys. keys: [G, r, P + n, d], in opmath.
at::Tensor masked_scores(const PrefixAttention& a, const at::Tensor& keys, const at::Tensor& hidden) {
  const auto opmath = keys.scalar_type();
  const std::int64_t count = keys.size(2), apart = std::min(a.window.sinks + a.window.far, count);
  const double scale = attention_scale<double>(keys.size(3));
  at::Tensor scores = a.queries.to(opmath).matmul(keys.transpose(2, 3));
  if (a.window.sink_queries.defined()) {
    const at::Tensor read_apart = a.window.sink_queries.to(opmath).matmul(keys.narrow(2, 0, apart).transpose(2, 3));
    scores = at::cat({read_apart, scores.narrow(3, apart, count - apart)}, 3);
  }
  return soft_capped(scores * scale, a.score_cap).masked_fill(hidden, -std::numeric_limits<double>::infinity());
}

}  // namespace

at::Tensor masked_attention(const PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1);
  const auto opmath = compute_type(a.queries.scalar_type());
  const at::Tensor keys = share(join(a.prefix_keys, a.keys), r).to(opmath),
                   values = share(join(a.prefix_values, a.values), r).to(opmath);
  const at::Tensor hidden = hidden_keys(a, keys.size(2));
  at::Tensor weights = masked_scores(a, keys, hidden).softmax(3);
  if (a.index != nullptr) weights = weights.masked_fill(hidden, 0);  // also if a query sees no key
  return weights.matmul(values).to(a.queries.scalar_type());
}

namespace {

/// Returns masked_attention() of soft-capped scores, of as many queries at a time as keep their weights small.
at::Tensor capped_attention(const PrefixAttention& a) {
  constexpr std::int64_t kWeights = std::int64_t{1} << 24;
  const std::int64_t m = a.queries.size(2), n = a.keys.size(2);
  const std::int64_t keys = n + (a.prefix_keys.defined() ? a.prefix_keys.size(2) : 0);
  const std::int64_t step = std::max<std::int64_t>(1, kWeights / (a.queries.size(0) * a.queries.size(1) * keys));
  if (m <= step || a.index != nullptr) return masked_attention(a);
  std::vector<at::Tensor> parts;
  for (std::int64_t first = 0; first < m; first += step) {
    const std::int64_t count = std::min(step, m - first), seen = n - m + first + count;
    PrefixAttention part = a;
    part.queries = a.queries.narrow(2, first, count);
    if (a.window.sink_queries.defined()) part.window.sink_queries = a.window.sink_queries.narrow(2, first, count);
    part.keys = a.keys.narrow(2, 0, seen);
    part.values = a.values.narrow(2, 0, seen);
    parts.push_back(masked_attention(part));
  }
  return at::cat(parts, 2);
}

/// Number of weights that are held at a time: as many as a CPU's cache holds, or enough to make a launch on a GPU
/// worthwhile.
constexpr std::int64_t kSummedWeights = std::int64_t{1} << 17, kSummedWeightsOnGpu = std::int64_t{1} << 24;

/// Adds the attention that queries give to these keys, each in its window, to `received`, [G, r, n]. keys: [G, r or 1,
/// n, d]; the first query is at place `ahead` of them. lse: [G, r, m], over all that a query sees.
void add_received(const PrefixAttention& a, const at::Tensor& lse, const at::Tensor& keys, std::int64_t ahead,
                  const at::Tensor& received) {
  const std::int64_t rows = keys.size(1), shared = a.queries.size(1) / rows, m = a.queries.size(2), n = keys.size(2);
  const std::int64_t held = keys.is_cpu() ? kSummedWeights : kSummedWeightsOnGpu,
                     step = std::max<std::int64_t>(1, held / std::max<std::int64_t>(1, shared * n));
  const double scale = attention_scale<double>(keys.size(3));
  for (std::int64_t unit = 0; unit < keys.size(0) * rows; ++unit) {
    const auto of_unit = [&](const at::Tensor& all) {
      return all[unit / rows].narrow(0, unit % rows * shared, shared);
    };
    const at::Tensor columns = keys[unit / rows][unit % rows].to(lse.scalar_type()).t();
    for (std::int64_t first = 0; first < m; first += step) {
      const std::int64_t count = std::min(step, m - first), own = ahead + first,
                         begin = std::max<std::int64_t>(0, own - a.window.length + 1), end = std::min(n, own + count);
      if (begin >= end) continue;
      const auto part = [&](const at::Tensor& all) { return of_unit(all).narrow(1, first, count); };
      const at::Tensor queries = part(a.queries).to(lse.scalar_type()) * scale;
      at::Tensor weights = soft_capped(at::matmul(queries, columns.narrow(1, begin, end - begin)),
                                       a.score_cap);  // [shared, count, keys]
      weights.sub_(part(lse).unsqueeze(2)).exp_();
      weights.tril_(own - begin).triu_(own - begin - a.window.length + 1);
      of_unit(received).narrow(1, begin, end - begin).add_(weights.sum(1));
    }
  }
}

/// Returns WeighedAttention::received. lse: [G, r, m].
at::Tensor received_by_keys(const PrefixAttention& a, const at::Tensor& lse) {
  const at::NoGradGuard no_gradients;
  const std::int64_t before = a.prefix_keys.defined() ? a.prefix_keys.size(2) : 0, n = a.keys.size(2),
                     apart = std::min(a.window.sinks + a.window.far, before + n);
  const std::int64_t of_prefix = std::max<std::int64_t>(0, before - apart), of_segment = before + n - apart - of_prefix,
                     query = before + n - apart - a.queries.size(2);
  at::Tensor received = at::zeros({a.queries.size(0), a.queries.size(1), of_prefix + of_segment}, lse.options());
  if (of_prefix > 0)
    add_received(a, lse, a.prefix_keys.narrow(2, apart, of_prefix), query, received.narrow(2, 0, of_prefix));
  add_received(a, lse, a.keys.narrow(2, n - of_segment, of_segment), query - of_prefix,
               received.narrow(2, of_prefix, of_segment));
  return received;
}

}  // namespace

WeighedAttention weighed_attention(const PrefixAttention& a) {
  if (a.index == nullptr && attends_by_lists(a)) {
    const auto [out, log_sums] = attend_by_lists(a);
    return {out, received_by_keys(a, log_sums)};
  }
  CARRYOVER_CHECK(a.index == nullptr && !a.window.sees_all());
  if (!takes_kernels(a.queries.device()) && !at::GradMode::is_enabled()) {
    const auto [out, lse] = attend_cpu(a.queries, split_window(a), a.score_cap);
    return {out, received_by_keys(a, lse)};
  }
  const at::Tensor keys = join(a.prefix_keys, a.keys), hidden = hidden_keys(a, keys.size(2));
  const at::Tensor scores =
      masked_scores(a, share(keys, a.queries.size(1)).to(compute_type(a.queries.scalar_type())), hidden);
  return {masked_attention(a), received_by_keys(a, scores.detach().logsumexp(3))};
}

at::Tensor prefix_attention(const PrefixAttention& a) {
  if (attends_by_lists(a)) return attend_by_lists(a).first;
  const bool on_device = takes_kernels(a.queries.device());
  if (on_device && a.score_cap != 0) return capped_attention(a);
  // Autograd functions accept only defined tensors: no prefix becomes a prefix of no keys.
  const auto defined = [&](const at::Tensor& prefix) {
    return prefix.defined() ? prefix : a.keys.narrow(2, 0, 0).detach();
  };
  if (a.index != nullptr) {
    if (on_device) return masked_attention(a);
    if (!at::GradMode::is_enabled()) return attend_listed(a);
    return ListedAttention::apply(a.queries, defined(a.prefix_keys), defined(a.prefix_values), a.keys, a.values,
                                  a.index, a.score_cap);
  }
  if (on_device) return a.window.sees_all() ? attend_on_device(a) : masked_attention(a);
  if (!at::GradMode::is_enabled()) return attend_cpu(a.queries, parts_of(a), a.score_cap).first;
  if (a.window.sinks + a.window.far > 0) return masked_attention(a);
  const PrefixAttention seen = a.window.sees_all() ? a : within_reach(a);
  return CpuAttention::apply(seen.queries, defined(seen.prefix_keys), defined(seen.prefix_values), seen.keys,
                             seen.values, seen.window.length, seen.score_cap);
}

}  // namespace carryover::ops
