// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/training_fields.h"

#include <algorithm>
#include <iterator>

#include "engine/base/translated_text.h"

namespace carryover {

namespace {

using Training = TrainingConfig;

constexpr std::string_view kScheduleNames[] = {"constant", "cosine"};
constexpr std::string_view kAlertNames[] = {"pause", "skip", "stop"};

constexpr NumberRange at_least(double least) {
  return {least};
}
constexpr NumberRange kAboveZero{0, true}, kShare{0, false, 1}, kWeight{0, false, 1, true}, kUnbounded{};

constexpr TrainingFlag kNoFlag{};
constexpr TrainingFlag training_flag(const char* type, const char* help) {
  return {"Training", type, help};
}
constexpr TrainingFlag adapter_flag(const char* type, const char* help) {
  return {"Adapter", type, help};
}
constexpr TrainingFlag checkpoint_flag(const char* type, const char* help) {
  return {"Validation and checkpoints", type, help};
}

constexpr TrainingField training_rows[] = {
    {"max_steps", TEXT("Steps"), TEXT(" steps"), TEXT("Total number of optimizer steps"),
     setting_at<&Training::max_steps>(), at_least(1), training_flag("N", "optimizer steps")},
    {"learning_rate", TEXT("Learning rate"), "", TEXT("Learning rate of AdamW after the warm-up"),
     setting_at<&Training::learning_rate>(), kAboveZero,
     training_flag("RATE", "learning rate of AdamW after the warm-up")},
    {"lr_scheduler_type", TEXT("Schedule"), "", TEXT("After the warm-up; cosine falls to 0"),
     named_setting<&Training::lr_scheduler_type>(kScheduleNames), kUnbounded,
     training_flag("NAME", "constant or cosine")},
    {"warmup_steps", TEXT("Warm-up"), TEXT(" steps"), TEXT("Steps in which the learning rate rises linearly"),
     setting_at<&Training::warmup_steps>(), at_least(0),
     training_flag("N", "steps in which the learning rate rises linearly")},
    {"micro_batch_size", TEXT("Samples per micro-batch"), "", TEXT("They run one after another"),
     setting_at<&Training::micro_batch_size>(), at_least(1), training_flag("N", "samples per micro-batch")},
    {"gradient_accumulation_steps", TEXT("Accumulation"), TEXT(" micro-batches"),
     TEXT("Micro-batches per optimizer step"), setting_at<&Training::gradient_accumulation_steps>(), at_least(1),
     training_flag("N", "micro-batches per step")},
    {"train_segments", TEXT("Segments per sample"), "", TEXT("0: K + 1"), setting_at<&Training::train_segments>(),
     at_least(1), training_flag("N", "segments per sample (K + 1)")},
    {"weight_decay", TEXT("Weight decay"), "", TEXT("AdamW's decay of matrices; norms are not decayed"),
     setting_at<&Training::weight_decay>(), at_least(0), training_flag("X", "weight decay of matrices")},
    {"adam_beta1", TEXT("Adam β₁"), "", TEXT("Decay of the first moment"), setting_at<&Training::adam_beta1>(), kShare,
     kNoFlag},
    {"adam_beta2", TEXT("Adam β₂"), "", TEXT("Decay of the second moment"), setting_at<&Training::adam_beta2>(), kShare,
     kNoFlag},
    {"adam_epsilon", TEXT("Adam ε"), "", TEXT("AdamW's ε, added to the denominator"),
     setting_at<&Training::adam_epsilon>(), kAboveZero, kNoFlag},
    {"max_grad_norm", TEXT("Clip gradient at"), "", TEXT("Largest norm of the gradient; 0: no clipping"),
     setting_at<&Training::max_grad_norm>(), at_least(0),
     training_flag("X", "gradients are clipped to this norm; 0: never")},
    {"distillation", TEXT("Distillation"), "",
     TEXT("Weight of the KL to the model's own full attention, 0 to 1; 0: none"), setting_at<&Training::distillation>(),
     kWeight,
     training_flag("X",
                   "weight, 0 to 1, of the KL divergence from the model under full attention before step 0; the "
                   "cross-entropy has the rest; 0: none")},
    {"recall_samples", TEXT("Documents"), TEXT(" per step"),
     TEXT("Documents with needles, in addition to the samples of the texts; only their answers have a loss"),
     setting_at<&Training::recall_samples>(), at_least(0),
     training_flag(
         "N",
         "documents with needles per step, in addition to the samples of the texts; only their answers have a "
         "loss")},
    {"recall_segments", TEXT("Length"), TEXT(" segments at most"), TEXT("A document has 2, 4, 8 … segments"),
     setting_at<&Training::recall_segments>(), at_least(2),
     training_flag("N", "maximum number of segments of such a document")},
    {"recall_weight", TEXT("Weight"), "", TEXT("Weight of an answer's token in the loss; a token of the text has 1"),
     setting_at<&Training::recall_weight>(), kAboveZero,
     training_flag("X", "weight of an answer's token in the loss; a token of the texts has 1")},
    {"gradient_checkpointing", TEXT("Checkpointing"), "",
     TEXT("Recomputes each layer in the backward pass: less memory, a third slower"),
     setting_at<&Training::gradient_checkpointing>(), kUnbounded,
     training_flag("", "gradient checkpointing: recompute each layer in the backward pass; less memory, more time")},
    {"seed", TEXT("Seed"), "", TEXT("Seed of the order of samples, of LoRA's initial weights and of dropout"),
     setting_at<&Training::seed>(), kUnbounded, kNoFlag},
    {"lora_rank", TEXT("Rank"), "", TEXT("0: every parameter is trained instead"),
     setting_at<&Training::lora, &LoraConfig::rank>(), at_least(0),
     adapter_flag("N", "train an adapter of this rank; 0: every parameter")},
    {"lora_alpha", TEXT("Alpha"), "", TEXT("The adapter's scale is alpha / rank"),
     setting_at<&Training::lora, &LoraConfig::alpha>(), kAboveZero,
     adapter_flag("X", "the adapter's scale is alpha / rank")},
    {"lora_dropout", TEXT("Dropout"), "", TEXT("Dropout of the adapter's input, 0 to 1"),
     setting_at<&Training::lora, &LoraConfig::dropout>(), kShare, adapter_flag("P", "dropout of the adapter's input")},
    {"lora_target_modules", TEXT("Modules"), "", TEXT("The linear maps that get an adapter"),
     setting_at<&Training::lora, &LoraConfig::target_modules>(), kUnbounded,
     adapter_flag("LIST", "such as q_proj,k_proj,v_proj,o_proj")},
    {"use_rslora", TEXT("rsLoRA"), "", TEXT("The scale is alpha / √rank"),
     setting_at<&Training::lora, &LoraConfig::rslora>(), kUnbounded,
     adapter_flag("", "scale by alpha / √rank instead")},
    {"validation_fraction", TEXT("Held out"), "", TEXT("Share of the tokens kept for validation"),
     setting_at<&Training::validation_fraction>(), kShare,
     checkpoint_flag("P", "share of the tokens that is held out")},
    {"eval_steps", TEXT("Validate every"), TEXT(" steps"), TEXT("0: at the end only"),
     setting_at<&Training::eval_steps>(), at_least(0), checkpoint_flag("N", "validate every N steps; 0: at the end")},
    {"eval_lengths", TEXT("Validation lengths"), TEXT("tokens"),
     TEXT("Context lengths such as 1024, 4096; empty: the length of a sample"), setting_at<&Training::eval_lengths>(),
     at_least(2), checkpoint_flag("LIST", "context lengths of validation, in tokens")},
    {"save_steps", TEXT("Save every"), TEXT(" steps"), TEXT("0: at the end only"), setting_at<&Training::save_steps>(),
     at_least(0), checkpoint_flag("N", "a checkpoint every N steps; 0: at the end")},
    {"save_total_limit", TEXT("Keep"), TEXT(" checkpoints"), TEXT("The newest ones"),
     setting_at<&Training::save_total_limit>(), at_least(1), checkpoint_flag("N", "checkpoints kept")},
    {"on_alert", TEXT("On an alert"), "", TEXT("On a NaN or a spike: pause, skip the step, or stop"),
     named_setting<&Training::on_alert>(kAlertNames), kUnbounded,
     checkpoint_flag(
         "NAME",
         "on a loss that is not finite or spikes: pause or stop (both save a checkpoint and end the program), or "
         "skip the step")},
    {"spike_factor", TEXT("Spike"), TEXT("× smoothed loss"),
     TEXT("A loss above this multiple of the smoothed loss is a spike; 0: no check for spikes"),
     setting_at<&Training::spike_factor>(), at_least(0), kNoFlag},
};

}  // namespace

bool TrainingField::can_be_turned_off() const {
  const auto* value = as<bool>();
  return value != nullptr && value->get(TrainingConfig{});
}

std::span<const TrainingField> training_fields() {
  return training_rows;
}

const TrainingField* find_training_field(std::string_view key) {
  const auto* found = std::ranges::find(training_rows, key, &TrainingField::key);
  return found == std::end(training_rows) ? nullptr : found;
}

}  // namespace carryover
