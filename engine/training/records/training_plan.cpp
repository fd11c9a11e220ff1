// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/records/training_plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/checkpoints/model_source.h"
#include "engine/config/setting.h"
#include "engine/cost/policy_table.h"
#include "engine/families/weight_rows.h"
#include "engine/training/records/training_values.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr int kMostThreads = 1024;

/// dtype and device name a Usage error where they come from a flag; here they come from a field.
template <typename Parse>
auto read_name(Parse parse, const json& value, const std::string& where, const std::string& field) {
  const std::string text = read_string(value, where, field);
  try {
    return parse(text);
  } catch (const EngineError& error) {
    refuse_field(where, field, "is '" + text.substr(0, 60) + "'", error.advice());
  }
}

void read_field(const json& value, const std::string& where, const std::string& field, DType& dtype) {
  dtype = read_name(parse_dtype, value, where, field);
}
void read_field(const json& value, const std::string& where, const std::string& field, Device& device) {
  device = read_name(parse_device, value, where, field);
}
void read_field(const json& value, const std::string& where, const std::string& field, int& threads) {
  const std::int64_t count = read_integer(value, where, field);
  if (count < 0 || count > kMostThreads)
    refuse_field(where, field, "is " + std::to_string(count), "Give 0 (all) to 1024.");
  threads = static_cast<int>(count);
}
json json_of(DType dtype) {
  return dtype_name(dtype);
}
json json_of(Device device) {
  return device_name(device);
}

/// Calls visit(key, member) for each field of the plan's own.
template <typename Plan, typename Visit>
void each_own_field(Plan& plan, Visit visit) {
  visit("model", plan.model);
  visit("data", plan.data);
  visit("text_field", plan.text_field);
  visit("output_dir", plan.output_dir);
  visit("policy", plan.policy);
  visit("dtype", plan.dtype);
  visit("device", plan.device);
  visit("threads", plan.threads);
}

const std::vector<std::string>& known_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    const json plan = plan_json({});
    for (const auto& [key, value] : plan.items()) all.push_back(key);
    return all;
  }();
  return names;
}

[[noreturn]] void refuse_name(const std::string& key, const std::string& where) {
  const std::string nearest = nearest_name(key, known_names());
  refuse_field(where, key.substr(0, 80), "is not a field of a training run",
               nearest.empty() ? "Remove it, or correct its spelling." : "Do you mean " + nearest + "?");
}

/// Segmented execution's defaults depend on the model, which is opened for them only where a field is left open: a
/// finished run's whole plan is readable where its model is not at hand.
SegmentConfig segment_defaults(const std::string& model, const json& given) {
  const json all = SegmentConfig{};
  const bool whole =
      std::all_of(all.items().begin(), all.items().end(), [&](const auto& item) { return given.contains(item.key()); });
  return whole ? SegmentConfig{} : SegmentConfig::defaults_for(ModelSource::open(model)->config());
}

/// A preset starts from the defaults, so that the order in which presets are tried leaves no traces.
void start(TrainingPlan& plan, std::int64_t segment, std::int64_t memory) {
  SegmentConfig config;
  config.grouping = plan.config.grouping;
  config.rope = plan.config.rope;
  config.segment_length = segment;
  config.carry_length = config.retrieval_length = memory;
  config.truncation_depth = 1;
  plan.config = config;
  plan.training = {};
  plan.policy = "segmented";
  plan.dtype = DType::Auto;
  plan.device = Device::Auto;
}

void apply_paper(TrainingPlan& plan) {
  start(plan, 4096, 512);
  plan.dtype = DType::BFloat16;
  plan.device = Device::Cuda;
}

void apply_smollm2_gpu(TrainingPlan& plan) {
  start(plan, 1024, 128);
  plan.dtype = DType::BFloat16;
  plan.device = Device::Cuda;
  plan.training.learning_rate = 5e-5;
}

void apply_smollm2_cpu(TrainingPlan& plan) {
  start(plan, 512, 64);
  plan.training.lora.rank = 16;
  plan.training.lora.target_modules = lora_modules_of(ModelConfig{});  // LLaMA's
  plan.training.learning_rate = 5e-4;
  plan.training.gradient_accumulation_steps = 2;
  plan.training.max_steps = 150;
  plan.training.gradient_checkpointing = false;
}

