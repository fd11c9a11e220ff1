// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/installed/installed_model.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/json_integer.h"

namespace carryover {

void to_json(nlohmann::json& json, const ModelFacts& facts) {
  json = {{"architecture", facts.architecture},
          {"family", facts.family},
          {"storage", facts.storage},
          {"parameters", facts.parameters},
          {"context", facts.context},
          {"memory", facts.memory},
          {"memory_per_token", facts.memory_per_token},
          {"problem", facts.problem},
          {"advice", facts.advice}};
}

std::int64_t ModelFacts::memory_for(std::int64_t tokens) const {
  std::int64_t grown = 0, all = 0;
  if (__builtin_mul_overflow(memory_per_token, tokens, &grown) || __builtin_add_overflow(memory, grown, &all))
    return std::numeric_limits<std::int64_t>::max();
  return memory == 0 ? 0 : all;
}

void from_json(const nlohmann::json& json, ModelFacts& facts) {
  json.at("architecture").get_to(facts.architecture);
  json.at("family").get_to(facts.family);
  json.at("storage").get_to(facts.storage);
  get_integer(json, "parameters", facts.parameters);
  get_integer(json, "context", facts.context);
  get_integer(json, "memory", facts.memory);
  get_integer(json, "memory_per_token", facts.memory_per_token);
  json.at("problem").get_to(facts.problem);
  json.at("advice").get_to(facts.advice);
}

nlohmann::json model_entry(const InstalledModel& model, std::int64_t tokens) {
  const auto text = [](const std::string& value) { return value.empty() ? nlohmann::json() : nlohmann::json(value); };
  const auto count = [](std::int64_t value) { return value == 0 ? nlohmann::json() : nlohmann::json(value); };
  const ModelFacts& facts = model.facts;
  return {{"name", model.name},
          {"program", model.program},
          {"path", model.path},
          {"architecture", text(facts.architecture)},
          {"family", text(facts.family)},
          {"parameters", count(facts.parameters)},
          {"storage", text(facts.storage)},
          {"context", count(facts.context)},
          {"bytes", model.bytes},
          {"memory", count(facts.memory_for(tokens))},
          {"opens", facts.opens()},
          {"problem", text(facts.problem)},
          {"advice", text(facts.advice)}};
}

}  // namespace carryover
