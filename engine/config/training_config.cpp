// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/training_config.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "engine/base/config_fields.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

using nlohmann::json;

/// Calls visit(name, member, least) for each integer field. Reading, writing and checking share this one list.
template <typename Config, typename Visit>
void each_integer(Config& config, Visit visit) {
  visit("max_steps", config.max_steps, std::int64_t{1});
  visit("micro_batch_size", config.micro_batch_size, std::int64_t{1});
  visit("gradient_accumulation_steps", config.gradient_accumulation_steps, std::int64_t{1});
  visit("warmup_steps", config.warmup_steps, std::int64_t{0});
  visit("recall_samples", config.recall_samples, std::int64_t{0});
  visit("recall_segments", config.recall_segments, std::int64_t{2});
  visit("eval_steps", config.eval_steps, std::int64_t{0});
  visit("save_steps", config.save_steps, std::int64_t{0});
  visit("save_total_limit", config.save_total_limit, std::int64_t{1});
  visit("lora_rank", config.lora.rank, std::int64_t{0});
}

/// The range of a real field: at least `least` (or above it), and below `limit` (or at most it).
struct Range {
  double least = 0;
  bool above = false;
  double limit = std::numeric_limits<double>::infinity();
  bool to_limit = false;

  bool holds(double value) const {
    return (above ? value > least : value >= least) && (to_limit ? value <= limit : value < limit);
  }
  std::string text() const {
    if (to_limit) return "It must be from 0 to 1.";
    if (std::isfinite(limit)) return "It must be at least 0 and below 1.";
    return above ? "It must be above 0." : "It must be at least 0.";
  }
};
constexpr Range kAboveZero{0, true}, kFromZero{}, kShare{0, false, 1}, kWeight{0, false, 1, true};

template <typename Config, typename Visit>
void each_real(Config& config, Visit visit) {
  visit("learning_rate", config.learning_rate, kAboveZero);
  visit("weight_decay", config.weight_decay, kFromZero);
  visit("adam_beta1", config.adam_beta1, kShare);
  visit("adam_beta2", config.adam_beta2, kShare);
  visit("adam_epsilon", config.adam_epsilon, kAboveZero);
  visit("max_grad_norm", config.max_grad_norm, kFromZero);
  visit("distillation", config.distillation, kWeight);
  visit("recall_weight", config.recall_weight, kAboveZero);
  visit("validation_fraction", config.validation_fraction, kShare);
  visit("spike_factor", config.spike_factor, kFromZero);
  visit("lora_alpha", config.lora.alpha, kAboveZero);
  visit("lora_dropout", config.lora.dropout, kShare);
}

template <typename Config, typename Visit>
void each_flag(Config& config, Visit visit) {
  visit("gradient_checkpointing", config.gradient_checkpointing);
  visit("use_rslora", config.lora.rslora);
}

constexpr const char* kScheduleNames[] = {"constant", "cosine"};
constexpr const char* kAlertNames[] = {"pause", "skip", "stop"};

template <typename Choice, std::size_t count>
Choice read_choice(const json& value, const char* const (&names)[count], const std::string& where,
                   const std::string& field) {
  const std::string text = read_string(value, where, field);
  std::string known;
  for (std::size_t i = 0; i < count; ++i) {
    if (text == names[i]) return static_cast<Choice>(i);
    known += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + std::string(names[i]);
  }
  refuse_field(where, field, "is '" + text.substr(0, 60) + "'", "Use " + known + ".");
}

std::vector<std::int64_t> read_lengths(const json& value, const std::string& where, const std::string& field) {
  if (!value.is_array()) refuse_field(where, field, "is not a list of whole numbers", "Give tokens, as [1024, 4096].");
  std::vector<std::int64_t> lengths;
  for (const json& entry : value)
    lengths.push_back(read_integer(entry, where, field + "[" + std::to_string(lengths.size()) + "]"));
  return lengths;
}

/// The largest sizes; products of them are far from wrapping around.
constexpr std::int64_t kMost = std::int64_t{1} << 30;

void check_count(std::int64_t value, std::int64_t least, const std::string& where, const std::string& field) {
  if (value < least)
    refuse_field(where, field, "is " + std::to_string(value), "It must be at least " + std::to_string(least) + ".");
  if (value > kMost) refuse_field(where, field, "is " + std::to_string(value), "It must be at most 2^30.");
}

