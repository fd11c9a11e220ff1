// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/model_names.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/serve/api_error.h"
#include "engine/checkpoints/model_path_name.h"
#include "engine/cost/policy_table.h"

namespace carryover {

namespace {

nlohmann::json entry(const std::string& name, std::int64_t created) {
  return {{"id", name}, {"object", "model"}, {"created", created}, {"owned_by", "carryover"}};
}

}  // namespace

std::vector<std::string> ModelNames::all() const {
  std::vector<std::string> names{name};
  for (const std::string& each : policies) names.push_back(name + ":" + each);
  return names;
}

const std::string& ModelNames::policy_of(const std::string& model) const {
  if (model.empty() || model == name) return policy;
  for (const std::string& each : policies)
    if (model == name + ":" + each) return each;
  std::string known;
  for (const std::string& each : all()) known += (known.empty() ? "" : ", ") + each;
  throw ApiError(404, "There is no model of this name here. Use one of: " + known + ".", "model", "model_not_found");
}

std::vector<std::string> policies_that_run(const SegmentConfig& config) {
  std::vector<std::string> names;
  for (const std::string& policy : policy_names()) {
    try {
      check_policy(policy, config, config.segment_length, "configuration");
      names.push_back(policy);
    } catch (const EngineError&) {  // not with these lengths
    }
  }
  return names;
}

std::string served_name(std::string_view path) {
  std::string name = model_path_name(std::string(path));
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
           c == '-';
  };
  std::ranges::replace_if(
      name, [&](char c) { return !is_plain(c); }, '-');
  return name.empty() ? "model" : name;
}

nlohmann::json models_json(const ModelNames& names, std::int64_t created) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& name : names.all()) list.push_back(entry(name, created));
  return {{"object", "list"}, {"data", list}};
}

nlohmann::json model_json(const ModelNames& names, const std::string& model, std::int64_t created) {
  names.policy_of(model);
  return entry(model, created);
}

}  // namespace carryover
