// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the fine-tune form.
#include "engine/base/dtype.h"
#include "engine/config/segment_fields.h"
#include "engine/cost/policy_table.h"
#include "widgets/training/state/plan_values.h"

namespace carryover {
namespace {

using Kind = PlanField::Kind;

#define TEXT(text) QT_TRANSLATE_NOOP("carryover", text)

QStringList policies() {
  QStringList names;
  for (const std::string& name : policy_names()) names << QString::fromStdString(name);
  return names;
}

PlanGroup data_group() {
  return {
      TEXT("Data"),
      {{"model", Kind::Model, TEXT("Model"), "", TEXT("The checkpoint to start from: Hugging Face folder or GGUF")},
       {"data", Kind::Paths, TEXT("Texts"), "", TEXT("Files or folders, one per line: text, .jsonl, or .json of ids")},
       {"text_field", Kind::Text, TEXT("JSONL field"), "", TEXT("Which field of a JSONL line holds the text")},
       {"output_dir", Kind::Folder, TEXT("Run folder"), "",
        TEXT("A new folder for metrics, checkpoints and the result")},
       {"validation_fraction", Kind::Real, TEXT("Held out"), "", TEXT("Share of the tokens kept for validation")},
       {"eval_steps", Kind::Integer, TEXT("Validate every"), TEXT(" steps"), TEXT("0: at the end only")},
       {"eval_lengths", Kind::Integers, TEXT("Validation lengths"), TEXT("tokens"),
        TEXT("Context lengths such as 1024, 4096; empty: the length of a sample")},
       {"policy", Kind::Choice, TEXT("Execution"), "",
        TEXT("segmented: in segments, as the model will be run; full: under full attention, for comparison"),
        policies()},
       {"dtype",
        Kind::Choice,
        TEXT("dtype"),
        "",
        TEXT("dtype of the computation; master weights are always fp32"),
        {"auto", "fp32", "bf16", "fp64"}},
       {"device", Kind::Choice, TEXT("Device"), "", TEXT("auto: the GPU if there is one"), {"auto", "cpu", "cuda"}},
       {"threads", Kind::Integer, TEXT("Threads"), "", TEXT("0: all cores; the same number repeats a run exactly")},
       {"seed", Kind::Unsigned, TEXT("Seed"), "",
        TEXT("Seed of the order of samples, of LoRA's initial weights and of dropout")}}};
}

Kind kind_of(const SegmentField& field) {
  if (field.is<std::int64_t>()) return Kind::Integer;
  if (field.is<std::optional<std::int64_t>>()) return Kind::OptionalInteger;
  if (field.is<bool>()) return Kind::Flag;
  if (field.choice() != nullptr) return Kind::Choice;
  return std::string_view(field.key) == "long_range_layers" ? Kind::Integers : Kind::Json;
}

PlanGroup segment_group() {
  PlanGroup group{TEXT("Segments"), {}};
  for (const SegmentField& field : segment_fields()) {
    PlanField row{field.key, kind_of(field), field.label, field.unit, field.help, {}, field.symbol};
    if (const Choice* choice = field.choice())
      for (const std::string_view name : choice->names) row.choices << QString::fromUtf8(name.data());
    group.fields.push_back(row);
    if (std::string_view(field.key) == "truncation_depth")
      group.fields.push_back(
          {"train_segments", Kind::OptionalInteger, TEXT("Segments per sample"), "", TEXT("0: K + 1")});
  }
  return group;
}

PlanGroup optimisation_group() {
  return {
      TEXT("Optimisation"),
      {{"max_steps", Kind::Integer, TEXT("Steps"), TEXT(" steps"), TEXT("Total number of optimizer steps")},
       {"micro_batch_size", Kind::Integer, TEXT("Samples per micro-batch"), "", TEXT("They run one after another")},
       {"gradient_accumulation_steps", Kind::Integer, TEXT("Accumulation"), TEXT(" micro-batches"),
        TEXT("Micro-batches per optimizer step")},
       {"learning_rate", Kind::Real, TEXT("Learning rate"), "", TEXT("Learning rate of AdamW after the warm-up")},
       {"lr_scheduler_type",
        Kind::Choice,
        TEXT("Schedule"),
        "",
        TEXT("After the warm-up; cosine falls to 0"),
        {"constant", "cosine"}},
       {"warmup_steps", Kind::Integer, TEXT("Warm-up"), TEXT(" steps"),
        TEXT("Steps in which the learning rate rises linearly")},
       {"weight_decay", Kind::Real, TEXT("Weight decay"), "", TEXT("AdamW's decay of matrices; norms are not decayed")},
       {"adam_beta1", Kind::Real, TEXT("Adam β₁"), "", TEXT("Decay of the first moment")},
       {"adam_beta2", Kind::Real, TEXT("Adam β₂"), "", TEXT("Decay of the second moment")},
       {"adam_epsilon", Kind::Real, TEXT("Adam ε"), "", TEXT("AdamW's ε, added to the denominator")},
       {"max_grad_norm", Kind::Real, TEXT("Clip gradient at"), "",
        TEXT("Largest norm of the gradient; 0: no clipping")},
       {"distillation", Kind::Real, TEXT("Distillation"), "",
        TEXT("Weight of the KL to the model's own full attention, 0 to 1; 0: none")},
       {"gradient_checkpointing", Kind::Flag, TEXT("Checkpointing"), "",
        TEXT("Recomputes each layer in the backward pass: less memory, a third slower")}}};
}

PlanGroup recall_group() {
  return {TEXT("Recall"),
          {{"recall_samples", Kind::Integer, TEXT("Documents"), TEXT(" per step"),
            TEXT("Documents with needles, in addition to the samples of the texts; only their answers have a loss")},
           {"recall_segments", Kind::Integer, TEXT("Length"), TEXT(" segments at most"),
            TEXT("A document has 2, 4, 8 … segments")},
           {"recall_weight", Kind::Real, TEXT("Weight"), "",
            TEXT("Weight of an answer's token in the loss; a token of the text has 1")}}};
}

PlanGroup lora_group() {
  return {TEXT("LoRA"),
          {{"lora_rank", Kind::Integer, TEXT("Rank"), "", TEXT("0: every parameter is trained instead")},
           {"lora_alpha", Kind::Real, TEXT("Alpha"), "", TEXT("The adapter's scale is alpha / rank")},
           {"lora_dropout", Kind::Real, TEXT("Dropout"), "", TEXT("Dropout of the adapter's input, 0 to 1")},
           {"use_rslora", Kind::Flag, TEXT("rsLoRA"), "", TEXT("The scale is alpha / √rank")},
           {"lora_target_modules", Kind::Modules, TEXT("Modules"), "", TEXT("The linear maps that get an adapter")}}};
}

PlanGroup checkpoint_group() {
  return {TEXT("Checkpoints"),
          {{"save_steps", Kind::Integer, TEXT("Save every"), TEXT(" steps"), TEXT("0: at the end only")},
           {"save_total_limit", Kind::Integer, TEXT("Keep"), TEXT(" checkpoints"), TEXT("The newest ones")}}};
}

PlanGroup safety_group() {
  return {TEXT("Safety"),
          {{"on_alert",
            Kind::Choice,
            TEXT("On an alert"),
            "",
            TEXT("On a NaN or a spike: pause, skip the step, or stop"),
            {"pause", "skip", "stop"}},
           {"spike_factor", Kind::Real, TEXT("Spike"), TEXT("× smoothed loss"),
            TEXT("A loss above this multiple of the smoothed loss is a spike; 0: no check for spikes")}}};
}

#undef TEXT

}  // namespace

const std::vector<PlanGroup>& plan_groups() {
  static const std::vector<PlanGroup> groups{data_group(), segment_group(),    optimisation_group(), recall_group(),
                                             lora_group(), checkpoint_group(), safety_group()};
  return groups;
}

}  // namespace carryover