void check_lora(const LoraConfig& lora, const ModelConfig& model, const std::string& where) {
  if (lora.rank > model.hidden)
    refuse_field(where, "lora_rank",
                 "is " + std::to_string(lora.rank) + ", above the model's width of " + std::to_string(model.hidden),
                 "Ranks from 4 to 64 are usual; 0 trains every parameter.");
  if (lora.rank > 0 && lora.target_modules.empty())
    refuse_field(where, "lora_target_modules", "is empty", "Name at least one module, or set lora_rank to 0.");
  std::vector<std::string> seen;
  for (const std::string& module : lora.target_modules) {
    const auto& known = lora_modules();
    if (std::find(known.begin(), known.end(), module) == known.end()) {
      std::string names;
      for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
      refuse_field(where, "lora_target_modules", "names '" + module.substr(0, 60) + "'", "Use " + names + ".");
    }
    if (std::find(seen.begin(), seen.end(), module) != seen.end())
      refuse_field(where, "lora_target_modules", "names " + module + " twice", "Name it once.");
    seen.push_back(module);
  }
}

}  // namespace

double LoraConfig::scale() const {
  const auto r = static_cast<double>(std::max<std::int64_t>(1, rank));
  return alpha / (rslora ? std::sqrt(r) : r);
}

double TrainingConfig::rate_at(std::int64_t step) const {
  if (step < warmup_steps) return learning_rate * static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
  if (lr_scheduler_type == LrSchedule::Constant) return learning_rate;
  const std::int64_t after = std::max<std::int64_t>(1, max_steps - warmup_steps);
  const double done = std::min(1.0, static_cast<double>(step - warmup_steps) / static_cast<double>(after));
  return learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

void TrainingConfig::validate(const ModelConfig& model, const std::string& where) const {
  each_integer(
      *this, [&](const char* name, std::int64_t value, std::int64_t least) { check_count(value, least, where, name); });
  if (train_segments) check_count(*train_segments, 1, where, "train_segments");
  each_real(*this, [&](const char* name, double value, const Range& range) {
    if (!range.holds(value)) refuse_field(where, name, "is " + json(value).dump(), range.text());
  });
  if (spike_factor > 0 && spike_factor <= 1)
    refuse_field(where, "spike_factor", "is " + json(spike_factor).dump(), "It must be above 1, or 0 for never.");
  for (std::int64_t length : eval_lengths) check_count(length, 2, where, "eval_lengths");
  check_lora(lora, model, where);
}

void to_json(json& object, const TrainingConfig& config) {
  object = json::object();
  each_integer(config, [&](const char* name, std::int64_t value, std::int64_t) { object[name] = value; });
  each_real(config, [&](const char* name, double value, const Range&) { object[name] = value; });
  each_flag(config, [&](const char* name, bool value) { object[name] = value; });
  object["train_segments"] = config.train_segments ? json(*config.train_segments) : json();
  object["lr_scheduler_type"] = kScheduleNames[static_cast<int>(config.lr_scheduler_type)];
  object["seed"] = config.seed;
  object["eval_lengths"] = config.eval_lengths;
  object["on_alert"] = kAlertNames[static_cast<int>(config.on_alert)];
  object["lora_target_modules"] = config.lora.target_modules;
}

bool update_field(TrainingConfig& config, const std::string& key, const json& value, const std::string& where) {
  bool known = false;
  each_integer(config, [&](const char* name, std::int64_t& member, std::int64_t) {
    if (key != name) return;
    known = true;
    member = read_integer(value, where, key);
  });
  each_real(config, [&](const char* name, double& member, const Range&) {
    if (key != name) return;
    known = true;
    member = read_real(value, where, key);
  });
  each_flag(config, [&](const char* name, bool& member) {
    if (key != name) return;
    known = true;
    member = read_flag(value, where, key);
  });
  if (known) return true;
  if (key == "train_segments") {
    config.train_segments = value.is_null() ? std::nullopt : std::optional(read_integer(value, where, key));
  } else if (key == "lr_scheduler_type") {
    config.lr_scheduler_type = read_choice<LrSchedule>(value, kScheduleNames, where, key);
  } else if (key == "seed") {
    config.seed = read_unsigned(value, where, key);
  } else if (key == "eval_lengths") {
    config.eval_lengths = read_lengths(value, where, key);
  } else if (key == "on_alert") {
    config.on_alert = read_choice<AlertPolicy>(value, kAlertNames, where, key);
  } else if (key == "lora_target_modules") {
    config.lora.target_modules = read_strings(value, where, key);
  } else {
    return false;
  }
  return true;
}

}  // namespace carryover
