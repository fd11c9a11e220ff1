// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/retrieval_ops.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

#include <algorithm>
#include <limits>

#include "engine/core/error.h"
#include "engine/ops/cuda_runtime.h"
#include "engine/ops/device_list.h"
#include "engine/ops/device_search.h"
#include "engine/ops/elementwise.h"
#include "kernels/gather_prefix.h"
#include "kernels/rope_prefix.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kKeysPerProduct = 4096;  // a block of scores stays in the second-level cache

/// The k best of a stream of scores that comes in order of index, so that of equal scores the first seen stays ahead.
template <typename T>
class Best {
 public:
  explicit Best(std::int64_t k) : k_(static_cast<std::size_t>(k)) {}

  void scan(const T* scores, std::int64_t count, std::int64_t first_index) {
    for (std::int64_t i = 0; i < count; ++i)  // NaN is never kept
      if (entries_.size() < k_ ? scores[i] == scores[i] : scores[i] > entries_.back().first)
        insert(scores[i], first_index + i);
  }
  void write(double* scores, std::int64_t* indices) const {
    for (std::size_t rank = 0; rank < k_; ++rank) {
      const bool held = rank < entries_.size();
      scores[rank] = held ? static_cast<double>(entries_[rank].first) : -std::numeric_limits<double>::infinity();
      indices[rank] = held ? entries_[rank].second : -1;
    }
  }

 private:
  void insert(T score, std::int64_t index) {
    if (entries_.size() == k_) entries_.pop_back();
    const auto place = std::upper_bound(entries_.begin(), entries_.end(), score,
                                        [](T value, const auto& entry) { return value > entry.first; });
    entries_.insert(place, {score, index});
  }
  std::size_t k_;
  std::vector<std::pair<T, std::int64_t>> entries_;  // descending
};

RankedEntries pool_topk_cpu(const StoredKeys& keys, std::int64_t entries, const at::Tensor& given,
                            const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  const at::Tensor summaries = given.to(keys.wide_type());
  const std::int64_t heads = summaries.size(0), n = summaries.size(1);
  RankedEntries ranked{k, std::vector<double>(static_cast<std::size_t>(heads * n * k)),
                       std::vector<std::int64_t>(static_cast<std::size_t>(heads * n * k))};
  AT_DISPATCH_FLOATING_TYPES(summaries.scalar_type(), "pool_topk", [&] {
    std::vector<Best<scalar_t>> best(static_cast<std::size_t>(heads * n), Best<scalar_t>(k));
    for (std::int64_t slot = 0; slot < keys.rows.size(0); ++slot) {
      std::vector<std::int64_t> readers;
      for (std::int64_t h = 0; h < heads; ++h)
        if (head_slot[static_cast<std::size_t>(h)] == slot) readers.push_back(h);
      if (readers.empty()) continue;
      const at::Tensor rows = summaries.index_select(0, at::tensor(readers)).flatten(0, 1);  // [readers·n, d]
      for (std::int64_t first = 0; first < entries; first += kKeysPerProduct) {
        const std::int64_t count = std::min(kKeysPerProduct, entries - first);
        const at::Tensor scores = at::mm(rows, keys.wide(slot, first, count).t()).contiguous();
        for (std::int64_t row = 0; row < rows.size(0); ++row)
          best[static_cast<std::size_t>(readers[static_cast<std::size_t>(row / n)] * n + row % n)].scan(
              scores.const_data_ptr<scalar_t>() + row * count, count, first);
      }
    }
    for (std::size_t row = 0; row < best.size(); ++row)
      best[row].write(ranked.scores.data() + row * static_cast<std::size_t>(k),
                      ranked.indices.data() + row * static_cast<std::size_t>(k));
  });
  return ranked;
}

RankedEntries pool_topk_cuda(const at::Tensor& keys, std::int64_t entries, const at::Tensor& summaries,
                             const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  const DeviceRanking ranking = rank_on_device(keys, entries, summaries, head_slot, k);
  const at::Tensor scores = ranking.scores.cpu().to(at::kDouble), indices = ranking.indices.cpu();
  const double* score = scores.const_data_ptr<double>();
  const std::int64_t* index = indices.const_data_ptr<std::int64_t>();
  return {k, {score, score + scores.numel()}, {index, index + indices.numel()}};
}

}  // namespace

RankedEntries pool_topk(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                        const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  return keys.device().is_cpu() ? pool_topk_cpu(keys, entries, summaries, head_slot, k)
                                : pool_topk_cuda(keys.rows, entries, summaries, head_slot, k);
}

std::pair<at::Tensor, at::Tensor> gather_prefix(const StoredKeys& pool_keys, const at::Tensor& pool_values,
                                                const std::vector<std::int32_t>& head_slot,
                                                const at::Tensor& positions) {
  const std::int64_t heads = positions.size(0), length = positions.size(1), d = pool_values.size(2);
  const at::Tensor where = positions.to(pool_values.device());
  at::Tensor keys = at::empty({heads, length, d}, pool_values.options()), values = at::empty_like(keys);
  if (pool_values.is_cpu() || pool_keys.rows.scalar_type() != keys.scalar_type()) {  // the kernel copies, no more
    for (std::int64_t h = 0; h < heads; ++h) {
      const std::int64_t slot = head_slot[static_cast<std::size_t>(h)];
      at::Tensor value_rows = values[h];
      pool_keys.gather(slot, where[h], keys[h]);
      at::index_select_out(value_rows, pool_values[slot], 0, where[h]);
    }
    return {keys, values};
  }
  const at::Tensor slots = device_list(head_slot, keys.device());
  const kernels::GatherPrefix args{pool_keys.rows.const_data_ptr(),
                                   pool_values.const_data_ptr(),
                                   element_of(keys.scalar_type()),
                                   pool_keys.rows.stride(0),
                                   slots.const_data_ptr<std::int32_t>(),
                                   where.const_data_ptr<std::int64_t>(),
                                   static_cast<std::int32_t>(heads),
                                   static_cast<std::int32_t>(length),
                                   static_cast<std::int32_t>(d),
                                   keys.mutable_data_ptr(),
                                   values.mutable_data_ptr()};
  check_cuda(cuda_kernels().gather_prefix(args, current_stream(keys.device())), "gather_prefix");
  return {keys, values};
}

at::Tensor rope_prefix(const at::Tensor& keys, const std::vector<double>& inverse_frequencies,
                       std::int64_t first_position) {
  const at::Tensor input = keys.contiguous();
  const at::Tensor frequencies =
      device_list(std::vector<float>(inverse_frequencies.begin(), inverse_frequencies.end()), keys.device());
  at::Tensor output = at::empty_like(input);
  const kernels::RopePrefix args{input.const_data_ptr(),
                                 element_of(input.scalar_type()),
                                 frequencies.const_data_ptr<float>(),
                                 1.0f,
                                 first_position,
                                 static_cast<std::int32_t>(input.size(0)),
                                 static_cast<std::int32_t>(input.size(1)),
                                 static_cast<std::int32_t>(input.size(2)),
                                 output.mutable_data_ptr()};
  check_cuda(cuda_kernels().rope_prefix(args, current_stream(keys.device())), "rope_prefix");
  return output;
}

}  // namespace carryover::ops
