// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/base/memory_bytes.h"
#include "engine/config/segment_config.h"
#include "engine/config/training_config.h"

namespace carryover {

/// The cost of training, estimated before anything is loaded (a dry run measures it).
struct TrainingCost {
  /// `graph` is the peak of all that a sample's forward and backward hold: the K + 1 graphs, one layer's temporaries or
  /// a block of logits, new gradients, carry and pool. `attention_kv`, `carry` and `pool` are parts of it.
  /// `device_peak`: weights, gradients, optimizer and graph together.
  MemoryBytes memory;
  std::int64_t trainable_parameters = 0;
};

/// Estimates a training. `policy`: a row of policy_table.h. `bytes_per_value`: that of the compute dtype. Sizes that no
/// machine has are capped, never wrapped around. Pure; any thread.
TrainingCost training_cost(const ModelConfig& model, const SegmentConfig& config, const TrainingConfig& training,
                           const std::string& policy, int bytes_per_value);

/// Returns the number of values that an adapter of `lora` adds to the model.
std::int64_t lora_parameters(const ModelConfig& model, const LoraConfig& lora);

}  // namespace carryover
