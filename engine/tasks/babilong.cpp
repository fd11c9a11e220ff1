// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/babilong.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/tasks/base/code_points.h"
#include "engine/tasks/base/prompt_template.h"
#include "engine/tasks/base/task_records.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kBabilongFamily = "babilong/";
constexpr std::int64_t kBabilongTokens = 20;
constexpr const char* kOwnTemplate =
    "The text below is a story into which a few facts about people, things and places are mixed. Use only these "
    "facts to answer the question, with one word.\n\n<context>\n{context}\n</context>\n\nQuestion: {question}\nAnswer:";

/// Returns the possible answers of each task.
const std::map<std::string, std::vector<std::string>>& task_labels() {
  static const std::vector<std::string> places{"bathroom", "bedroom", "garden", "hallway", "kitchen", "office"};
  static const std::map<std::string, std::vector<std::string>> labels{
      {"qa1", places},
      {"qa2", places},
      {"qa3", places},
      {"qa4", places},
      {"qa5", {"Bill", "Fred", "Jeff", "Mary", "apple", "football", "milk"}}};
  return labels;
}

struct BabilongPrompt {
  std::string format;
  std::string source = "own";
  json values = json::object();  ///< of the template's fields, but for those of a sample
};

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Names of a folder's files, ascending; none of what is no folder.
std::vector<std::string> file_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
    if (std::error_code ignored; each->is_regular_file(ignored)) names.push_back(each->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string prompt_file(const fs::path& folder, const std::string& set) {
  for (const fs::path& place : {folder, folder / "prompts"})
    for (const std::string& name : file_names(place))
      if (name.starts_with(set + "_") && name.ends_with(".json")) return (place / name).string();
  return {};
}

BabilongPrompt find_babilong_prompt(const std::string& data, const std::string& set) {
  const fs::path folder = is_folder(data) ? fs::path(data) : fs::path(data).parent_path();
  BabilongPrompt prompt;
  const std::string path = prompt_file(folder.empty() ? "." : folder, set);
  if (path.empty()) {
    prompt.format = kOwnTemplate;
    return prompt;
  }
  const json file = read_json_file(path, JsonKind::Text);
  const auto parts = file.find("prompt");
  if (parts == file.end() || !parts->is_object())
    throw EngineError(Fault::BadInput, path, "has no \"prompt\"", "Use a file of the project's babilong_evals.");
  prompt.format = record_text(*parts, "template", path);
  prompt.source = fs::path(path).filename().string();
  for (const char* const key : {"instruction", "examples", "post_prompt"})
    prompt.values[key] = record_text(*parts, key, path);
  return prompt;
}

/// "4k" for 4000 and 4096, "1M" for 1000000 and 1048576; empty for a length that no file is named by.
std::string length_name(std::int64_t length) {
  for (const std::int64_t thousand : {1000, 1024}) {
    if (length % thousand != 0) continue;
    const std::int64_t thousands = length / thousand;
    if (thousands % thousand == 0) return std::to_string(thousands / thousand) + "M";
    return std::to_string(thousands) + "k";
  }
  return {};
}

/// The file of a set's samples.
std::string sample_file(const SampleRequest& request, const std::string& set) {
  const std::string advice = "Put " + set + "/4k.json, or another length, of the data set RMT-team/babilong there.";
  if (request.data.empty())
    throw EngineError(Fault::Usage, kBabilongFamily + set, "no file or folder was named", advice);
  if (!is_folder(request.data)) return request.data;
  std::vector<std::string> found;
  std::string listed;
  for (const std::string& place : {set, "data/" + set})
    for (const std::string& name : file_names(fs::path(request.data) / place)) {
      if (!name.ends_with(".json") && !name.ends_with(".jsonl")) continue;
      const std::string stem = fs::path(name).stem().string();
      listed += (listed.empty() ? "" : ", ") + stem;
      if (request.length == 0 || stem == length_name(request.length))
        found.push_back(path_in(path_in(request.data, place), name));
    }
  if (found.size() == 1) return found[0];
  if (listed.empty()) throw EngineError(Fault::Io, request.data, "has no samples of " + set, advice);
  throw EngineError(Fault::Usage, kBabilongFamily + set,
                    request.length == 0 ? "has several lengths" : "has no length " + std::to_string(request.length),
                    "Name one of " + listed + " in tokens.");
}

class BabilongTask : public Task {
 public:
  explicit BabilongTask(std::string set) : set_(std::move(set)) {
    info_.name = kBabilongFamily + set_;
    info_.max_new_tokens = kBabilongTokens;
    info_.metric = "accuracy";
    info_.source = "booydar/babilong 7a6efee";
    info_.convention =
        "Scored as babilong/metrics.py does; lm-evaluation-harness takes any answer that holds the target. "
        "The prompt is the project's where the folder has its file, else our own.";
    info_.needs_data = true;
  }

  const TaskInfo& info() const override { return info_; }

  std::vector<TaskSample> samples(const SampleRequest& request) const override {
    const std::string path = sample_file(request, set_);
    const BabilongPrompt prompt = find_babilong_prompt(request.data, set_);
    std::vector<TaskSample> samples;
    read_records(path, request.count, [&](json& record, const std::string& where) {
      samples.push_back(make_sample(record, prompt, where));
      samples.back().id = std::to_string(samples.size());
    });
    return samples;
  }

  Scores score(const TaskSample& sample, const TaskAnswer& answer) const override {
    return {{info_.metric,
             babilong_score(answer.text, sample.references.at(0),
                            sample.fields.at("question").get_ref<const std::string&>(), task_labels().at(set_))}};
  }

 private:
  static TaskSample make_sample(json& record, const BabilongPrompt& prompt, const std::string& where) {
    TaskSample sample;
    sample.references = {record_text(record, "target", where)};
    json values = prompt.values;
    values["question"] = record_text(record, "question", where);
    values["context"] = python_strip(std::string_view(record_text(record, "input", where)));
    const PromptParts parts = fill_prompt(prompt.format, values, prompt.source);
    sample.context = python_lstrip(parts.context);  // the project strips the whole
    sample.question = python_rstrip(parts.question);
    record.erase("input");
    record["prompt"] = prompt.source;
    sample.fields = std::move(record);
    return sample;
  }

  std::string set_;
  TaskInfo info_;
};

}  // namespace

std::vector<std::string> babilong_task_names() {
  std::vector<std::string> names;
  for (const auto& [set, labels] : task_labels()) names.push_back(kBabilongFamily + set);
  return names;
}

std::unique_ptr<Task> make_babilong_task(const std::string& name) {
  for (const auto& [set, labels] : task_labels())
    if (name == kBabilongFamily + set) return std::make_unique<BabilongTask>(set);
  throw EngineError(Fault::Usage, name, "is not a task", "There are babilong/qa1 to babilong/qa5.");
}

double babilong_score(std::string_view answer, std::string_view target, std::string_view question,
                      const std::vector<std::string>& labels) {
  const std::u32string lower_answer = python_lower(code_points(answer));
  std::u32string_view said = lower_answer;
  for (const std::u32string_view end : {U".", U"<context>", U"<example>"}) said = said.substr(0, said.find(end));
  const std::u32string asked = python_lower(code_points(question));
  std::set<std::u32string> named;
  for (const std::string& label : labels) {
    const std::u32string lower = python_lower(code_points(label));
    if (said.find(lower) != said.npos && asked.find(lower) == asked.npos) named.insert(lower);
  }
  return named == std::set<std::u32string>{python_lower(code_points(target))} ? 1 : 0;
}

}  // namespace carryover
