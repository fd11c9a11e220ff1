// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// The advice of errors about files of an evaluation's folder.
inline constexpr const char* kUseWritten = "Use a folder that `carryover eval` wrote.";

/// Says whether the question is part of the prompt that a policy compresses. A sample without a context always has its
/// question inside.
enum class QuestionPlace {
  Inside,  ///< context, question and answer's beginning are one prompt
  Outside  ///< the context is read as a document, and its last segment closes before the question
};
const std::vector<std::string>& question_place_names();  ///< "inside", "outside"
/// Throws EngineError{Usage} with the names that there are.
QuestionPlace question_place(const std::string& name);
std::string question_place_name(QuestionPlace place);

/// All settings of `carryover eval` that decide its numbers. A plain value.
struct EvaluationPlan {
  std::string model, adapter;               ///< absolute paths; `adapter` may be empty
  std::vector<std::string> tasks;           ///< as expand_tasks() gives them
  std::vector<std::int64_t> lengths;        ///< tokens; 0: samples are as long as they are
  std::vector<std::string> policies;        ///< names of policy_variant.h
  std::int64_t samples = 0;                 ///< number of samples that generators make; 0: their own number
  std::int64_t limit = 0;                   ///< run only the first ones of each task and length; 0: all
  std::uint64_t seed = 42;                  ///< of generators
  std::map<std::string, std::string> data;  ///< by family: absolute paths
  bool chat = false;                        ///< put the model's chat template around prompts
  QuestionPlace question = QuestionPlace::Inside;
  SegmentConfig config;
  std::string dtype = "auto", device = "auto";

  // The time of the first start, for the names of results.
  std::string time;  ///< "2026-11-26T16-02-27.123456", UTC
  double date = 0;   ///< the same, seconds since 1970
  // Facts about the first model that was loaded; empty before.
  std::string weights_hash, loaded_dtype, loaded_device;
};

/// Names: evaluated_name() names a model in a folder's name; the others name a task at a length. cell_key() is the name
/// that lm-evaluation-harness uses in files.
std::string evaluated_name(const std::string& model_path);
std::string task_title(const std::string& task);                       ///< "ruler/cwe"; a file's name without its path
std::string cell_key(const std::string& task, std::int64_t length);    ///< "ruler_cwe_4096"
std::string cell_title(const std::string& task, std::int64_t length);  ///< "ruler/cwe 4096"
/// "out/model__segmented-retrieval_length=0": without brackets, which shells take for patterns.
std::string policy_folder(const EvaluationPlan& plan, const std::string& out, const std::string& policy);
std::string journal_path(const std::string& policy_folder, const std::string& key);
std::string results_path(const EvaluationPlan& plan, const std::string& policy_folder);
std::string sample_lines_path(const EvaluationPlan& plan, const std::string& policy_folder, const std::string& key);
/// Returns "out/pred/model__policy_4096/qasper.jsonl" for TaskInfo::predictions: the project's scorer finds it from
/// `out`.
std::string predictions_path(const EvaluationPlan& plan, const std::string& out, const std::string& policy,
                             std::string predictions, std::int64_t length);
std::string plan_path(const std::string& out);  ///< evaluation.json

/// Throws EngineError{Usage} where there is no task, length or policy, one is named twice, two tasks would have the
/// same file, or a policy's name is too long for a file's name.
void check_plan(const EvaluationPlan& plan);

/// Throws EngineError{BadInput, Usage} where `model` can't be run under one of the policies with its settings, naming
/// the policy, or `where` if it has none of its own.
void check_policies(const EvaluationPlan& plan, const ModelConfig& model, const std::string& where);

nlohmann::json evaluation_json(const EvaluationPlan& plan);
/// Throws EngineError{BadInput} naming `where` and the field: the file may come from anybody.
EvaluationPlan plan_of(const nlohmann::json& object, const std::string& where);

/// Returns the first setting that makes the numbers of two evaluations differ, as "lengths is [4096] there and [8192]
/// here"; empty where there is none.
std::string plan_difference(const EvaluationPlan& there, const EvaluationPlan& here);

/// Sets EvaluationPlan::time and date to the present time.
void start_plan(EvaluationPlan& plan);

/// Returns the folder's plan if it has one, which must equal `asked`; else starts `asked` now, writes it to the folder
/// and returns it. Throws EngineError{Usage} with the difference, {Io, BadInput} where the file can't be read.
EvaluationPlan begin_evaluation(const std::string& out, const EvaluationPlan& asked);

}  // namespace carryover
