// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/longbench_v2.h"

#include <array>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/data/text_source.h"
#include "engine/tasks/base/code_points.h"
#include "engine/tasks/base/middle_truncation.h"
#include "engine/tasks/base/task_records.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr const char* kV2Name = "longbench_v2";
constexpr std::int64_t kV2Tokens = 128;
constexpr std::size_t kKeptCharacters = 1000;  // of a context, in official predictions
constexpr std::string_view kV2Document = "$DOC$";

/// The prompt's template, cut behind the document.
struct V2Template {
  std::string context, question;
};

V2Template read_v2_template(const std::string& folder) {
  const std::string path = need_in_folder(folder, {"prompts/0shot.txt", "0shot.txt"},
                                          "Put prompts/0shot.txt of the project THUDM/LongBench into the folder.");
  const std::string text = read_text(path);
  const std::size_t document = text.find(kV2Document);
  if (document == std::string::npos) throw EngineError(Fault::BadInput, path, "has no $DOC$", "Use the official file.");
  return {text.substr(0, document + kV2Document.size()), text.substr(document + kV2Document.size())};
}

/// One after another, as pred.py does: a mark that stands in the document is replaced too.
std::string filled_v2(std::string text, const json& record, const std::string& where) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 6> kMarks{{{kV2Document, "context"},
                                                                                   {"$Q$", "question"},
                                                                                   {"$C_A$", "choice_A"},
                                                                                   {"$C_B$", "choice_B"},
                                                                                   {"$C_C$", "choice_C"},
                                                                                   {"$C_D$", "choice_D"}}};
  for (const auto& [mark, key] : kMarks)
    text = python_replace(text, mark, python_strip(std::string_view(record_text(record, key, where))));
  return text;
}

const std::string& one_of(const json& record, const char* key, const std::set<std::string>& values,
                          const std::string& where) {
  const std::string& value = record_text(record, key, where);
  if (values.count(value) == 0)
    throw EngineError(Fault::BadInput, where, std::string("\"") + key + "\" is \"" + value.substr(0, 60) + "\"",
                      kFetchAgain);
  return value;
}

/// The letter behind the first such text that has one.
std::string choice_behind(std::string_view answer, std::string_view text, std::string_view end) {
  for (std::size_t at = answer.find(text); at != std::string_view::npos; at = answer.find(text, at + 1)) {
    const std::string_view rest = answer.substr(at + text.size());
    if (!rest.empty() && rest[0] >= 'A' && rest[0] <= 'D' && rest.substr(1).starts_with(end))
      return std::string(rest.substr(0, 1));
  }
  return {};
}

class LongBenchV2Task : public Task {
 public:
  LongBenchV2Task() {
    info_.name = kV2Name;
    info_.max_new_tokens = kV2Tokens;
    info_.metric = "accuracy";
    info_.source = "THUDM/LongBench 2e00731";
    info_.convention =
        "Zero-shot, without a chain of thought. pred.py samples at temperature 0.1 and leaves out empty answers, which "
        "are wrong here.";
    info_.needs_data = true;
    info_.predictions = "results/{run}.jsonl";
  }

  const TaskInfo& info() const override { return info_; }

  std::vector<TaskSample> samples(const SampleRequest& request) const override {
    const std::string path = need_in_folder(request.data, {"data.json", "data/data.json", "data.jsonl"},
                                            "Put data.json of LongBench v2 (THUDM/LongBench) into the folder.");
    const V2Template format = read_v2_template(request.data);
    CARRYOVER_CHECK(request.length == 0 || request.tokenizer != nullptr);
    std::vector<TaskSample> samples;
    std::set<std::string> ids;
    read_records(path, request.count, [&](json& record, const std::string& where) {
      samples.push_back(make_sample(record, format, request, where));
      if (!ids.insert(samples.back().id).second)
        throw EngineError(Fault::BadInput, where, "has the _id of one before it", kFetchAgain);
    });
    return samples;
  }

  Scores score(const TaskSample& sample, const TaskAnswer& answer) const override {
    return {{info_.metric, longbench_v2_choice(answer.text) == sample.references.at(0) ? 1 : 0}};
  }

  json prediction(const TaskSample& sample, const std::string& answer) const override {
    json line = sample.fields;
    const std::string choice = longbench_v2_choice(answer);
    line["response"] = python_strip(std::string_view(answer));
    line["pred"] = choice.empty() ? json() : json(choice);
    line["judge"] = choice == sample.references.at(0);
    return line;
  }

 private:
  static TaskSample make_sample(json& record, const V2Template& format, const SampleRequest& request,
                                const std::string& where) {
    TaskSample sample;
    sample.id = record_text(record, "_id", where);
    sample.slice = one_of(record, "difficulty", {"easy", "hard"}, where) + ", " +
                   one_of(record, "length", {"short", "medium", "long"}, where);
    sample.references = {one_of(record, "answer", {"A", "B", "C", "D"}, where)};
    sample.context = filled_v2(format.context, record, where);
    sample.question = filled_v2(format.question, record, where);
    if (request.length > 0) truncate(sample, request);
    const std::u32string context = code_points(record_text(record, "context", where));
    record["context"] = utf8_text(std::u32string_view(context).substr(0, kKeptCharacters));
    sample.fields = std::move(record);
    return sample;
  }

  static void truncate(TaskSample& sample, const SampleRequest& request) {
    const std::int64_t most = request.length - kV2Tokens;
    const auto joined =
        most < 2 ? std::string() : truncate_middle_joined(sample.context + sample.question, most, *request.tokenizer);
    if (!joined) return;
    if (!joined->ends_with(sample.question))
      throw EngineError(Fault::Usage, kV2Name,
                        "a length of " + std::to_string(request.length) + " leaves no room for a question",
                        "Name a greater length.");
    sample.context = joined->substr(0, joined->size() - sample.question.size());
  }

  TaskInfo info_;
};

}  // namespace

std::vector<std::string> longbench_v2_task_names() {
  return {kV2Name};
}

std::unique_ptr<Task> make_longbench_v2_task(const std::string& name) {
  if (name != kV2Name) throw EngineError(Fault::Usage, name, "is not a task", "There is longbench_v2.");
  return std::make_unique<LongBenchV2Task>();
}

std::string longbench_v2_choice(std::string_view answer) {
  const std::string plain = python_replace(answer, "*", "");
  const std::string in_brackets = choice_behind(plain, "The correct answer is (", ")");
  return in_brackets.empty() ? choice_behind(plain, "The correct answer is ", "") : in_brackets;
}

}  // namespace carryover
