// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/families/model_config.h"

namespace carryover {

/// Low-rank adapters (LoRA): W·x + scale·B·A·x with W frozen. With rank 0, every parameter is trained instead.
struct LoraConfig {
  std::int64_t rank = 0;  ///< r ≥ 0
  double alpha = 16;
  double dropout = 0;   ///< dropout of the adapter's input, in [0, 1)
  bool rslora = false;  ///< scale = alpha/√r in place of alpha/r
  std::vector<std::string> target_modules = {"q_proj", "k_proj", "v_proj", "o_proj"};

  double scale() const;
  bool operator==(const LoraConfig&) const = default;
};

enum class LrSchedule { Constant, Cosine };
/// The reaction of training to a NaN or a spike of the loss.
enum class AlertPolicy { Pause, Skip, Stop };

/// All settings of training besides those of segmented execution (subsec:objective), by their JSON names, spelled as
/// users of other trainers know them. A plain value; any thread.
struct TrainingConfig {
  std::int64_t max_steps = 1000;                 ///< optimizer steps ≥ 1
  std::int64_t micro_batch_size = 1;             ///< samples between checks of the controls; they run one after another
  std::int64_t gradient_accumulation_steps = 8;  ///< micro-batches of a step
  std::optional<std::int64_t> train_segments;    ///< segments of a sample; K + 1 by default
  double learning_rate = 2e-5;
  LrSchedule lr_scheduler_type = LrSchedule::Constant;  ///< "constant" or "cosine", both after the warm-up
  std::int64_t warmup_steps = 20;
  double weight_decay = 0;  ///< for matrices; norms have none
  double adam_beta1 = 0.9, adam_beta2 = 0.999, adam_epsilon = 1e-8;
  double max_grad_norm = 1;            ///< 0: no clipping
  double distillation = 0;             ///< λ in [0, 1]: the loss is (1 − λ)·NLL + λ·cross-entropy to the teacher
  std::int64_t recall_samples = 0;     ///< documents per step, beside samples of text, whose needles are asked for
  std::int64_t recall_segments = 32;   ///< most segments of such a document; half of it, a quarter … occur as often
  double recall_weight = 10;           ///< weight of an answer's token, where a token of text has 1
  bool gradient_checkpointing = true;  ///< in backward, a layer's forward runs again from its kept inputs
  std::uint64_t seed = 42;
  double validation_fraction = 0.05;  ///< share of the tokens that is held out: whole documents, or the end of a single
                                      ///< one; 0: none
  std::int64_t eval_steps = 0;        ///< validation every so many steps and at the end; 0: at the end only
  std::vector<std::int64_t> eval_lengths;     ///< tokens; empty: one sample's length
  std::int64_t save_steps = 100;              ///< a checkpoint every so many steps; 0: at the end only
  std::int64_t save_total_limit = 2;          ///< checkpoints kept, the newest ones
  AlertPolicy on_alert = AlertPolicy::Pause;  ///< "pause", "skip" (leave the step out) or "stop"
  double spike_factor = 3;                    ///< a loss over this many times the smoothed one is a spike; 0: never
  LoraConfig lora;  ///< JSON: lora_rank, lora_alpha, lora_dropout, lora_target_modules, use_rslora

  std::int64_t samples_per_step() const { return micro_batch_size * gradient_accumulation_steps; }
  /// Returns the learning rate of a step, counted from 0.
  double rate_at(std::int64_t step) const;

  /// Throws EngineError{BadInput}, which names the field.
  void validate(const ModelConfig& model, const std::string& where) const;
  bool operator==(const TrainingConfig&) const = default;
};

void to_json(nlohmann::json& json, const TrainingConfig& config);
/// Applies one field. Returns false if this config has no such field. Throws EngineError{BadInput} for a wrong type.
bool update_field(TrainingConfig& config, const std::string& key, const nlohmann::json& value,
                  const std::string& where);

}  // namespace carryover
