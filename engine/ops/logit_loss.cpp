// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/logit_loss.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>
#include <ATen/core/grad_mode.h>

#include <array>
#include <limits>

#include "engine/base/error.h"
#include "engine/ops/cpu/simd_rows.h"
#include "engine/ops/elementwise.h"
#include "engine/runtime/compute_type.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kChunk = kLogitChunk;  // values of a row at a time: upcast, they stay in the first-level cache

/// Calls work(first, count, values) for each chunk of a row, upcast.
template <typename Opmath, typename T, typename Work>
void for_chunks(const T* row, std::int64_t n, const Work& work) {
  std::array<Opmath, kChunk> values;
  for (std::int64_t first = 0; first < n; first += kChunk) {
    const std::int64_t count = std::min(kChunk, n - first);
    load(row + first, values.data(), count);
    work(first, count, values.data());
  }
}

/// Adds a row's values to log Σ exp, of which `sum` is in units of e^top; it is scaled to the new top when a chunk has
/// a greater one.
template <typename Opmath, typename T>
void add_to_log_sum(const T* row, std::int64_t n, Opmath& top, double& sum) {
  for_chunks<Opmath>(row, n, [&](std::int64_t, std::int64_t count, Opmath* values) {
    const Opmath most = largest(values, count);
    if (top < most) {
      sum *= std::exp(static_cast<double>(top) - static_cast<double>(most));
      top = most;
    }
    const bool nothing_yet = top == -std::numeric_limits<Opmath>::infinity();
    if (nothing_yet && std::none_of(values, values + count, [](Opmath value) { return std::isnan(value); })) return;
    sum += static_cast<double>(exponentiate(values, top, count));
  });
}

template <typename Opmath>
Opmath log_sum_of(Opmath top, double sum) {
  return static_cast<Opmath>(static_cast<double>(top) + std::log(sum));
}

template <typename Opmath, typename T>
Opmath log_sum_of_row(const T* row, std::int64_t n) {
  Opmath top = -std::numeric_limits<Opmath>::infinity();
  double sum = 0;
  add_to_log_sum(row, n, top, sum);
  return log_sum_of(top, sum);
}

LogitLoss logit_loss_cpu(const at::Tensor& logits, const at::Tensor& targets) {
  const std::int64_t rows = logits.size(0), n = logits.size(1);
  const auto options = logits.options().dtype(compute_type(logits.scalar_type()));
  LogitLoss loss{at::empty({rows}, options), at::empty({rows}, options)};
  CARRYOVER_DISPATCH(logits.scalar_type(), "logit_loss", [&] {
    using Opmath = at::opmath_type<scalar_t>;
    const scalar_t* in = logits.const_data_ptr<scalar_t>();
    const std::int64_t* target = targets.const_data_ptr<std::int64_t>();
    Opmath *nll = loss.nll.mutable_data_ptr<Opmath>(), *log_sum = loss.log_sum.mutable_data_ptr<Opmath>();
    parallel_for(0, rows, grain_of(n), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        log_sum[r] = log_sum_of_row<Opmath>(in + r * n, n);
        nll[r] = log_sum[r] - static_cast<Opmath>(in[r * n + target[r]]);
      }
    });
  });
  return loss;
}

/// Subtracts λ·p_T from the tokens [first, first + count) of a row.
template <typename Opmath>
void subtract_soft(const SoftTargets& soft, std::int64_t row, std::int64_t first, std::int64_t count, Opmath* chunk) {
  const std::int64_t k = soft.ids.size(1);
  const std::int64_t* ids = soft.ids.const_data_ptr<std::int64_t>() + row * k;
  const Opmath* probabilities = soft.probabilities.const_data_ptr<Opmath>() + row * k;
  const auto weight = static_cast<Opmath>(soft.weight);
  for (std::int64_t i = 0; i < k; ++i)
    if (ids[i] >= first && ids[i] < first + count) chunk[ids[i] - first] -= weight * probabilities[i];
}

