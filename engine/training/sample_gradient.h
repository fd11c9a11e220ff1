// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/ops/logit_loss.h"
#include "engine/policies/prepared_run.h"
#include "engine/runtime/memory_meter.h"
#include "engine/training/parameters.h"
#include "engine/training/records/training_values.h"

namespace carryover {

/// The settings of running samples for their gradients.
struct GradientSetup {
  std::string policy = "segmented";
  SegmentConfig config;
  bool checkpointing = false;
  AdapterDropout dropout = {};
  std::function<void(int layer)> after_layer = {};
  std::function<void(const LayerSight&)> watch = {};
  bool keep_segments = false;    ///< fill SampleGradient::segments
  bool keep_pool = false;        ///< fill SampleGradient::pool
  MemoryMeter* meter = nullptr;  ///< measures the graphs where given
  /// For distillation: row t belongs to the target behind the sample's token t.
  std::optional<ops::SoftTargets> soft = std::nullopt;
};

/// The numbers and records that a sample gives beside its gradient.
struct SampleGradient {
  std::int64_t targets = 0;
  double nll_sum = 0;               ///< nats
  double soft_loss_sum = 0;         ///< Σ −p_T log p, nats; of GradientSetup::soft
  std::vector<double> segment_nll;  ///< sums, in nats
  std::vector<std::int64_t> segment_targets;
  std::vector<GradientReach> reach;
  MemoryBytes memory;  ///< graph, activations, attention_kv, carry, pool
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
  std::vector<at::Tensor> pool;  ///< PolicyState::pool_contents() after the last segment
};

/// Adds ∇L_K of one sample, the gradient of its ΣNLL, to `parameters`: runs F_θ over it segment by segment with
/// truncated backpropagation. With soft targets the terms are Σ (1 − λ)·NLL + λ·soft_loss instead. Under `full` the
/// whole sample is one segment. Carry and pool live during the call only.
SampleGradient add_sample_gradient(const Decoder& decoder, TrainableParameters& parameters, const GradientSetup& setup,
                                   std::span<const std::int32_t> ids);

}  // namespace carryover
