// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/position_scores.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/method/query_summaries.h"

namespace carryover {

namespace {

constexpr std::int64_t kBlock = 8192;  // keys scored at a time, so that their products stay in cache

/// [count]: the largest over `probes` [n, d] of probe·key, less `offsets` [n, 1] where they are defined.
at::Tensor largest_products(const ops::StoredKeys& keys, std::int64_t slot, SearchedEntries searched,
                            const at::Tensor& probes, const at::Tensor& offsets) {
  at::Tensor best = at::empty({searched.count}, probes.options());
  for (std::int64_t done = 0; done < searched.count; done += kBlock) {
    const std::int64_t count = std::min(kBlock, searched.count - done);
    const at::Tensor columns = keys.upcast(slot, searched.first + done, count).t();
    at::Tensor products = at::mm(probes, columns);
    if (offsets.defined()) products.sub_(offsets);
    at::Tensor block = best.narrow(0, done, count);
    at::amax_out(block, products, {0});
  }
  return best;
}

}  // namespace

std::vector<double> position_scores(const SegmentConfig& config, const LayerPool& pool, std::int64_t slot,
                                    const at::Tensor& queries, SearchedEntries searched) {
  const bool centred = config.search_scores == SearchScores::Centred;
  const auto options = at::TensorOptions(pool.keys.device()).dtype(pool.keys.opmath_type());
  at::Tensor probes = centred ? queries : query_summaries(config, queries.unsqueeze(0)).squeeze(0);
  probes = probes.to(options);
  at::Tensor offsets;
  if (centred) offsets = at::mv(probes, pool.mean_key(slot).to(options)).unsqueeze(1);
  const at::Tensor best =
      largest_products(pool.keys, slot, searched, probes, offsets).to(at::kDouble).cpu().contiguous();
  return {best.const_data_ptr<double>(), best.const_data_ptr<double>() + best.numel()};
}

}  // namespace carryover
