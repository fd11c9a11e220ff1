// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_settings.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/cost/policy_table.h"
#include "engine/runs/values/prefix_control.h"

namespace carryover {

namespace {

using nlohmann::json;

std::int64_t count_from(const json& value, const std::string& where, const std::string& key, std::int64_t most) {
  const auto count = find_integer(value);
  if (!count || *count < 0 || *count > most) {
    throw EngineError(Fault::BadInput, where, key + " is " + value.dump().substr(0, 60),
                      "Give a whole number from 0 to " + std::to_string(most) + ".");
  }
  return *count;
}

std::string text_from(const json& value, const std::string& where, const std::string& key) {
  if (!value.is_string()) throw EngineError(Fault::BadInput, where, key + " is not a string", "Put it into quotes.");
  return value.get<std::string>();
}

/// Takes the fields that are no SegmentConfig's out of `fields`.
void take_run_fields(RunSettings& settings, json& fields, const std::string& where) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  const auto take = [&](const char* key, auto use) {
    const auto at = fields.find(key);
    if (at == fields.end()) return;
    if (!at->is_null()) use(*at, key);
    fields.erase(key);
  };
  take("policy", [&](const json& value, const char* key) { settings.policy = text_from(value, where, key); });
  take("dtype",
       [&](const json& value, const char* key) { settings.dtype = parse_dtype(text_from(value, where, key)); });
  take("device",
       [&](const json& value, const char* key) { settings.device = parse_device(text_from(value, where, key)); });
  take("force_hits", [&](const json& value, const char* key) { settings.force_hits = text_from(value, where, key); });
  take("prefix", [&](const json& value, const char* key) {
    settings.prefix = text_from(value, where, key);
    const auto source = prefix_source(settings.prefix);
    if (!source || *source == PrefixSource::Oracle)
      throw EngineError(Fault::BadInput, where, "prefix is '" + settings.prefix.substr(0, 60) + "'",
                        "Use search, off, random, recent, constant or sinks.");
  });
  take("threads", [&](const json& value, const char* key) {
    settings.threads = static_cast<int>(count_from(value, where, key, 1024));
  });
  take("tokens", [&](const json& value, const char* key) {
    settings.tokens = count_from(value, where, key, most);
    if (settings.tokens == 0) throw EngineError(Fault::BadInput, where, "tokens is 0", "Run at least one token.");
  });
  take("seed", [&](const json& value, const char* key) {
    settings.seed = static_cast<std::uint64_t>(count_from(value, where, key, most));
  });
}

}  // namespace

void RunSettings::validate(const ModelConfig& model, const std::string& where) const {
  config.validate(model, where);
  if (find_policy(policy) == nullptr)
    throw EngineError(Fault::BadInput, where, "policy '" + policy + "' is not known",
                      "Use one of " + listed_policies(", ") + ".");
}

void update_run_settings(RunSettings& settings, json fields, const std::string& where) {
  if (!fields.is_object()) throw EngineError(Fault::BadInput, where, "is not a JSON object", "Give fields by name.");
  take_run_fields(settings, fields, where);
  update_from_json(settings.config, fields, where);
}

}  // namespace carryover
