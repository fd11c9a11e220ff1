// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/evaluation_plan.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <set>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/campaigns/evaluations/policy_variant.h"
#include "engine/checkpoints/model_path_name.h"
#include "engine/cost/policy_table.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kPlanFormat = 1;
constexpr std::size_t kMostEntries = 10'000;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 31;

bool is_word(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
         letter == '_';
}

/// Returns a text in which an underscore replaces each character that file systems or readers of file names treat
/// specially.
std::string with_underscores(std::string text, const char* kept) {
  for (char& letter : text)
    if (!is_word(letter) && std::string_view(kept).find(letter) == std::string_view::npos) letter = '_';
  return text;
}

template <typename Value>
void require_once(const std::vector<Value>& values, const char* flag) {
  if (values.empty()) throw EngineError(Fault::Usage, flag, "names nothing", "Give at least one.");
  if (std::set<Value>(values.begin(), values.end()).size() != values.size())
    throw EngineError(Fault::Usage, flag, "names the same twice", "Give each once.");
}

const json& list_of(const json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array() || found->size() > kMostEntries)
    refuse_field(where, key, "is not a list", kUseWritten);
  return *found;
}

std::int64_t count_of(const json& value, const std::string& where, const char* key) {
  const std::int64_t count = read_integer(value, where, key);
  if (count < 0 || count > kMostTokens) refuse_field(where, key, "is out of range", kUseWritten);
  return count;
}

/// Returns the settings that decide the numbers, without the fields that the first start adds.
json settings_json(const EvaluationPlan& plan) {
  return {{"model", plan.model},
          {"adapter", plan.adapter},
          {"tasks", plan.tasks},
          {"lengths", plan.lengths},
          {"policies", plan.policies},
          {"samples", plan.samples},
          {"limit", plan.limit},
          {"seed", plan.seed},
          {"data", plan.data},
          {"chat", plan.chat},
          {"question", question_place_name(plan.question)},
          {"dtype", plan.dtype},
          {"device", plan.device},
          {"config", plan.config}};
}

std::string difference_of(const json& there, const json& here, const std::string& prefix) {
  for (const auto& [key, value] : here.items()) {
    const json& other = there.at(key);
    if (value == other) continue;
    if (key == "config") return difference_of(other, value, "config.");
    constexpr std::size_t kMostShown = 200;
    return prefix + key + " is " + other.dump().substr(0, kMostShown) + " there and " +
           value.dump().substr(0, kMostShown) + " here";
  }
  return {};
}

/// It is part of folder names: nothing but what policy_variant() writes.
std::string planned_policy(const json& value, const std::string& where) {
  const std::string name = read_string(value, where, "policies");
  try {
    if (policy_variant(name).name() == name) return name;
  } catch (const EngineError&) {
    refuse_field(where, "policies", "has one that is not known", kUseWritten);
  }
  refuse_field(where, "policies", "has one that is not written as its name is", kUseWritten);
}

bool is_plan_time(const std::string& time) {
  const std::string shape = "0000-00-00T00-00-00.000000";
  return time.size() == shape.size() && std::ranges::equal(time, shape, [](char letter, char wanted) {
           return wanted == '0' ? letter >= '0' && letter <= '9' : letter == wanted;
         });
}

}  // namespace

const std::vector<std::string>& question_place_names() {
  static const std::vector<std::string> names{"inside", "outside"};
  return names;
}

QuestionPlace question_place(const std::string& name) {
  const auto found = std::ranges::find(question_place_names(), name);
  if (found == question_place_names().end())
    throw EngineError(Fault::Usage, "--question", "'" + name + "' is neither inside nor outside",
                      "inside: the question is part of what is compressed.");
  return static_cast<QuestionPlace>(found - question_place_names().begin());
}

std::string question_place_name(QuestionPlace place) {
  return question_place_names()[static_cast<std::size_t>(place)];
}

std::string evaluated_name(const std::string& model_path) {
  const std::string name = with_underscores(model_path_name(model_path), "-+.");
  return name.empty() || name.front() == '.' ? "model" + name : name;
}

std::string task_title(const std::string& task) {
  const std::size_t colon = task.find(':');
  return colon == std::string::npos ? task
                                    : task.substr(0, colon + 1) + fs::path(task.substr(colon + 1)).filename().string();
}

std::string cell_key(const std::string& task, std::int64_t length) {
  return with_underscores(task_title(task), "") + (length > 0 ? "_" + std::to_string(length) : std::string());
}

std::string cell_title(const std::string& task, std::int64_t length) {
  return task_title(task) + (length > 0 ? " " + std::to_string(length) : std::string());
}

std::string policy_folder(const EvaluationPlan& plan, const std::string& out, const std::string& policy) {
  std::string name = policy;
  std::ranges::replace(name, '[', '-');
  std::erase(name, ']');
  return path_in(out, evaluated_name(plan.model) + "__" + name);
}

std::string journal_path(const std::string& policy_folder, const std::string& key) {
  return path_in(policy_folder, "samples_" + key + ".jsonl");
}

std::string results_path(const EvaluationPlan& plan, const std::string& policy_folder) {
  return path_in(policy_folder, "results_" + plan.time + ".json");
}

std::string sample_lines_path(const EvaluationPlan& plan, const std::string& policy_folder, const std::string& key) {
  return path_in(policy_folder, "samples_" + key + "_" + plan.time + ".jsonl");
}

