// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/audit_cost.h"

#include <algorithm>
#include <limits>

#include "engine/core/training_cost.h"

namespace carryover {

namespace {

double real(std::int64_t value) {
  return static_cast<double>(value);
}

std::int64_t saturated(double value) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return value >= static_cast<double>(most) ? most : static_cast<std::int64_t>(value);
}

/// Tensors that are trained: products that read one input are one matrix (weights.h).
double trained_tensors(const ModelConfig& model, std::int64_t lora_rank) {
  if (lora_rank > 0) return 2 * real(std::ssize(lora_modules())) * real(model.layers);
  return 6 * real(model.layers) + (model.tied_embeddings ? 2 : 3);
}

}  // namespace

AuditCost audit_cost(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                     std::int64_t segments, std::int64_t lora_rank, int bytes_per_value) {
  TrainingConfig training;
  training.gradient_checkpointing = false;
  training.train_segments = segments;
  training.lora.rank = lora_rank;
  training.lora.target_modules = lora_modules();
  const TrainingCost cost = training_cost(model, config, training, policy, bytes_per_value);
  const bool differences = bytes_per_value == 8;
  // Beside the weights: two gradients and the graphs that give the second; then one, a direction and the weights' copy.
  const double gradient = real(cost.memory.gradients);
  const double explicit_peak = 2 * gradient + real(cost.memory.graph);
  const double weights = real(cost.memory.weights);

  // A term of L_K reads its own segment and up to K before it.
  const double n = real(segments), length = real(config.segment_length);
  const double depth = std::min(real(config.truncation_depth), n - 1);
  const double once = policy == "full" ? n * length : length * (n * (depth + 1) - depth * (depth + 1) / 2);
  constexpr double forward_and_backward = 3, checkpointed = 4;
  const double trainers = n * length * (forward_and_backward + checkpointed + 2);  // and two runs that set it up
  const double directions = trained_tensors(model, lora_rank) + audit_fixed_directions;
  return {saturated(weights + std::max(explicit_peak, differences ? 3 * gradient : 0)),
          saturated(trainers + once * (forward_and_backward + (differences ? 2 * directions : 0)))};
}

}  // namespace carryover
