// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The kinds of answers that a model gives to a sample.
enum class TaskKind {
  Generation,  ///< a text behind the prompt (lm-evaluation-harness: generate_until)
  Choice,      ///< the log-likelihood of each choice behind the prompt (multiple_choice)
  Perplexity   ///< the loss of each token (loglikelihood_rolling)
};

struct TaskInfo {
  std::string name;  ///< "ruler/cwe"
  TaskKind kind = TaskKind::Generation;
  std::int64_t max_new_tokens = 0;  ///< Generation
  std::vector<std::string> stops;   ///< Generation: texts that end an answer
  std::string metric;               ///< the score of Scores that tables show: "string_match", "perplexity"
  bool higher_is_better = true;
  std::string convention;  ///< in a sentence, where figures of other sources differ by it; else empty
  std::string source;      ///< definition of prompts and scores: a project and its commit; else empty
  bool needs_data = false;
  bool chat = true;         ///< true if a chat template may be put around its prompts
  std::string predictions;  ///< the file that the project's own scorer reads, "pred/{run}/qasper.jsonl"; empty: none
};

/// One question. The prompt is context + question + answer_start.
struct TaskSample {
  std::string id;            ///< unique among a task's samples of one length
  std::string slice;         ///< group in which results show the sample: "depth 50%"; may be empty
  std::string context;       ///< text that the question is about; may be empty
  std::string question;      ///< right behind it; Choice: all of the prompt that isn't context
  std::string answer_start;  ///< how the answer begins, which the task gives; may be empty
  std::vector<std::string> references;
  std::vector<std::string> choices;  ///< Choice: what follows the prompt, its blank in front included
  std::size_t correct = 0;           ///< Choice
  std::vector<std::string> needles;  ///< parts of `context` that an answer has to be found in; may be empty
  std::vector<std::int32_t> ids;     ///< Perplexity: what is run, in place of a prompt
  std::int64_t unscored = 1;         ///< Perplexity: first tokens of `ids` whose loss doesn't count, at least one
  nlohmann::json fields = nlohmann::json::object();  ///< the line as the official format has it
};

/// A model's answer to a sample.
struct TaskAnswer {
  std::string text;                    ///< Generation; without the text that ended it
  std::vector<double> loglikelihoods;  ///< Choice: of each choice, in nats
  std::vector<bool> greedy;            ///< Choice: true if greedy decoding gives it, for each
  std::vector<double> losses;          ///< Perplexity: nats of each scored token, in order
};

using Scores = std::map<std::string, double>;

struct SampleRequest {
  std::int64_t length = 0;          ///< tokens of prompt and answer at most; 0: as long as they are
  std::int64_t count = 0;           ///< samples at most; 0: all there are (a generator's own number)
  std::uint64_t seed = 42;          ///< of generators
  std::int64_t segment_length = 0;  ///< S, for tasks that count distance in segments
  std::string data;                 ///< file or folder that the user named; empty: none
  std::shared_ptr<const Tokenizer> tokenizer;
};

/// A task: its samples, and the scores of answers to them. make_task() (task_table.h) makes it. Immutable; any thread.
class Task {
 public:
  virtual ~Task() = default;
  virtual const TaskInfo& info() const = 0;
  /// Returns the samples, which are the same for the same request on every machine. Throws EngineError{Io, BadInput}
  /// naming file and line of the data, {Usage} where data is needed and none was named, and where a length is too
  /// short.
  virtual std::vector<TaskSample> samples(const SampleRequest& request) const = 0;
  /// Returns the scores of one sample; of Perplexity, {"nll": nats in all, "tokens": …}. Never throws because of a
  /// model's text.
  virtual Scores score(const TaskSample& sample, const TaskAnswer& answer) const = 0;
  /// Returns the scores of a set: the mean of each, unless a task weighs its samples in another way.
  virtual Scores aggregate(const std::vector<Scores>& scores) const;
  /// Returns a line of the file TaskInfo::predictions; null where there is none.
  virtual nlohmann::json prediction(const TaskSample& sample, const std::string& answer) const;
};

}  // namespace carryover
