// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/training_cost.h"

#include <algorithm>

#include "engine/config/kv_sharing.h"
#include "engine/cost/policy_table.h"
#include "engine/cost/real.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

constexpr double kMaster = 4;  ///< bytes of an fp32 value

bool targets(const LoraConfig& lora, const WeightRow& row) {
  return std::ranges::find(lora.target_modules, row.module) != lora.target_modules.end();
}

/// Inputs of the matrices that an adapter is on, values per token.
double kept_inputs(const ModelConfig& model, const LoraConfig& lora) {
  std::vector<WeightRow> rows = layer_rows(model, 0);
  std::erase_if(rows, [&](const WeightRow& row) { return !targets(lora, row); });
  double values = 0;
  for (const SlotShape& slot : slot_shapes(rows)) values += real(slot.columns);
  return values;
}

/// Returns how many values per token autograd keeps of one layer: those that the ops of decoder.cpp and forward_map.cpp
/// save. The input of a matmul is kept only if its matrix, or an adapter on it, is trained. kv_rows: as held_kv_rows.
double kept_by_layer(const ModelConfig& model, double kv_rows, const LoraConfig& lora, double bytes_per_value) {
  const double queries = real(model.heads * model.head_dim), keys = kv_rows * real(model.head_dim);
  const double hidden = real(model.hidden), inner = real(model.intermediate), rank = real(lora.rank);
  const bool full = lora.rank == 0;
  double values = 2 * hidden;                                                        // the stream before both norms
  values += 2 * queries + 2 * keys + real(model.heads) * kMaster / bytes_per_value;  // q, k, v, output, log-sums
  values += 2 * inner;                                                               // gate and up
  if (full) return values + queries;  // outputs of the norms and of SwiGLU are computed again
  values += kept_inputs(model, lora);
  return values + rank * real(std::ssize(lora.target_modules));
}

/// Returns how many more values a layer keeps on average for a text of `tokens` under such policies: keys and values of
/// core tokens, by query head; or means of blocks by KV head, the outputs of two more branches, and for the gates their
/// input and their logits.
double kept_besides(const PolicyRow& row, const ModelConfig& model, const SegmentConfig& config, double tokens) {
  double values = 0;
  for (int layer = 0; layer < model.layers; ++layer)
    for (const VisiblePrefix& seen : row.visible(model, config, layer, 0)) {
      if (seen.pooled > 0) values += 2 * real(seen.heads * model.head_dim) * tokens / real(seen.pooled);
      if (seen.branches)
        values += 2 * real(seen.rows * model.head_dim) * tokens / real(seen.branches->block) +
                  (2 * real(seen.heads * model.head_dim) + 3 * real(seen.heads) + real(model.hidden)) * tokens;
    }
  return values / real(model.layers);
}

/// Returns the number of values per token of one layer's activation gradients while it is differentiated.
double passing_by_layer(const ModelConfig& model) {
  const double attention = real((3 * model.heads + 4 * model.kv_heads) * model.head_dim);
  return 2 * real(model.hidden) + std::max(attention, 3 * real(model.intermediate));
}

/// Returns the bytes of all that one sample's forward and backward hold at their peak. attention_kv: bytes of its last
/// segment.
double sample_bytes(const CostModel& cost, const TrainingConfig& training, std::int64_t segments, double trainable,
                    const PolicyRow& row, std::int64_t attention_kv) {
  const bool whole_text = row.runs_in_chunks;
  const ModelConfig& model = cost.model;
  const double b = cost.bytes_per_value, layers = real(model.layers), hidden = real(model.hidden);
  const double m = real(cost.config.segment_length) * (whole_text ? real(segments) : 1);
  const double alive = whole_text ? 1 : real(std::min(segments, cost.config.truncation_depth + 1));
  const double own = m * 2 * layers * real(model.kv_heads * model.head_dim) * b,
               prefixes = std::max(0.0, real(attention_kv) - own);
  double kv_rows = 0;  // mean over the layers
  for (int l = 0; l < model.layers; ++l)
    kv_rows += real(whole_text ? model.kv_heads : held_kv_rows(model, cost.config.grouping, l)) / layers;
  const double layer =
      (kept_by_layer(model, kv_rows, training.lora, b) * m + kept_besides(row, model, cost.config, m)) * b;
  const double held = training.gradient_checkpointing ? hidden * m * b : layer;
  const double ends = 3 * hidden * m * b;  // the last norm's input, the outputs and their gradient
  const double graphs = alive * (layers * held + prefixes + ends);

  const bool everything = training.lora.rank == 0;
  const double head = real(model.vocabulary) * hidden;
  const double logits = std::min(real(logit_block_bytes), b * m * real(model.vocabulary));
  // A layer's gradients are added to the sums before the next layer's appear; those of embedding and head are summed as
  // they are computed.
  const double outside = everything ? (model.tied_embeddings ? 1 : 2) * head : 0;
  const double fresh = (trainable - outside) / layers * b;
  const double backward = fresh + passing_by_layer(model) * m * b + (training.gradient_checkpointing ? layer : 0);
  return graphs + std::max(logits, backward);
}

}  // namespace

std::int64_t lora_parameters(const ModelConfig& model, const LoraConfig& lora) {
  std::int64_t values = 0;
  for (const WeightRow& row : layer_rows(model, 0))
    if (targets(lora, row)) values += lora.rank * (row.rows + row.columns);
  return values * model.layers;
}

TrainingCost training_cost(const ModelConfig& model, const SegmentConfig& config, const TrainingConfig& training,
                           const std::string& policy, int bytes_per_value) {
  const PolicyRow& row = policy_row(policy);
  const CostModel cost{model, config, bytes_per_value};
  const std::int64_t segments = training.train_segments.value_or(config.truncation_depth + 1);
  const std::int64_t adapter = lora_parameters(model, training.lora), gates = row.gated ? gate_parameters(model) : 0;
  const double b = bytes_per_value, master = std::max(kMaster, b);

  TrainingCost result;
  result.trainable_parameters = (training.lora.rank > 0 ? adapter : model.parameters()) + gates;
  const double trainable = real(result.trainable_parameters);
  MemoryBytes& memory = result.memory;
  memory.weights = saturated((real(model.parameters()) + real(adapter) + real(gates)) * b);
  memory.gradients = saturated(trainable * master);
  memory.optimizer = saturated(trainable * (3 * master - b));
  const MemoryBytes run = row.memory(cost, saturated(real(segments) * real(config.segment_length)), {});
  memory.attention_kv = run.attention_kv;
  memory.carry = run.carry;
  memory.pool = run.pool;
  if (training.recall_samples > 0)  // the graphs of their questions are smaller than a text sample's
    memory.pool =
        std::max(memory.pool,
                 row.memory(cost, saturated(real(training.recall_segments) * real(config.segment_length)), {}).pool);
  memory.graph = saturated(sample_bytes(cost, training, segments, trainable, row, run.attention_kv) +
                           real(memory.pool) + real(memory.carry));
  memory.device_peak =
      saturated(real(memory.weights) + real(memory.gradients) + real(memory.optimizer) + real(memory.graph));
  return result;
}

}  // namespace carryover
