// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/bf16_lines.h"

#include <ATen/ATen.h>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/cpu/bf16_matmul.h"
#include "engine/runtime/parallel.h"

#ifdef __x86_64__
#include <cmath>
#include <limits>

namespace carryover::ops {

namespace {

using namespace bf16;

constexpr std::int64_t kTile = 256;  ///< number of keys

/// The sums of one head's queries over its keys.
class Lines16 {
 public:
  Lines16(const Bf16* queries, std::int64_t query_stride, std::int64_t w, const Bf16* keys, std::int64_t key_stride,
          std::int64_t n, std::int64_t d)
      : keys_(keys), stride_(key_stride), w_(w), padded_(round_up(w, Dots::kRows)), n_(n), d_(d) {
    queries_.resize(static_cast<std::size_t>(padded_ * d));
    copy_rows(queries, query_stride, w, padded_, d, queries_.data());
    packed_.resize(static_cast<std::size_t>(kTile * d));
    scores_.resize(static_cast<std::size_t>(padded_ * kTile));
    top_.assign(static_cast<std::size_t>(w), -std::numeric_limits<float>::infinity());
    sum_.assign(static_cast<std::size_t>(w), 0.0f);
  }

  void add_to(float* columns, float* diagonals) {
    for (std::int64_t tile = 0; tile < n_; tile += kTile) {
      multiply(tile);
      for (std::int64_t query = 0; query < w_; ++query) sum_up(query, tile);
    }
    for (std::int64_t tile = 0; tile < n_; tile += kTile) {
      multiply(tile);
      for (std::int64_t query = 0; query < w_; ++query) add(query, tile, columns, diagonals);
    }
  }

 private:
  CARRYOVER_BF16 void multiply(std::int64_t tile) {
    const std::int64_t count = std::min(kTile, n_ - tile), columns = round_up(count, kWidth);
    pack_lanes(keys_ + tile * stride_, stride_, count, columns, d_, packed_.data());
    for (std::int64_t q = 0; q < padded_; q += Dots::kRows)
      for (std::int64_t k = 0; k < columns; k += kWidth)
        Dots::multiply(queries_.data() + q * d_, d_, {packed_.data() + k * d_, d_ / 2, 2 * kLanes, kLanes * d_}, false,
                       scores_.data() + q * kTile + k, kTile);
  }

  /// seen() returns how many keys of a tile a query sees, and mask_at() which of the sixteen keys from `k` on these
  /// include.
  std::int64_t seen(std::int64_t query, std::int64_t tile) const {
    return std::clamp<std::int64_t>(n_ - w_ + query + 1 - tile, 0, kTile);
  }
  static __mmask16 mask_at(std::int64_t count, std::int64_t k) {
    return static_cast<__mmask16>((1u << std::min(count - k, kLanes)) - 1u);
  }

  CARRYOVER_BF16 void sum_up(std::int64_t query, std::int64_t tile) {
    const float* scores = scores_.data() + query * kTile;
    const std::int64_t count = seen(query, tile);
    if (count == 0) return;
    float &top = top_[static_cast<std::size_t>(query)], &sum = sum_[static_cast<std::size_t>(query)];
    __m512 most = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
    for (std::int64_t k = 0; k < count; k += kLanes)
      most = _mm512_mask_max_ps(most, mask_at(count, k), most, _mm512_loadu_ps(scores + k));
    const float scale = attention_scale<float>(d_), now = std::max(top, _mm512_reduce_max_ps(most) * scale);
    __m512 sums = _mm512_setzero_ps();
    for (std::int64_t k = 0; k < count; k += kLanes) {
      const __m512 x = _mm512_fmsub_ps(_mm512_loadu_ps(scores + k), _mm512_set1_ps(scale), _mm512_set1_ps(now));
      sums = _mm512_mask_add_ps(sums, mask_at(count, k), sums, exponential(x));
    }
    sum = sum * std::exp(top - now) + _mm512_reduce_add_ps(sums);
    top = now;
  }

  CARRYOVER_BF16 void add(std::int64_t query, std::int64_t tile, float* columns, float* diagonals) {
    const float* scores = scores_.data() + query * kTile;
    const std::int64_t count = seen(query, tile);
    const auto at = static_cast<std::size_t>(query);
    const __m512 scale = _mm512_set1_ps(attention_scale<float>(d_)),
                 lse = _mm512_set1_ps(top_[at] + std::log(sum_[at]));
    float *const own = columns + tile, *const along = diagonals + tile + w_ - 1 - query;
    for (std::int64_t k = 0; k < count; k += kLanes) {
      const __mmask16 mask = mask_at(count, k);
      const __m512 p = exponential(_mm512_fmsub_ps(_mm512_loadu_ps(scores + k), scale, lse));
      _mm512_mask_storeu_ps(own + k, mask, _mm512_add_ps(_mm512_maskz_loadu_ps(mask, own + k), p));
      _mm512_mask_storeu_ps(along + k, mask, _mm512_add_ps(_mm512_maskz_loadu_ps(mask, along + k), p));
    }
  }

  const Bf16* keys_;
  std::int64_t stride_, w_, padded_, n_, d_;
  Lines<Bf16> queries_, packed_;
  Lines<float> scores_;
  std::vector<float> top_, sum_;
};

}  // namespace

std::pair<at::Tensor, at::Tensor> bf16_lines(const at::Tensor& queries, const at::Tensor& keys) {
  const std::int64_t heads = queries.size(0), w = queries.size(1), d = queries.size(2), n = keys.size(1),
                     share = heads / keys.size(0);
  std::pair lines{at::zeros({heads, n}, at::kFloat), at::zeros({heads, n}, at::kFloat)};
  auto* columns = lines.first.mutable_data_ptr<float>();
  auto* diagonals = lines.second.mutable_data_ptr<float>();
  parallel_for(0, heads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t head = begin; head < end; ++head)
      Lines16(bits(queries) + head * queries.stride(0), queries.stride(1), w,
              bits(keys) + head / share * keys.stride(0), keys.stride(1), n, d)
          .add_to(columns + head * n, diagonals + head * n);
  });
  return lines;
}

}  // namespace carryover::ops

#else

namespace carryover::ops {
std::pair<at::Tensor, at::Tensor> bf16_lines(const at::Tensor&, const at::Tensor&) {
  throw EngineError(Fault::Internal, "attention", "this processor has no bf16 dot products");
}
}  // namespace carryover::ops

#endif
