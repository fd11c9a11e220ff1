// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs of the fine-tune form, and the words of the fields that no other row describes.
#include "engine/base/dtype.h"
#include "engine/config/segment_fields.h"
#include "engine/config/training_fields.h"
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

/// Returns the fields of the plan's own.
std::vector<PlanField> own_fields() {
  return {
      {"model", Kind::Model, TEXT("Model"), "", TEXT("The checkpoint to start from: Hugging Face folder or GGUF")},
      {"data", Kind::Paths, TEXT("Texts"), "", TEXT("Files or folders, one per line: text, .jsonl, or .json of ids")},
      {"text_field", Kind::Text, TEXT("JSONL field"), "", TEXT("Which field of a JSONL line holds the text")},
      {"output_dir", Kind::Folder, TEXT("Run folder"), "",
       TEXT("A new folder for metrics, checkpoints and the result")},
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
      {"threads", Kind::Integer, TEXT("Threads"), "", TEXT("0: all cores; the same number repeats a run exactly")}};
}

QStringList texts(std::span<const std::string_view> names) {
  QStringList list;
  for (const std::string_view name : names) list << QString::fromUtf8(name.data());
  return list;
}

PlanField form_field(const SegmentField& field) {
  PlanField row{field.key, Kind::Json, field.label, field.unit, field.help, {}, field.symbol};
  if (field.is<std::int64_t>()) row.kind = Kind::Integer;
  if (field.is<std::optional<std::int64_t>>()) row.kind = Kind::OptionalInteger;
  if (field.is<bool>()) row.kind = Kind::Flag;
  if (std::string_view(field.key) == "long_range_layers") row.kind = Kind::Integers;
  if (const Choice* choice = field.choice()) {
    row.kind = Kind::Choice;
    row.choices = texts(choice->names);
  }
  return row;
}

PlanField form_field(const TrainingField& field) {
  constexpr Kind kinds[] = {Kind::Integer, Kind::OptionalInteger, Kind::Unsigned, Kind::Real,
                            Kind::Flag,    Kind::Integers,        Kind::Modules,  Kind::Choice};
  static_assert(std::size(kinds) == std::variant_size_v<TrainingField::Member>);
  PlanField row{field.key, kinds[field.member.index()], field.label, field.unit, field.help};
  if (const TrainingField::Named* named = field.named()) row.choices = texts(named->names);
  return row;
}

/// Returns the plan's own fields, and those of TrainingConfig, of these names.
PlanGroup group(const char* title, std::initializer_list<std::string_view> keys) {
  PlanGroup made{title, {}};
  for (const std::string_view key : keys)
    if (const TrainingField* field = find_training_field(key))
      made.fields.push_back(form_field(*field));
    else
      for (const PlanField& own : own_fields())
        if (own.key == key) made.fields.push_back(own);
  return made;
}

PlanGroup segment_group() {
  PlanGroup made{TEXT("Segments"), {}};
  for (const SegmentField& field : segment_fields()) {
    made.fields.push_back(form_field(field));
    if (std::string_view(field.key) == "truncation_depth")
      made.fields.push_back(form_field(*find_training_field("train_segments")));
  }
  return made;
}

std::vector<PlanGroup> all_groups() {
  return {group(TEXT("Data"), {"model", "data", "text_field", "output_dir", "validation_fraction", "eval_steps",
                               "eval_lengths", "policy", "dtype", "device", "threads", "seed"}),
          segment_group(),
          group(TEXT("Optimisation"), {"max_steps", "micro_batch_size", "gradient_accumulation_steps", "learning_rate",
                                       "lr_scheduler_type", "warmup_steps", "weight_decay", "adam_beta1", "adam_beta2",
                                       "adam_epsilon", "max_grad_norm", "distillation", "gradient_checkpointing"}),
          group(TEXT("Recall"), {"recall_samples", "recall_segments", "recall_weight"}),
          group(TEXT("LoRA"), {"lora_rank", "lora_alpha", "lora_dropout", "use_rslora", "lora_target_modules"}),
          group(TEXT("Checkpoints"), {"save_steps", "save_total_limit"}),
          group(TEXT("Safety"), {"on_alert", "spike_factor"})};
}

#undef TEXT

}  // namespace

const std::vector<PlanGroup>& plan_groups() {
  static const std::vector<PlanGroup> groups = all_groups();
  return groups;
}

}  // namespace carryover
