// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/training/train_report.h"

#include <cmath>
#include <cstdio>

#include "engine/base/byte_size.h"
#include "engine/base/duration_text.h"
#include "engine/base/text_parts.h"
#include "engine/cost/training_cost.h"
#include "engine/training/records/teacher_file.h"

namespace carryover {

namespace {

using nlohmann::json;

std::string count(std::int64_t value) {
  return std::to_string(value);
}

struct Component {
  const char* field;
  const char* title;
};
/// The indented rows behind `graph` are parts of it.
constexpr Component kComponents[] = {{"weights", "weights"},
                                     {"gradients", "gradients"},
                                     {"optimizer", "optimizer"},
                                     {"graph", "graphs of a sample"},
                                     {"attention_kv", "  attention-visible KV"},
                                     {"carry", "  carry"},
                                     {"pool", "  pool"},
                                     {"device_peak", "all, at the peak"}};

}  // namespace

json dry_run_json(const TrainingPlan& plan, const ModelInfo& model, const StepRecord& step) {
  const TrainingCost cost =
      training_cost(model.config, plan.config, plan.training, plan.policy, bytes_per_value(model.dtype));
  const double steps = static_cast<double>(plan.training.max_steps);
  return {
      {"measured", step.memory},
      {"estimated", cost.memory},
      {"device", device_name(model.device)},
      {"trainable_parameters", cost.trainable_parameters},
      {"parameters", model.config.parameters()},
      {"loss", step.loss},
      {"max_steps", plan.training.max_steps},
      {"seconds_per_step", step.seconds},
      {"tokens_per_second", step.tokens_per_second},
      {"seconds_for_all_steps", step.seconds * steps},
      {"teacher_bytes", plan.training.distillation > 0 ? json(teacher_bytes(plan, model.config.vocabulary)) : json()}};
}

std::string dry_run_text(const json& report) {
  std::string text = "memory                          measured   estimated\n";
  for (const Component& component : kComponents) {
    char line[120];
    std::snprintf(line, sizeof line, "%-28s %11s %11s\n", component.title,
                  size_text(report.at("measured").at(component.field).get<double>()).c_str(),
                  size_text(report.at("estimated").at(component.field).get<double>()).c_str());
    text += line;
  }
  const auto real = [&](const char* field) {
    return report.at(field).is_null() ? 0.0 : report.at(field).get<double>();
  };
  text += "trained    " + fixed_text(real("trainable_parameters") / 1e6, 2) + " M of " +
          fixed_text(real("parameters") / 1e6, 2) + " M parameters\n";
  text += "time       " + human_duration(real("seconds_per_step")) + " a step, " +
          fixed_text(real("tokens_per_second"), 1) + " tokens/s, " + human_duration(real("seconds_for_all_steps")) +
          " for " + report.at("max_steps").dump() + " steps\n";
  if (report.at("device") == "cpu") text += "The measured peak is the whole process's, LibTorch itself included.\n";
  return text + "Nothing was written.\n";
}

json training_summary_json(const TrainingSummary& summary) {
  return {{"steps", summary.steps},
          {"tokens", summary.tokens},
          {"seconds", summary.seconds},
          {"last_loss", summary.last_loss},
          {"peak_memory_bytes", summary.peak_memory_bytes},
          {"stopped", summary.stopped},
          {"checkpoint", summary.checkpoint},
          {"final_folder", summary.final_folder}};
}

std::string training_summary_text(const TrainingSummary& summary) {
  const double rate = summary.seconds > 0 ? static_cast<double>(summary.tokens) / summary.seconds : 0;
  std::string text = "trained    " + count(summary.steps) + " steps, " + count(summary.tokens) + " tokens" +
                     (summary.stopped ? " (stopped)" : "") + "\n";
  text += "loss       " + fixed_text(summary.last_loss, 4) + " nats a target in the last step\n";
  text += "time       " + human_duration(summary.seconds) + ", " + fixed_text(rate, 1) + " tokens/s\n";
  text += "memory     peak " + size_text(static_cast<double>(summary.peak_memory_bytes)) + "\n";
  if (!summary.checkpoint.empty()) text += "checkpoint " + summary.checkpoint + "\n";
  if (!summary.final_folder.empty()) text += "written    " + summary.final_folder + "\n";
  return text;
}

std::string step_text(const StepRecord& record, std::int64_t max_steps) {
  return "step " + count(record.step) + " of " + count(max_steps) + ", loss " + fixed_text(record.loss, 4) +
         (record.distillation_loss ? ", distillation " + fixed_text(*record.distillation_loss, 4) : "") +
         (record.recall_loss ? ", recall " + fixed_text(*record.recall_loss, 4) : "") +
         (record.skipped ? " (skipped)" : "") + ", " +
         fixed_text(record.tokens_per_second, record.tokens_per_second < 10 ? 1 : 0) + " tokens/s";
}

std::string validation_text(const ValidationRecord& record) {
  std::string text = "validation after step " + count(record.step) + ": perplexity";
  for (const auto& entry : record.lengths)
    text += std::string(&entry == record.lengths.data() ? " " : ", ") + fixed_text(std::exp(entry.nll_mean), 3) +
            " at " + count(entry.length) + " tokens";
  return text;
}

std::string training_text(const TrainingPlan& plan, const ModelInfo& model, std::int64_t train_tokens,
                          std::int64_t held_out_tokens) {
  const SegmentConfig& config = plan.config;
  const TrainingConfig& training = plan.training;
  std::string text = "model      " + model.config.name + ", " + std::string(dtype_name(model.dtype)) + " on " +
                     std::string(device_name(model.device)) + ", " + count(model.threads) + " threads\n";
  text += "policy     " + plan.policy + ", S " + count(config.segment_length) + ", M " + count(config.carry_length) +
          ", R " + count(config.retrieval_length) + ", K " + count(config.truncation_depth) + "\n";
  text +=
      "training   " +
      (training.lora.rank > 0 ? "an adapter of rank " + count(training.lora.rank) : std::string("every parameter")) +
      ", " + count(training.samples_per_step()) + " samples of " + count(plan.tokens_per_sample()) +
      " tokens a step, " + (training.gradient_checkpointing ? "with" : "without") + " checkpointing\n";
  if (training.distillation > 0)
    text += "teacher    the model under full attention, λ " + fixed_text(training.distillation, 2) +
            "; its logits take " + size_text(teacher_bytes(plan, model.config.vocabulary)) +
            " at most in the run's folder\n";
  if (training.recall_samples > 0)
    text += "recall     " + count(training.recall_samples) + " documents of 2 to " + count(training.recall_segments) +
            " segments a step, a token of an answer counts " + fixed_text(training.recall_weight, 1) + "\n";
  return text + "data       " + count(train_tokens) + " tokens to train on, " + count(held_out_tokens) + " held out\n";
}

}  // namespace carryover
