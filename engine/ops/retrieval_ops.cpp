// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/retrieval_ops.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/ops/cpu/largest_products.h"
#include "engine/ops/cpu/pool_scan.h"
#include "engine/ops/cuda/device_search.h"
#include "engine/ops/elementwise.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/device_list.h"
#include "kernels/gather_prefix.h"

namespace carryover::ops {

namespace {

/// Computes pool_topk() on a GPU by matmuls and LibTorch's topk, for more keys or wider heads than the kernel takes.
RankedEntries pool_topk_of_blocks(const at::Tensor& keys, std::int64_t entries, const at::Tensor& summaries,
                                  const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  constexpr std::int64_t kScores = std::int64_t{1} << 26;
  constexpr double kNoScore = -std::numeric_limits<double>::infinity();
  const std::int64_t heads = summaries.size(0), n = summaries.size(1), found = std::min(k, entries),
                     step = std::max<std::int64_t>(1, kScores / std::max<std::int64_t>(1, entries));
  const auto options = at::TensorOptions().dtype(at::kDouble);
  at::Tensor scores = at::full({heads, n, k}, kNoScore, options),
             indices = at::full({heads, n, k}, -1, options.dtype(at::kLong));
  for (std::int64_t head = 0; head < heads; ++head) {
    const at::Tensor columns = keys[head_slot[static_cast<std::size_t>(head)]].narrow(0, 0, entries).to(at::kFloat).t();
    for (std::int64_t first = 0; first < n; first += step) {
      const std::int64_t count = std::min(step, n - first);
      const at::Tensor rows = summaries[head].narrow(0, first, count).to(columns.options());
      const auto [best, places] = at::mm(rows, columns).nan_to_num(kNoScore, INFINITY, kNoScore).topk(found, 1);
      scores[head].narrow(0, first, count).narrow(1, 0, found).copy_(best);
      indices[head].narrow(0, first, count).narrow(1, 0, found).copy_(places.masked_fill(best == kNoScore, -1));
    }
  }
  const double* score = scores.const_data_ptr<double>();
  const std::int64_t* index = indices.const_data_ptr<std::int64_t>();
  return {k, {score, score + scores.numel()}, {index, index + indices.numel()}};
}

RankedEntries pool_topk_cuda(const at::Tensor& keys, std::int64_t entries, const at::Tensor& summaries,
                             const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  if (!ranks_on_device(k, keys.size(2))) return pool_topk_of_blocks(keys, entries, summaries, head_slot, k);
  const DeviceRanking ranking = rank_on_device(keys, entries, summaries, head_slot, k);
  const at::Tensor scores = ranking.scores.cpu().to(at::kDouble), indices = ranking.indices.cpu();
  const double* score = scores.const_data_ptr<double>();
  const std::int64_t* index = indices.const_data_ptr<std::int64_t>();
  return {k, {score, score + scores.numel()}, {index, index + indices.numel()}};
}

/// Computes largest_products() by matmuls of so many keys that their products stay in cache.
at::Tensor largest_products_of_blocks(const StoredKeys& keys, std::int64_t slot, std::int64_t first, std::int64_t count,
                                      const at::Tensor& probes, const at::Tensor& offsets) {
  constexpr std::int64_t kBlock = 8192;
  const auto options = at::TensorOptions(keys.device()).dtype(keys.opmath_type());
  const at::Tensor rows = probes.to(options);
  at::Tensor best = at::empty({count}, options);
  for (std::int64_t done = 0; done < count; done += kBlock) {
    const std::int64_t size = std::min(kBlock, count - done);
    at::Tensor products = at::mm(rows, keys.upcast(slot, first + done, size).t());
    if (offsets.defined()) products.sub_(offsets.to(options).unsqueeze(1));
    at::Tensor block = best.narrow(0, done, size);
    at::amax_out(block, products, {0});
  }
  return best;
}

}  // namespace

at::Tensor largest_products(const StoredKeys& keys, std::int64_t slot, std::int64_t first, std::int64_t count,
                            const at::Tensor& probes, const at::Tensor& offsets) {
  return takes_kernels(keys.device()) ? largest_products_of_blocks(keys, slot, first, count, probes, offsets)
                                      : scan_largest_products(keys, slot, first, count, probes, offsets);
}

RankedEntries pool_topk(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                        const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  return takes_kernels(keys.device()) ? pool_topk_cuda(keys.rows, entries, summaries, head_slot, k)
                                      : scan_pool(keys, entries, summaries, head_slot, k);
}

std::pair<at::Tensor, at::Tensor> gather_prefix(const StoredKeys& pool_keys, const at::Tensor& pool_values,
                                                const std::vector<std::int32_t>& head_slot,
                                                const at::Tensor& positions) {
  const std::int64_t heads = positions.size(0), length = positions.size(1), d = pool_values.size(2);
  const at::Tensor where = positions.to(pool_values.device());
  at::Tensor keys = at::empty({heads, length, d}, pool_values.options()), values = at::empty_like(keys);
  if (!takes_kernels(pool_values.device()) ||
      pool_keys.rows.scalar_type() != keys.scalar_type()) {  // the kernel only copies
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

}  // namespace carryover::ops
