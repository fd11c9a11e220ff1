// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/model_work.h"

#include "engine/cost/real.h"
#include "engine/cost/visible_keys.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

/// Values of a layer's matrices.
double layer_weights(const ModelConfig& model) {
  double values = 0;
  for (const SlotShape& slot : layer_slots(model))
    if (!slot.is_vector()) values += real(slot.values());
  return values;
}

}  // namespace

double ModelWork::forward_flops(std::int64_t tokens, std::int64_t logit_rows) const {
  const double matmuls = real(tokens) * real(model.layers) * layer_weights(model);
  const double head = real(logit_rows) * real(model.hidden) * real(model.vocabulary);
  return 2 * (matmuls + head) + 4 * real(model.head_dim) * visible_pairs(model, config, policy, tokens);
}

double ModelWork::search_flops(std::int64_t tokens) const {
  return 2 * real(model.head_dim) * searched_pairs(model, config, policy, tokens);
}

double ModelWork::training_flops(std::int64_t tokens) const {
  return 3 * forward_flops(tokens, tokens);
}

double ModelWork::decode_bytes(std::int64_t context, int bytes_per_value, bool packed_weights) const {
  const CostModel seen{model, config, bytes_per_value, packed_weights};
  const double embedding = model.tied_embeddings ? 0 : real(model.vocabulary) * real(model.hidden);
  const double weights = real(seen.weight_bytes()) * (1 - embedding / real(model.parameters()));
  return weights + visible_bytes(seen, policy, context);
}

}  // namespace carryover
