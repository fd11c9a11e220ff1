// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/audit_cost.h"

#include <algorithm>

#include "engine/cost/policy_table.h"
#include "engine/cost/real.h"
#include "engine/cost/training_cost.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

/// Returns the number of trained tensors. Matmuls that read one input are one matrix (weights.h).
double trained_tensors(const ModelConfig& model, std::int64_t lora_rank) {
  if (lora_rank > 0) return 2 * real(std::ssize(lora_modules_of(model))) * real(model.layers);
  return real(std::ssize(layer_slots(model))) * real(model.layers) + (model.tied_embeddings ? 2 : 3);
}

}  // namespace

AuditCost audit_cost(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                     std::int64_t segments, std::int64_t lora_rank, int bytes_per_value) {
  TrainingConfig training;
  training.gradient_checkpointing = false;
  training.train_segments = segments;
  training.lora.rank = lora_rank;
  training.lora.target_modules = lora_modules_of(model);
  const bool differences = bytes_per_value == 8, whole_text = policy_row(policy).runs_in_chunks,
             neighbours = !whole_text && config.carry_length > 0;
  SegmentConfig deepest = config;
  if (neighbours) ++deepest.truncation_depth;
  const TrainingCost cost = training_cost(model, deepest, training, policy, bytes_per_value);
  // Besides the weights, memory holds the trainer's gradient, that of L_K in two roundings, the difference from another
  // depth's, and the graphs that compute L_K's again. Finite differences hold one gradient, a direction and a copy of
  // the weights.
  const double gradients = (neighbours ? 5 : 3) * real(cost.memory.gradients);
  // The checks of the forward pass compare the last hidden states of the whole text, run in up to three ways.
  const double n = real(segments), length = real(config.segment_length);
  const double hidden_states = 3 * n * length * real(model.hidden) * bytes_per_value;
  const double memory = real(cost.memory.weights) + gradients + real(cost.memory.graph) + hidden_states;

  // A term of L_K reads its own segment and up to K segments before it.
  const auto once = [&](std::int64_t truncation_depth) {
    const double depth = std::min(real(truncation_depth), n - 1);
    return whole_text ? n * length : length * (n * (depth + 1) - depth * (depth + 1) / 2);
  };
  const std::int64_t K = config.truncation_depth;
  constexpr double forward_and_backward = 3, checkpointed = 4, inference = 1;
  const double forward_ways = bytes_per_value < 4 ? 4 : 3;  // whole segments (in fp32 too), chunks, token by token
  const double runs = n * length * (forward_and_backward + checkpointed + inference + forward_ways);
  double written_out = 2 * once(K);  // once more with other roundings
  if (neighbours && n > 1) {
    if (K > 0) written_out += 2 * once(K - 1);
    written_out += 2 * once(K + 1);
  }
  const double directions = trained_tensors(model, lora_rank) + audit_fixed_directions;
  return {saturated(memory),
          saturated(runs + forward_and_backward * written_out + (differences ? 2 * directions * once(K) : 0))};
}

}  // namespace carryover
