// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/evaluation_results.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/campaigns/evaluations/policy_variant.h"
#include "engine/campaigns/evaluations/score_cell.h"
#include "engine/campaigns/evaluations/score_interval.h"
#include "engine/campaigns/evaluations/task_kinds.h"
#include "engine/formats/json_file.h"
#include "engine/formats/sha256.h"
#include "engine/runs/records/run_folder.h"
#include "engine/tasks/scores/metric_table.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr int kResultsFormat = 1;
constexpr const char* kNotAvailable = "N/A";  ///< as lm-evaluation-harness writes it

json number_or_null(double value) {
  return std::isfinite(value) ? json(value) : json();
}

json score_json(const std::string& name, const ScoreInterval& score) {
  json object{{"score", number_or_null(score.score)},
              {"stderr", json()},
              {"low", json()},
              {"high", json()},
              {"share", is_share(name)}};
  if (score.error) object["stderr"] = number_or_null(*score.error);
  if (score.interval) {
    object["low"] = number_or_null(score.interval->low);
    object["high"] = number_or_null(score.interval->high);
  }
  return object;
}

json scores_json(const Task& task, const std::vector<Scores>& scores) {
  json object = json::object();
  for (const auto& [name, score] : score_intervals(task, scores)) object[name] = score_json(name, score);
  return object;
}

/// Returns the results of slices, in the order in which they first occur.
json slices_json(const Task& task, const std::vector<SampleEntry>& entries) {
  json slices = json::array();
  for (const SliceSamples& slice : slices_of(entries))
    slices.push_back({{"slice", slice.slice},
                      {"n", slice.scores.size()},
                      {"failures", slice.failures},
                      {"scores", scores_json(task, slice.scores)}});
  return slices;
}

/// [[first place of the bin, targets, nats a target], …]
json mean_losses(const LossBins& bins) {
  json list = json::array();
  for (const LossBins::Bin& bin : bins.bins())
    list.push_back({bin.first, bin.targets, number_or_null(bin.nll / static_cast<double>(bin.targets))});
  return list;
}

json errors_json(const std::vector<SampleEntry>& entries) {
  constexpr std::size_t kMostErrors = 20;
  json errors = json::array();
  for (const SampleEntry& entry : entries)
    if (!entry.error.empty() && errors.size() < kMostErrors)
      errors.push_back({{"id", entry.id}, {"error", entry.error}});
  return errors;
}

/// A task's entry of lm-evaluation-harness's "results".
json harness_metrics(const json& cell) {
  json metrics{{"name", cell.at("key")}, {"alias", cell.at("title")}, {"sample_len", cell.at("n")}};
  for (const auto& [name, score] : cell.at("scores").items()) {
    const auto or_none = [](const json& value) { return value.is_null() ? json(kNotAvailable) : value; };
    metrics[name + ",none"] = or_none(score.at("score"));
    metrics[name + "_stderr,none"] = or_none(score.at("stderr"));
  }
  return metrics;
}

json harness_config(const json& cell, bool chat) {
  json config{{"task", cell.at("key")},
              {"task_alias", cell.at("title")},
              {"output_type", cell.at("output_type")},
              {"num_fewshot", 0},
              {"repeats", 1},
              {"metric_list",
               json::array({{{"metric", cell.at("metric")}, {"higher_is_better", cell.at("higher_is_better")}}})},
              {"metadata", {{"source", cell.at("source")}, {"convention", cell.at("convention")}, {"chat", chat}}}};
  if (cell.at("kind") == task_kind_name(TaskKind::Generation))
    config["generation_kwargs"] = {
        {"until", cell.at("stops")}, {"max_gen_toks", cell.at("max_new_tokens")}, {"do_sample", false}};
  return config;
}

/// "Key: value" lines, as people read them.
std::string environment_text(const ModelInfo& info) {
  json environment = environment_json(info);
  environment.erase("processor_flags");
  std::string text;
  for (const auto& [key, value] : environment.items())
    text += key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
  return text + "device: " + std::string(device_name(info.device)) + "\n";
}

json text_or_null(const std::string& text) {
  return text.empty() ? json() : json(text);
}

/// Returns the facts about the run and its model that lm-evaluation-harness records.
json harness_origin(const EvaluationPlan& plan, const EvaluatedModel& model, double seconds) {
  const std::string name = evaluated_name(plan.model);
  json config{{"model", "carryover"},
              {"model_args", {{"pretrained", name}, {"dtype", dtype_name(model.info.dtype)}}},
              {"model_dtype", dtype_name(model.info.dtype)},
              {"model_sha", model.info.weights_hash},
              {"batch_size", 1},
              {"batch_sizes", json::array()},
              {"device", device_name(model.info.device)},
              {"use_cache", json()},
              {"limit", plan.limit > 0 ? json(plan.limit) : json()},
              {"bootstrap_iters", 0},
              {"gen_kwargs", json()},
              {"random_seed", plan.seed},
              {"numpy_seed", plan.seed},
              {"torch_seed", plan.seed},
              {"fewshot_seed", plan.seed}};
  return {{"config", std::move(config)},
          {"git_hash", json()},
          {"date", plan.date},
          {"pretty_env_info", environment_text(model.info)},
          {"transformers_version", kNotAvailable},
          {"lm_eval_version", kNotAvailable},
          {"upper_git_hash", json()},
          {"tokenizer_bos_token", json::array({text_or_null(model.bos), model.bos.empty() ? "None" : model.bos})},
          {"tokenizer_eos_token", json::array({text_or_null(model.eos), model.eos.empty() ? "None" : model.eos})},
          {"max_length", model.info.config.context},
          {"model_source", "carryover"},
          {"model_name", name},
          {"model_name_sanitized", name},
          {"system_instruction", json()},
          {"system_instruction_sha", json()},
          {"fewshot_as_multiturn", json()},
          {"chat_template", text_or_null(model.chat_template)},
          {"chat_template_sha", model.chat_template.empty() ? json() : json(sha256(model.chat_template))},
          {"total_evaluation_time_seconds", std::to_string(seconds)}};
}

