// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/trained_under.h"

#include <filesystem>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace {
constexpr const char* kConfigFile = "segment_config.json";
}

std::optional<TrainedUnder> read_trained_under(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / kConfigFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string where = path.string();
  nlohmann::json json = read_json_file(where, JsonKind::Settings);
  if (!json.is_object())
    throw EngineError(Fault::BadInput, where, "is not a JSON object", "Remove it, or restore it from its run.");
  TrainedUnder trained;
  if (json.contains("policy")) trained.policy = read_string(json["policy"], where, "policy");
  json.erase("policy");
  update_from_json(trained.config, json, where);
  return trained;
}

void write_trained_under(const std::string& folder, const TrainedUnder& trained) {
  nlohmann::json json = trained.config;
  json["policy"] = trained.policy;
  write_file_atomically((std::filesystem::path(folder) / kConfigFile).string(), json.dump(2) + "\n");
}

SegmentConfig initial_config(const ModelConfig& config, const std::string& model, const std::string& adapter) {
  const auto trained = read_trained_under(adapter.empty() ? model : adapter);
  return trained ? trained->config : SegmentConfig::untrained_defaults_for(config);
}

}  // namespace carryover
