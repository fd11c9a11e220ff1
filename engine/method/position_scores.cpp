// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/position_scores.h"

#include <ATen/ATen.h>

#include "engine/method/query_summaries.h"
#include "engine/ops/retrieval_ops.h"

namespace carryover {

std::vector<double> position_scores(const SegmentConfig& config, const LayerPool& pool, std::int64_t slot,
                                    const at::Tensor& queries, SearchedEntries searched) {
  at::Tensor probes = queries, offsets;
  if (config.search_scores == SearchScores::Centred) {
    const auto options = at::TensorOptions(pool.keys.device()).dtype(pool.keys.opmath_type());
    offsets = at::mv(queries.to(options), pool.mean_key(slot).to(options));
  } else {
    probes = query_summaries(config, queries.unsqueeze(0)).squeeze(0);
  }
  const at::Tensor best = ops::largest_products(pool.keys, slot, searched.first, searched.count, probes, offsets)
                              .to(at::kDouble)
                              .cpu()
                              .contiguous();
  return {best.const_data_ptr<double>(), best.const_data_ptr<double>() + best.numel()};
}

}  // namespace carryover