void to_loss_gradient_cpu(at::Tensor& logits, const LogitLoss& loss, const at::Tensor& targets,
                          const SoftTargets* soft) {
  const std::int64_t rows = logits.size(0), n = logits.size(1);
  CARRYOVER_DISPATCH(logits.scalar_type(), "to_loss_gradient", [&] {
    using Opmath = at::opmath_type<scalar_t>;
    scalar_t* values = logits.mutable_data_ptr<scalar_t>();
    const std::int64_t* target = targets.const_data_ptr<std::int64_t>();
    const Opmath* log_sum = loss.log_sum.const_data_ptr<Opmath>();
    const auto hard = static_cast<Opmath>(soft != nullptr ? 1 - soft->weight : 1);
    parallel_for(0, rows, grain_of(n), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r)
        for_chunks<Opmath>(values + r * n, n, [&](std::int64_t first, std::int64_t count, Opmath* chunk) {
          exponentiate(chunk, log_sum[r], count);
          if (target[r] >= first && target[r] < first + count) chunk[target[r] - first] -= hard;
          if (soft != nullptr) subtract_soft(*soft, r, first, count, chunk);
          store(chunk, values + r * n + first, count);
        });
    });
  });
}

}  // namespace

LogSums::LogSums(std::int64_t rows, at::TensorOptions options)
    : tops_(at::full({rows}, -std::numeric_limits<double>::infinity(),
                     options.dtype(compute_type(c10::typeMetaToScalarType(options.dtype()))))),
      sums_(at::zeros({rows}, options.dtype(at::kDouble))) {}

void LogSums::add(const at::Tensor& logits) {
  const std::int64_t rows = logits.size(0), n = logits.size(1);
  CARRYOVER_CHECK(logits.is_contiguous() && rows == tops_.size(0));
  CARRYOVER_DISPATCH(logits.scalar_type(), "log_sums", [&] {
    const scalar_t* in = logits.const_data_ptr<scalar_t>();
    auto* const top = tops_.mutable_data_ptr<at::opmath_type<scalar_t>>();
    auto* const sum = sums_.mutable_data_ptr<double>();
    parallel_for(0, rows, grain_of(n), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) add_to_log_sum(in + r * n, n, top[r], sum[r]);
    });
  });
}

at::Tensor LogSums::log_sums() const {
  at::Tensor all = at::empty_like(tops_);
  AT_DISPATCH_FLOATING_TYPES(all.scalar_type(), "log_sums", [&] {
    for (std::int64_t r = 0; r < all.size(0); ++r)
      all.mutable_data_ptr<scalar_t>()[r] =
          log_sum_of(tops_.const_data_ptr<scalar_t>()[r], sums_.const_data_ptr<double>()[r]);
  });
  return all;
}

LogitLoss logit_loss(const at::Tensor& logits, const at::Tensor& targets) {
  CARRYOVER_CHECK(logits.is_contiguous() && targets.is_contiguous() && targets.size(0) == logits.size(0));
  if (!takes_kernels(logits.device()) && !at::GradMode::is_enabled()) return logit_loss_cpu(logits, targets);
  const at::Tensor upcast = logits.to(compute_type(logits.scalar_type())), log_sum = upcast.logsumexp(1);
  return {log_sum - upcast.gather(1, targets.unsqueeze(1)).squeeze(1), log_sum};
}

SoftTargets SoftTargets::rows(std::int64_t first, std::int64_t count) const {
  return {ids.narrow(0, first, count), probabilities.narrow(0, first, count), weight};
}

at::Tensor soft_loss(const at::Tensor& logits, const LogitLoss& loss, const SoftTargets& soft) {
  const at::Tensor chosen = logits.gather(1, soft.ids).to(loss.log_sum.scalar_type());
  return (soft.probabilities * (loss.log_sum.unsqueeze(1) - chosen)).sum(1);
}

void to_loss_gradient(at::Tensor& logits, const LogitLoss& loss, const at::Tensor& targets, const SoftTargets* soft) {
  if (soft != nullptr)
    CARRYOVER_CHECK(soft->ids.is_contiguous() && soft->probabilities.is_contiguous() &&
                    soft->ids.size(0) == logits.size(0) && soft->ids.sizes() == soft->probabilities.sizes());
  if (!takes_kernels(logits.device())) return to_loss_gradient_cpu(logits, loss, targets, soft);
  const at::Tensor upcast = logits.to(compute_type(logits.scalar_type())).sub(loss.log_sum.unsqueeze(1)).exp_();
  const at::Tensor chosen = targets.unsqueeze(1);
  const double hard = soft != nullptr ? 1 - soft->weight : 1;
  upcast.scatter_add_(1, chosen, at::full_like(chosen, -hard, upcast.options()));
  if (soft != nullptr) upcast.scatter_add_(1, soft->ids, soft->probabilities * -soft->weight);
  logits.copy_(upcast);
}

}  // namespace carryover::ops
