// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/longbench.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/tasks/base/middle_truncation.h"
#include "engine/tasks/base/prompt_template.h"
#include "engine/tasks/base/task_records.h"
#include "engine/tasks/longbench_sets.h"
#include "engine/tasks/scores/answer_scores.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr const char* kLongBenchSource = "THUDM/LongBench 2e00731";
constexpr std::size_t kMostReferences = 1000, kMostReferenceBytes = 128 << 10;  // scores take products of lengths

const std::string& metric_name(LongBenchMetric metric) {
  static const std::map<LongBenchMetric, std::string> names{{LongBenchMetric::QaF1, "qa_f1_score"},
                                                            {LongBenchMetric::Rouge, "rouge_score"},
                                                            {LongBenchMetric::Classification, "classification_score"},
                                                            {LongBenchMetric::Retrieval, "retrieval_score"},
                                                            {LongBenchMetric::ChineseRetrieval, "retrieval_zh_score"},
                                                            {LongBenchMetric::Count, "count_score"},
                                                            {LongBenchMetric::Code, "code_sim_score"}};
  return names.at(metric);
}

const char* number_label(LongBenchMetric metric) {
  return metric == LongBenchMetric::ChineseRetrieval ? "段落" : "Paragraph ";
}

double longbench_score(LongBenchMetric metric, const std::string& answer, const std::string& reference,
                       const std::vector<std::string>& classes) {
  switch (metric) {
    case LongBenchMetric::QaF1:
      return qa_f1_score(answer, reference);
    case LongBenchMetric::Rouge:
      return rouge_l_score(answer, reference);
    case LongBenchMetric::Classification:
      return classification_score(answer, reference, classes);
    case LongBenchMetric::Retrieval:
    case LongBenchMetric::ChineseRetrieval:
      return retrieval_score(answer, reference, number_label(metric));
    case LongBenchMetric::Count:
      return count_score(answer, reference);
    case LongBenchMetric::Code:
      return code_similarity_score(answer, reference);
  }
  CARRYOVER_CHECK(false);
}

std::vector<std::string> text_list(const json& record, const char* key, const std::string& where) {
  const auto list = record.find(key);
  const auto refuse = [&](const std::string& problem) {
    throw EngineError(Fault::BadInput, where, std::string("\"") + key + "\" " + problem, kFetchAgain);
  };
  if (list == record.end() || !list->is_array()) refuse("is not a list");
  if (list->size() > kMostReferences) refuse("has " + std::to_string(list->size()) + " texts");
  std::vector<std::string> texts;
  for (const json& text : *list) {
    if (!text.is_string()) refuse("holds an entry that is not a string");
    texts.push_back(text.get<std::string>());
    if (texts.back().size() > kMostReferenceBytes)
      refuse("has a text of " + std::to_string(texts.back().size()) + " bytes");
  }
  return texts;
}

std::string length_bin(std::int64_t length) {
  if (length < 4000) return "0-4k";
  return length < 8000 ? "4-8k" : "8k+";
}

class LongBenchTask : public Task {
 public:
  LongBenchTask(const LongBenchSet& set, bool uniform) : set_(set), uniform_(uniform) {
    info_.name = (uniform ? "longbench_e/" : "longbench/") + set.name;
    info_.max_new_tokens = set.max_new_tokens;
    if (set.name == "samsum") info_.stops = {"\n"};
    info_.metric = metric_name(set.metric);
    info_.source = kLongBenchSource;
    info_.convention =
        "Scores are shares of 1. A prompt of more than `length` less the tokens to write keeps its first and last "
        "ones; "
        "special tokens aren't counted.";
    if (set.metric == LongBenchMetric::Rouge)
      info_.convention +=
          " ROUGE-L is that of the package rouge 1.0.1, without its limit of about 990 words in two sentences.";
    info_.needs_data = true;
    info_.chat = set.chat;
    info_.predictions = (uniform ? "pred_e/{run}/" : "pred/{run}/") + set.name + ".jsonl";
  }

  const TaskInfo& info() const override { return info_; }

  std::vector<TaskSample> samples(const SampleRequest& request) const override {
    const std::string file = set_.name + (uniform_ ? "_e" : "") + ".jsonl";
    const std::string path = need_in_folder(
        request.data, {file, "data/" + file},
        "Put " + file + " of THUDM/LongBench's data.zip there, and the project's LongBench/config beside it.");
    const std::string format = prompt_format(request.data);
    check_length(request);
    std::vector<TaskSample> samples;
    std::set<std::string> ids;
    read_records(path, request.count, [&](json& record, const std::string& where) {
      samples.push_back(make_sample(record, format, request, where));
      while (!ids.insert(samples.back().id).second) samples.back().id += "#" + std::to_string(samples.size());
    });
    return samples;
  }

  Scores score(const TaskSample& sample, const TaskAnswer& answer) const override {
    const std::string text = set_.first_line ? first_line(answer.text) : answer.text;
    std::vector<std::string> classes;
    if (set_.metric == LongBenchMetric::Classification)
      classes = sample.fields.at("all_classes").get<std::vector<std::string>>();
    return {{info_.metric, best_score(sample.references, [&](const std::string& reference) {
               return longbench_score(set_.metric, text, reference, classes);
             })}};
  }

  json prediction(const TaskSample& sample, const std::string& answer) const override {
    return {{"pred", answer},
            {"answers", sample.references},
            {"all_classes", sample.fields.value("all_classes", json())},
            {"length", sample.fields.at("length")}};
  }

