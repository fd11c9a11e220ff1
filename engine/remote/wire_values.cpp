// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/wire_values.h"

#include <nlohmann/json.hpp>

#include "engine/formats/json_file.h"
#include "engine/remote/wire_training.h"

namespace carryover {
namespace {

constexpr const char* kWhere = "a message between window and engine";

nlohmann::json parse(const std::string& text) {
  return parse_json(text, kWhere);
}

/// A path that is no UTF-8 can't be said in JSON.
std::string text_of_json(const nlohmann::json& json) {
  try {
    return json.dump();
  } catch (const nlohmann::json::exception&) {
    throw EngineError(Fault::BadInput, kWhere, "a path is not UTF-8", "Rename it.");
  }
}

}  // namespace

void refuse_message(const std::string& problem) {
  throw EngineError(Fault::BadInput, kWhere, problem, "Use the same version of Carryover at both ends.");
}

std::string text_of(const SegmentConfig& config) {
  return text_of_json(config);
}

SegmentConfig segment_config_of(const std::string& text) {
  SegmentConfig config;
  update_from_json(config, parse(text), kWhere);
  return config;
}

std::string text_of_shape(const ModelConfig& model) {
  ModelConfig unnamed = model;
  unnamed.name.clear();
  return text_of_json(json_of_fields(unnamed, /*all=*/true));
}

ModelConfig shape_of(const std::string& text) {
  return model_config_from_json(parse(text), kWhere);
}

std::string text_of_grouping(const Grouping& grouping) {
  return text_of_json(grouping);
}

Grouping grouping_of(const std::string& text) {
  return parse(text).get<Grouping>();
}

std::string text_of_plan(const std::shared_ptr<const TrainingPlan>& plan) {
  return plan ? text_of_json(plan_json(*plan)) : "null";
}

std::shared_ptr<const TrainingPlan> plan_of(const std::string& text) {
  const nlohmann::json json = parse(text);
  if (json.is_null()) return nullptr;
  return std::make_shared<const TrainingPlan>(plan_from_json(json, kWhere));
}

void check_received(const Map& map) {
  const auto size = static_cast<std::int64_t>(map.values.size());
  const bool fits = size == 0 ? map.rows == 0 || map.columns == 0
                              : map.rows > 0 && size % map.rows == 0 && map.columns == size / map.rows;
  if (!fits || map.rows < 0 || map.columns < 0) refuse_message("a map's size is not that of its values");
}

}  // namespace carryover