std::string predictions_path(const EvaluationPlan& plan, const std::string& out, const std::string& policy,
                             std::string predictions, std::int64_t length) {
  const std::string_view place = "{run}";
  std::string run = fs::path(policy_folder(plan, out, policy)).filename().string();
  if (length > 0) run += "_" + std::to_string(length);
  predictions.replace(predictions.find(place), place.size(), run);
  return path_in(out, predictions);
}

std::string plan_path(const std::string& out) {
  return path_in(out, "evaluation.json");
}

void check_plan(const EvaluationPlan& plan) {
  require_once(plan.tasks, "--tasks");
  require_once(plan.lengths, "--lengths");
  require_once(plan.policies, "--policies");
  std::set<std::string> keys;
  for (const std::string& task : plan.tasks)
    for (const std::int64_t length : plan.lengths)
      if (!keys.insert(cell_key(task, length)).second)
        throw EngineError(Fault::Usage, "--tasks", "has two whose files are called " + cell_key(task, length),
                          "Evaluate them into two folders.");
  constexpr std::size_t kMostLetters = 200;
  for (const std::string& policy : plan.policies)
    if (policy.size() > kMostLetters)
      throw EngineError(Fault::Usage, "--policies", "has a name that is too long for a folder's: " + policy,
                        "Give fewer settings to one policy, and the others to all.");
}

void check_policies(const EvaluationPlan& plan, const ModelConfig& model, const std::string& where) {
  const std::int64_t longest = plan.lengths.empty() ? 0 : std::ranges::max(plan.lengths);
  for (const std::string& name : plan.policies) {
    const PolicyVariant variant = policy_variant(name);
    const SegmentConfig config = variant.config(plan.config);
    const std::string named = variant.settings.empty() ? where : name;
    config.validate(model, named);
    check_policy(variant.policy, config, std::max(longest, config.segment_length), named);
    if (config.question_pass && plan.question == QuestionPlace::Inside)
      throw EngineError(Fault::Usage, "--question inside", "leaves no question for question_pass to run twice",
                        "Leave out one of them.");
  }
}

json evaluation_json(const EvaluationPlan& plan) {
  json object = settings_json(plan);
  object["format"] = kPlanFormat;
  object["time"] = plan.time;
  object["date"] = plan.date;
  object["weights_hash"] = plan.weights_hash;
  object["loaded_dtype"] = plan.loaded_dtype;
  object["loaded_device"] = plan.loaded_device;
  return object;
}

EvaluationPlan plan_of(const json& object, const std::string& where) {
  const JsonFields fields(object, where);
  if (fields.integer("format") != kPlanFormat)
    refuse_field(where, "format", "is of another version", "Read it with the version that wrote it.");
  const auto field = [&](const char* key) -> const json& {
    const json* value = fields.find(key);
    if (value == nullptr) refuse_field(where, key, "is missing", kUseWritten);
    return *value;
  };
  const auto text = [&](const char* key) { return read_string(field(key), where, key); };
  EvaluationPlan plan;
  plan.model = text("model");
  plan.adapter = text("adapter");
  for (const json& task : list_of(object, "tasks", where)) plan.tasks.push_back(read_string(task, where, "tasks"));
  for (const json& policy : list_of(object, "policies", where)) plan.policies.push_back(planned_policy(policy, where));
  for (const json& length : list_of(object, "lengths", where))
    plan.lengths.push_back(count_of(length, where, "lengths"));
  plan.samples = count_of(field("samples"), where, "samples");
  plan.limit = count_of(field("limit"), where, "limit");
  plan.seed = read_unsigned(field("seed"), where, "seed");
  if (!field("data").is_object()) refuse_field(where, "data", "is not an object", kUseWritten);
  for (const auto& [family, path] : field("data").items()) plan.data[family] = read_string(path, where, "data");
  plan.chat = read_flag(field("chat"), where, "chat");
  plan.question = question_place(text("question"));
  plan.dtype = text("dtype");
  plan.device = text("device");
  update_from_json(plan.config, field("config"), where);
  plan.time = text("time");
  if (!is_plan_time(plan.time)) refuse_field(where, "time", "is not a time", kUseWritten);  // it is part of file names
  plan.date = read_real(field("date"), where, "date");
  plan.weights_hash = text("weights_hash");
  plan.loaded_dtype = text("loaded_dtype");
  plan.loaded_device = text("loaded_device");
  return plan;
}

std::string plan_difference(const EvaluationPlan& there, const EvaluationPlan& here) {
  return difference_of(settings_json(there), settings_json(here), "");
}

void start_plan(EvaluationPlan& plan) {
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const std::time_t seconds = now / 1'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H-%M-%S", &parts);
  std::snprintf(text + size, sizeof text - size, ".%06d", static_cast<int>(now % 1'000'000));
  plan.time = text;
  plan.date = static_cast<double>(now) / 1e6;
}

EvaluationPlan begin_evaluation(const std::string& out, const EvaluationPlan& asked) {
  const std::string path = plan_path(out);
  std::error_code code;
  if (!fs::exists(path, code)) {
    EvaluationPlan plan = asked;
    start_plan(plan);
    replace_own_file(path, json_text(evaluation_json(plan), 1) + "\n");
    return plan;
  }
  EvaluationPlan plan = plan_of(read_json_file(path), path);
  if (const std::string difference = plan_difference(plan, asked); !difference.empty())
    throw EngineError(Fault::Usage, out, "holds another evaluation: " + difference,
                      "Choose another folder (--out), or give the same settings.");
  return plan;
}

}  // namespace carryover
