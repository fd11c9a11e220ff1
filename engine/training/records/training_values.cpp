// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/records/training_values.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/json_integer.h"

namespace carryover {

namespace {

using nlohmann::json;

/// Writes a loss. JSON has no NaN, so a value that is not finite becomes null, and null reads back as NaN.
json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}

double real(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json numbers(const std::vector<double>& values) {
  json list = json::array();
  for (double value : values) list.push_back(number(value));
  return list;
}

json reach_json(const std::vector<GradientReach>& reach) {
  json list = json::array();
  for (const GradientReach& entry : reach)
    list.push_back(
        {{"transition", entry.transition}, {"age", entry.age}, {"terms", entry.terms}, {"norm", number(entry.norm)}});
  return list;
}

}  // namespace

void to_json(json& object, const StepRecord& record) {
  object = json{{"step", record.step},
                {"tokens", record.tokens},
                {"targets", record.targets},
                {"loss", number(record.loss)},
                {"segment_loss", numbers(record.segment_loss)},
                {"learning_rate", record.learning_rate},
                {"gradient_norm", number(record.gradient_norm)},
                {"reach", reach_json(record.reach)},
                {"tokens_per_second", number(record.tokens_per_second)},
                {"seconds", record.seconds},
                {"skipped", record.skipped},
                {"memory", record.memory}};
  if (record.distillation_loss) object["distillation_loss"] = number(*record.distillation_loss);
  if (record.recall_loss) object["recall_loss"] = number(*record.recall_loss);
}

void from_json(const json& object, StepRecord& record) {
  get_integer(object, "step", record.step);
  get_integer(object, "tokens", record.tokens);
  get_integer(object, "targets", record.targets);
  record.loss = real(object.at("loss"));
  const auto optional_real = [&](const char* name) {  // records of earlier versions lack these fields
    const auto found = object.find(name);
    return found == object.end() ? std::nullopt : std::optional(real(*found));
  };
  record.distillation_loss = optional_real("distillation_loss");
  record.recall_loss = optional_real("recall_loss");
  record.segment_loss.clear();
  for (const json& value : object.at("segment_loss")) record.segment_loss.push_back(real(value));
  object.at("learning_rate").get_to(record.learning_rate);
  record.gradient_norm = real(object.at("gradient_norm"));
  record.reach.clear();
  for (const json& entry : object.at("reach"))
    record.reach.push_back({integer_of(entry.at("transition")), integer_of(entry.at("age")),
                            integer_of(entry.at("terms")), real(entry.at("norm"))});
  record.tokens_per_second = real(object.at("tokens_per_second"));
  object.at("seconds").get_to(record.seconds);
  object.at("skipped").get_to(record.skipped);
  object.at("memory").get_to(record.memory);
}

void to_json(json& object, const ValidationRecord& record) {
  json lengths = json::array();
  for (const ValidationRecord::Length& entry : record.lengths)
    lengths.push_back({{"length", entry.length},
                       {"targets", entry.targets},
                       {"nll_mean", number(entry.nll_mean)},
                       {"ppl", number(std::exp(entry.nll_mean))}});
  object = json{{"step", record.step}, {"validation", std::move(lengths)}};
}

void from_json(const json& object, ValidationRecord& record) {
  get_integer(object, "step", record.step);
  record.lengths.clear();
  for (const json& entry : object.at("validation"))
    record.lengths.push_back(
        {integer_of(entry.at("length")), integer_of(entry.at("targets")), real(entry.at("nll_mean"))});
}

}  // namespace carryover
