// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/experiment_command.h"

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/checkpoints/random_model.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::size_t kMostPaths = 10'000, kMostPathBytes = 4096;  // of a request that was read from a file
constexpr int kMostRecordedThreads = 1024;
constexpr const char* kUseRecorded = "Use a file that `carryover experiment` wrote.";

std::string recorded_text(const json& value, const std::string& where, const std::string& key) {
  std::string text = read_string(value, where, key);
  if (text.empty() || text.size() > kMostPathBytes || text.find('\0') != std::string::npos)
    refuse_field(where, key, "is not a path or a name", kUseRecorded);
  return text;
}

std::vector<std::string> recorded_texts(const json& object, const char* key, const std::string& where) {
  std::vector<std::string> texts;
  const auto list = object.find(key);
  if (list == object.end()) return texts;
  if (!list->is_array() || list->size() > kMostPaths) refuse_field(where, key, "is not a list", kUseRecorded);
  for (const json& value : *list) texts.push_back(recorded_text(value, where, key));
  return texts;
}

}  // namespace

std::vector<std::string> experiment_command(const ExperimentRequest& request) {
  std::vector<std::string> words{"carryover", "experiment", request.plan};
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) words.insert(words.end(), {flag, value});
  };
  const ExperimentOverrides& overrides = request.overrides;
  for (const PlanModel& model : overrides.models) add("--model", {model.name + "=" + model.path});
  add("--data", overrides.data);
  add("--texts", overrides.texts);
  add("--only", overrides.only);
  if (overrides.threads >= 0) add("--threads", {std::to_string(overrides.threads)});
  if (!request.out.empty()) add("--out", {request.out});
  return words;
}

ExperimentRequest absolute_request(ExperimentRequest request) {
  request.plan = absolute_path(request.plan);
  request.out = absolute_path(request.out);
  for (PlanModel& model : request.overrides.models) model.path = absolute_path(model.path);
  for (std::string& path : request.overrides.data) path = absolute_path(path);
  for (std::string& path : request.overrides.texts) path = absolute_path(path);
  return request;
}

json request_json(const ExperimentRequest& request) {
  const ExperimentOverrides& overrides = request.overrides;
  json object{{"plan", request.plan}};
  for (const PlanModel& model : overrides.models) object["models"][model.name] = model.path;
  if (!overrides.data.empty()) object["data"] = overrides.data;
  if (!overrides.texts.empty()) object["texts"] = overrides.texts;
  if (!overrides.only.empty()) object["only"] = overrides.only;
  if (overrides.threads >= 0) object["threads"] = overrides.threads;
  return object;
}

ExperimentRequest request_of(const json& object, const std::string& where) {
  if (!object.is_object()) refuse_field(where, "command", "is not a JSON object", kUseRecorded);
  ExperimentRequest request;
  request.plan = recorded_text(object.value("plan", json()), where, "plan");
  const json models = object.value("models", json::object());
  if (!models.is_object() || models.size() > kMostPaths) refuse_field(where, "models", "is not by name", kUseRecorded);
  for (const auto& [name, path] : models.items())
    request.overrides.models.push_back({recorded_text(name, where, "models"), recorded_text(path, where, "models")});
  request.overrides.data = recorded_texts(object, "data", where);
  request.overrides.texts = recorded_texts(object, "texts", where);
  request.overrides.only = recorded_texts(object, "only", where);
  if (const auto threads = object.find("threads"); threads != object.end()) {
    const std::int64_t count = read_integer(*threads, where, "threads");
    if (count < 0 || count > kMostRecordedThreads) refuse_field(where, "threads", "is out of range", kUseRecorded);
    request.overrides.threads = static_cast<int>(count);
  }
  return request;
}

}  // namespace carryover
