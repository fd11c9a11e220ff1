// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/cost_terms.h"

#include <algorithm>

#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

/// Returns the number of values of a layer's largest matrix.
Int128 largest_matrix(const ModelConfig& model) {
  std::int64_t largest = 0;
  for (const SlotShape& slot : layer_slots(model)) largest = std::max(largest, slot.values());
  return largest;
}

}  // namespace

Int128 open_bytes(const CostModel& cost) {
  const std::int64_t S = cost.config.segment_length, tail = std::min(cost.config.query_length, S);
  const Int128 queries =
      Int128{2} * tail * cost.model.heads * cost.model.layers * cost.model.head_dim * cost.bytes_per_value;
  return Int128{S} * cost.model.kv_heads * cost.model.layers * pair_bytes(cost) * 3 / 2 + queries;
}

Int128 temporaries(const CostModel& cost, std::int64_t chunk, std::int64_t past, bool loss) {
  const ModelConfig& model = cost.model;
  const std::int64_t bytes_per_value = cost.bytes_per_value;
  const auto unpacked = [&](Int128 values) -> Int128 {  // a single row needs no unpacked weights
    return cost.packed_weights ? std::min<Int128>(unpacked_block_bytes, values * bytes_per_value) : 0;
  };
  // the residual stream before and after, and its normed copy or the output that is added to it
  const Int128 stream = Int128{3} * model.hidden;
  const Int128 seen =
      Int128{2} * model.kv_heads * (Int128{past} + chunk);  // keys and values as attention's matmuls read them
  const Int128 attention = (seen + (Int128{3} * model.heads + Int128{3} * model.kv_heads) * chunk) *
                           model.head_dim;                             // q, k, v, rotated q and k, output
  const Int128 feed_forward = Int128{3} * model.intermediate * chunk;  // gate, up, their product
  const Int128 layer = (stream * chunk + std::max(attention, feed_forward)) * bytes_per_value +
                       (cost.packed_weights ? unpacked(largest_matrix(model)) : 0);
  const Int128 row = Int128{model.vocabulary} * bytes_per_value;
  const Int128 logits =
      loss ? std::min<Int128>(logit_block_bytes, row * chunk) + unpacked(Int128{model.vocabulary} * model.hidden) : row;
  return std::max(layer, Int128{model.hidden} * chunk * bytes_per_value + logits);
}

}  // namespace carryover