json our_part(const EvaluationPlan& plan, const std::string& policy, const EvaluatedModel& model) {
  const PolicyVariant variant = policy_variant(policy);
  json data = json::object();
  for (const auto& [family, path] : plan.data) data[family] = evaluated_name(path);
  return {{"format", kResultsFormat},
          {"model",
           {{"name", model.info.config.name},
            {"file", evaluated_name(plan.model)},
            {"adapter", plan.adapter.empty() ? json() : json(evaluated_name(plan.adapter))},
            {"weights_hash", model.info.weights_hash},
            {"dtype", dtype_name(model.info.dtype)},
            {"device", device_name(model.info.device)}}},
          {"tokenizer",
           {{"name", evaluated_name(plan.model)},
            {"hash", model.tokenizer_hash},
            {"vocabulary", model.info.config.vocabulary}}},
          {"policy", policy},
          {"settings", variant.settings},
          {"config", variant.config(plan.config)},
          {"chat", plan.chat},
          {"question", question_place_name(plan.question)},
          {"seed", plan.seed},
          {"data", std::move(data)},
          {"tasks", json::array()}};
}

}  // namespace

json cell_results(const Task& task, const CellSamples& cell, const std::string& task_hash) {
  const TaskInfo& info = task.info();
  std::vector<Scores> scores;
  LossBins positions, offsets;
  std::int64_t tokens = 0, new_tokens = 0, visible = 0, resident = 0;
  double prefill = 0, decode = 0;
  for (const SampleEntry& entry : cell.entries) {
    if (!entry.error.empty()) continue;
    scores.push_back(entry.scores);
    positions.add(entry.positions);
    offsets.add(entry.offsets);
    tokens += entry.tokens;
    new_tokens += entry.new_tokens;
    visible = std::max(visible, entry.visible_bytes);
    resident = std::max(resident, entry.resident_bytes);
    prefill += entry.prefill_seconds;
    decode += entry.decode_seconds;
  }
  json object{{"key", cell_key(cell.task, cell.length)},
              {"title", cell_title(cell.task, cell.length)},
              {"task", task_title(cell.task)},
              {"length", cell.length},
              {"kind", task_kind_name(info.kind)},
              {"output_type", harness_output_type(info.kind)},
              {"metric", info.metric},
              {"higher_is_better", info.higher_is_better},
              {"convention", info.convention},
              {"source", info.source},
              {"max_new_tokens", info.max_new_tokens},
              {"stops", info.stops},
              {"available", cell.available},
              {"n", scores.size()},
              {"failures", cell.entries.size() - scores.size()},
              {"errors", errors_json(cell.entries)},
              {"scores", scores_json(task, scores)},
              {"slices", slices_json(task, cell.entries)},
              {"tokens", tokens},
              {"new_tokens", new_tokens},
              {"visible_kv_bytes", visible},
              {"resident_kv_bytes", resident},
              {"prefill_seconds", prefill},
              {"decode_seconds", decode},
              {"task_hash", task_hash}};
  if (info.kind == TaskKind::Perplexity) {
    object["loss_by_position"] = mean_losses(positions);
    object["loss_by_offset"] = mean_losses(offsets);
  }
  return object;
}

json evaluation_results(const EvaluationPlan& plan, const std::string& policy, const EvaluatedModel& model,
                        const std::vector<json>& cells) {
  json results = json::object(), groups = json::object(), configs = json::object(), versions = json::object(),
       shots = json::object(), better = json::object(), counts = json::object(), hashes = json::object();
  json ours = our_part(plan, policy, model);
  double seconds = 0;
  for (const json& cell : cells) {
    const auto key = cell.at("key").get<std::string>(), task = cell.at("task").get<std::string>();
    results[key] = harness_metrics(cell);
    groups[task.substr(0, task.find_first_of("/:"))].push_back(key);
    configs[key] = harness_config(cell, plan.chat);
    versions[key] = json();
    shots[key] = 0;
    better[key] = {{cell.at("metric").get<std::string>(), cell.at("higher_is_better")}};
    counts[key] = {{"original", cell.at("available")}, {"effective", cell.at("n")}};
    hashes[key] = cell.at("task_hash");
    seconds += cell.at("prefill_seconds").get<double>() + cell.at("decode_seconds").get<double>();
    ours["tasks"].push_back(cell);
  }
  json all{
      {"results", std::move(results)},   {"group_subtasks", std::move(groups)}, {"configs", std::move(configs)},
      {"versions", std::move(versions)}, {"n-shot", std::move(shots)},          {"higher_is_better", std::move(better)},
      {"n-samples", std::move(counts)},  {"task_hashes", std::move(hashes)},    {"carryover", std::move(ours)}};
  all.update(harness_origin(plan, model, seconds));
  return all;
}

}  // namespace carryover
