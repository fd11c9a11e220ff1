// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/api/session.h"
#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/campaigns/evaluations/prompt_parts.h"
#include "engine/campaigns/evaluations/sample_journal.h"

namespace carryover {

/// The policy and settings under which a session is asked. A plain value.
struct EvalAnswerSettings {
  std::string policy;
  SegmentConfig config;
  QuestionPlace question = QuestionPlace::Inside;
  ChatText chat;  ///< null: bare prompts
};

/// A sample's prompt as it is asked, which needs no model.
struct AskedSample {
  std::string text;          ///< of the prompt; empty of perplexity
  std::string hash;          ///< SHA-256 of the text, or of the ids of perplexity
  std::size_t question = 0;  ///< byte of the text where the question begins, as PromptText has it
};

/// Asks a loaded session samples. The session belongs to the caller's thread.
class SampleAsker {
 public:
  SampleAsker(const EvalAnswerSettings& settings, std::shared_ptr<const Tokenizer> tokenizer);

  /// Throws EngineError{BadInput} where a chat template refuses the prompt.
  AskedSample asked(const Task& task, const TaskSample& sample) const;
  /// Returns the ids that are read before an answer. Throws EngineError{BadInput} where the tokenizer can't encode the
  /// text.
  PromptIds prompt(const Task& task, const TaskSample& sample, const AskedSample& asked) const;
  /// Returns the sample's answer and scores, with times and bytes. Throws EngineError{Cancelled} after a stop request,
  /// and the session's errors.
  SampleEntry answer(Session& session, const Task& task, const TaskSample& sample, const AskedSample& asked,
                     RunControl& control) const;

 private:
  Encoding encoding(const Task& task) const;
  GenerateRequest generate_request(const PromptIds& prompt) const;
  RunRequest run_request(std::vector<std::int32_t> ids) const;
  bool reads_prompts_apart() const;
  void generate(Session& session, const Task& task, const PromptIds& prompt, TaskAnswer& answer, SampleEntry& entry,
                RunControl& control) const;
  void choose(Session& session, const Task& task, const TaskSample& sample, const AskedSample& asked,
              const PromptIds& whole, TaskAnswer& answer, SampleEntry& entry, RunControl& control) const;
  std::vector<double> choice_losses(Session& session, const PromptIds& prompt, const std::vector<std::int32_t>& choice,
                                    SampleEntry& entry, RunControl& control) const;
  bool is_greedy(Session& session, const PromptIds& prompt, const std::vector<std::int32_t>& choice, SampleEntry& entry,
                 RunControl& control) const;
  RunRequest choice_request(const PromptIds& prompt, const std::vector<std::int32_t>& choice) const;
  void measure(Session& session, const PromptIds& prompt, std::int64_t unscored, TaskAnswer& answer, SampleEntry& entry,
               RunControl& control) const;
  void count_bytes(const ModelInfo& model, bool decoding, SampleEntry& entry) const;

  EvalAnswerSettings settings_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

}  // namespace carryover
