// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/training_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "engine/base/config_fields.h"
#include "engine/config/training_fields.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

using nlohmann::json;

void read_choice(TrainingConfig& config, const TrainingField::Named& choice, const json& value,
                 const std::string& where, const std::string& field) {
  const std::string name = read_string(value, where, field);
  if (!choice.set_name(config, name))
    refuse_field(where, field, "is '" + name.substr(0, 60) + "'", "Use " + listed_names(choice.names) + ".");
}

/// The largest sizes; products of them are far from wrapping around.
constexpr std::int64_t kMost = std::int64_t{1} << 30;

void check_count(std::int64_t value, std::int64_t least, const std::string& where, const std::string& field) {
  if (value < least)
    refuse_field(where, field, "is " + std::to_string(value), "It must be at least " + std::to_string(least) + ".");
  if (value > kMost) refuse_field(where, field, "is " + std::to_string(value), "It must be at most 2^30.");
}

void check_real(double value, const NumberRange& range, const std::string& where, const std::string& field) {
  if (range.holds(value)) return;
  refuse_field(where, field, "is " + json(value).dump(),
               range.to_limit               ? "It must be from 0 to 1."
               : std::isfinite(range.limit) ? "It must be at least 0 and below 1."
               : range.above                ? "It must be above 0."
                                            : "It must be at least 0.");
}

void check_field(const TrainingConfig& config, const TrainingField& field, const std::string& where) {
  const auto least = static_cast<std::int64_t>(field.range.least);
  if (const auto* count = field.as<std::int64_t>()) check_count(count->get(config), least, where, field.key);
  if (const auto* count = field.as<std::optional<std::int64_t>>())
    if (const auto& value = count->get(config)) check_count(*value, least, where, field.key);
  if (const auto* counts = field.as<std::vector<std::int64_t>>())
    for (const std::int64_t value : counts->get(config)) check_count(value, least, where, field.key);
  if (const auto* real = field.as<double>()) check_real(real->get(config), field.range, where, field.key);
}

void check_lora(const LoraConfig& lora, const ModelConfig& model, const std::string& where) {
  if (lora.rank > model.hidden)
    refuse_field(where, "lora_rank",
                 "is " + std::to_string(lora.rank) + ", above the model's width of " + std::to_string(model.hidden),
                 "Ranks from 4 to 64 are usual; 0 trains every parameter.");
  if (lora.rank > 0 && lora.target_modules.empty())
    refuse_field(where, "lora_target_modules", "is empty", "Name at least one module, or set lora_rank to 0.");
  // Without an adapter, the names only wait for one, perhaps of a model of another family.
  const std::vector<std::string> known = lora.rank > 0 ? lora_modules_of(model) : lora_modules();
  std::vector<std::string> seen;
  for (const std::string& module : lora.target_modules) {
    if (std::find(known.begin(), known.end(), module) == known.end()) {
      std::string names;
      for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
      refuse_field(where, "lora_target_modules", "names '" + module.substr(0, 60) + "', which this model does not have",
                   "Use " + names + ".");
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
  for (const TrainingField& field : training_fields()) check_field(*this, field, where);
  if (spike_factor > 0 && spike_factor <= 1)
    refuse_field(where, "spike_factor", "is " + json(spike_factor).dump(), "It must be above 1, or 0 for never.");
  check_lora(lora, model, where);
}

void to_json(json& object, const TrainingConfig& config) {
  object = json::object();
  for (const TrainingField& field : training_fields())
    std::visit(
        [&](const auto& member) {
          if constexpr (std::is_same_v<decltype(member), const TrainingField::Named&>)
            object[field.key] = member.name(config);
          else
            object[field.key] = json_of(member.get(config));
        },
        field.member);
}

bool update_field(TrainingConfig& config, const std::string& key, const json& value, const std::string& where) {
  const TrainingField* field = find_training_field(key);
  if (field == nullptr) return false;
  std::visit(
      [&](const auto& member) {
        if constexpr (std::is_same_v<decltype(member), const TrainingField::Named&>)
          read_choice(config, member, value, where, key);
        else
          read_field(value, where, key, member.in(config));
      },
      field->member);
  return true;
}

}  // namespace carryover