 private:
  /// Returns the prompt's format. Also checks the numbers of tokens, which a task has before its folder is known.
  std::string prompt_format(const std::string& folder) const {
    const auto places = [](const std::string& name) {
      return std::vector<std::string>{name, "config/" + name, "LongBench/config/" + name};
    };
    const std::string prompts = need_in_folder(
        folder, places("dataset2prompt.json"),
        "Put LongBench/config/dataset2prompt.json of the project THUDM/LongBench into the folder or its config/.");
    const std::string lengths = find_in_folder(folder, places("dataset2maxlen.json"));
    if (!lengths.empty()) {
      const std::int64_t named = JsonFields(read_json_file(lengths), lengths).integer(set_.name.c_str());
      if (named != set_.max_new_tokens)
        throw EngineError(Fault::BadInput, lengths,
                          "names " + std::to_string(named) + " tokens for " + set_.name + ", which are officially " +
                              std::to_string(set_.max_new_tokens),
                          kFetchAgain);
    }
    return record_text(read_json_file(prompts), set_.name.c_str(), prompts);
  }

  void check_length(const SampleRequest& request) const {
    if (request.length == 0) return;
    CARRYOVER_CHECK(request.tokenizer != nullptr);
    if (request.length < set_.max_new_tokens + 2)
      throw EngineError(Fault::Usage, info_.name,
                        "a length of " + std::to_string(request.length) + " leaves no room for a prompt",
                        "It writes " + std::to_string(set_.max_new_tokens) + " tokens: name a greater length.");
  }

  TaskSample make_sample(json& record, const std::string& format, const SampleRequest& request,
                         const std::string& where) const {
    TaskSample sample;
    const JsonFields fields(record, where);
    record_text(record, "context", where);
    record_text(record, "input", where);
    const std::int64_t length = fields.integer("length");
    sample.id = fields.find_text("_id").value_or(where.substr(where.rfind(':') + 1));
    if (uniform_) sample.slice = length_bin(length);
    sample.references = text_list(record, "answers", where);
    if (set_.metric == LongBenchMetric::Classification) text_list(record, "all_classes", where);
    check_references(sample.references, where);
    PromptParts parts = fill_prompt(format, record, where);
    if (request.length > 0) {
      const auto halves =
          truncate_middle(parts.context + parts.question, request.length - set_.max_new_tokens, *request.tokenizer);
      if (halves) parts = truncated_parts(*halves, parts.question);
    }
    sample.context = std::move(parts.context);
    sample.question = std::move(parts.question);
    sample.fields = std::move(record);
    return sample;
  }

  void check_references(const std::vector<std::string>& references, const std::string& where) const {
    if (set_.metric != LongBenchMetric::Retrieval && set_.metric != LongBenchMetric::ChineseRetrieval) return;
    for (const std::string& reference : references)
      if (labelled_number(reference, number_label(set_.metric)).empty())
        throw EngineError(Fault::BadInput, where, "an answer names no paragraph", kFetchAgain);
  }

  const LongBenchSet& set_;
  bool uniform_;  ///< LongBench-E
  TaskInfo info_;
};

std::vector<std::string> longbench_names(const std::string& family, bool uniform) {
  std::vector<std::string> names;
  for (const LongBenchSet& set : longbench_sets())
    if (!uniform || set.uniform) names.push_back(family + set.name);
  return names;
}

std::unique_ptr<Task> longbench_task(const std::string& name, const std::string& family, bool uniform) {
  for (const LongBenchSet& set : longbench_sets())
    if (name == family + set.name && (!uniform || set.uniform)) return std::make_unique<LongBenchTask>(set, uniform);
  for (const char* const set : {"multifieldqa_zh", "dureader", "vcsum"})
    if (!uniform && name == family + set)
      throw EngineError(Fault::Unsupported, name, "its score needs Chinese word segmentation (jieba)",
                        "Let the official eval.py score it, or choose another set.");
  std::string listed;
  for (const std::string& each : longbench_names(family, uniform)) listed += (listed.empty() ? "" : ", ") + each;
  throw EngineError(Fault::Usage, name, "is not a task", "There are " + listed + ".");
}

}  // namespace

std::vector<std::string> longbench_task_names() {
  return longbench_names("longbench/", false);
}

std::vector<std::string> longbench_e_task_names() {
  return longbench_names("longbench_e/", true);
}

std::unique_ptr<Task> make_longbench_task(const std::string& name) {
  return longbench_task(name, "longbench/", false);
}

std::unique_ptr<Task> make_longbench_e_task(const std::string& name) {
  return longbench_task(name, "longbench_e/", true);
}

std::map<std::string, std::string> longbench_categories() {
  std::map<std::string, std::string> categories;
  for (const LongBenchSet& set : longbench_sets())
    if (!set.category.empty()) categories[set.name] = set.category;
  return categories;
}

LongBenchAverage longbench_average(const std::map<std::string, double>& scores) {
  std::map<std::string, double> by_set;
  for (const auto& [name, score] : scores) by_set[name.substr(name.find('/') + 1)] = score;
  LongBenchAverage result;
  std::map<std::string, std::vector<double>> by_category;
  for (const auto& [set, category] : longbench_categories()) {
    const auto found = by_set.find(set);
    if (found == by_set.end()) {
      result.missing.push_back(set);
    } else {
      by_category[category].push_back(found->second);
    }
  }
  for (const auto& [category, values] : by_category) {
    double sum = 0;
    for (const double value : values) sum += value;
    result.categories[category] = sum / static_cast<double>(values.size());
    result.average += result.categories[category] / static_cast<double>(by_category.size());
  }
  return result;
}

}  // namespace carryover