void apply_tiny_demo(TrainingPlan& plan) {
  start(plan, 64, 16);
  plan.dtype = DType::Float32;
  plan.training.learning_rate = 3e-3;
  plan.training.gradient_accumulation_steps = 4;
  plan.training.max_steps = 200;
  plan.training.gradient_checkpointing = false;
}

}  // namespace

std::int64_t TrainingPlan::segments_per_sample() const {
  return training.train_segments.value_or(config.truncation_depth + 1);
}

void TrainingPlan::validate(const ModelConfig& model_config, const std::string& where) const {
  if (find_policy(policy) == nullptr)
    refuse_field(where, "policy", "is '" + policy.substr(0, 60) + "'", "Use one of " + listed_policies(", ") + ".");
  if (!find_policy(policy)->trained)
    refuse_field(where, "policy", "is " + policy + ", under which nothing is trained",
                 "Train under one of " + listed_policies(", ", true) + ", and run the result under " + policy + ".");
  if (text_field.empty()) refuse_field(where, "text_field", "is empty", "Name the field of a JSONL line, as text.");
  config.validate(model_config, where);
  training.validate(model_config, where);
  if (training.recall_samples > 0 && find_policy(policy)->runs_in_chunks)
    refuse_field(where, "recall_samples", "is " + std::to_string(training.recall_samples) + " under " + policy,
                 "Recall samples need segments: use the policy segmented, or set it to 0.");
  if (segments_per_sample() > kMostSampleSegments)
    refuse_field(where, training.train_segments ? "train_segments" : "truncation_depth",
                 "asks for " + std::to_string(segments_per_sample()) + " segments in a sample",
                 "K from 0 to 3 and samples of K + 1 segments are usual.");
  if (training.recall_samples > 0 && training.recall_segments > kMostSampleSegments)
    refuse_field(where, "recall_segments", "is " + std::to_string(training.recall_segments), "Use 32 or fewer.");
  if (tokens_per_sample() < 2)
    refuse_field(where, "segment_length", "makes samples of one token, which have nothing to predict",
                 "Use longer segments, or more of them (train_segments).");
}

json plan_json(const TrainingPlan& plan) {
  json object = plan.config;
  object.update(json(plan.training));
  each_own_field(plan, [&](const char* key, const auto& value) { object[key] = json_of(value); });
  return object;
}

TrainingPlan plan_from_json(const json& fields, const std::string& where) {
  if (!fields.is_object()) throw EngineError(Fault::BadInput, where, "is not a JSON object", "Give fields by name.");
  const auto& names = known_names();
  TrainingPlan plan;
  json segment_fields = json::object();
  for (const auto& item : fields.items()) {  // clang 14 captures no structured binding
    const std::string& key = item.key();
    const json& value = item.value();
    if (key == "environment") continue;  // a run's config.json describes the machine beside the plan
    if (std::find(names.begin(), names.end(), key) == names.end()) refuse_name(key, where);
    bool known = update_field(plan.training, key, value, where);
    each_own_field(plan, [&](const char* name, auto& member) {
      if (key != name) return;
      read_field(value, where, key, member);
      known = true;
    });
    if (!known) segment_fields[key] = value;
  }
  if (plan.model.empty())
    throw EngineError(Fault::BadInput, where, "names no model",
                      "Set \"model\" (or --model) to a Hugging Face folder or a GGUF file.");
  plan.config = segment_defaults(plan.model, segment_fields);
  update_from_json(plan.config, segment_fields, where);
  return plan;
}

const std::vector<TrainingPreset>& training_presets() {
  static const std::vector<TrainingPreset> presets{
      {"paper-7b", "The paper's alignment of a 7B model, on a GPU", apply_paper},
      {"smollm2-gpu", "SmolLM2-135M, all parameters, on a GPU", apply_smollm2_gpu},
      {"smollm2-cpu", "SmolLM2-135M, an adapter, on a CPU", apply_smollm2_cpu},
      {"tiny-demo", "The demo model, in a minute or two", apply_tiny_demo},
  };
  return presets;
}

}  // namespace carryover
