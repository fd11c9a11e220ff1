// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/engine_thread/engine_call.h"

/// The engine's side of questions about a text. Engine thread. Everything throws EngineError, {Cancelled} after a stop.
namespace carryover {

/// How probable an answer's first phrase is. `without` is negative where the question was not answered a second time.
struct PhraseScore {
  QString phrase;
  double with = 0, without = -1;  ///< retrieval
};

/// A question that was answered, to be asked again with less to read.
struct AnsweredQuestion {
  GenerateRequest request;
  std::vector<std::int32_t> phrase;  ///< the answer's first one, as ids
  std::optional<PhraseScore> score;  ///< nothing where the answer has no phrase
};

/// Called while a question is answered.
struct AskNews {
  std::function<void(bool without_retrieval, const QString& piece)> told;
  std::function<void(const std::vector<HeadHits>&)> found;
};

/// Answers the question that `request` ends with; then, where `twice` is set, without retrieval too. `tokenizer` is the
/// model's.
AnsweredQuestion answer_question(EngineCall& call, const GenerateRequest& request,
                                 const std::shared_ptr<const Tokenizer>& tokenizer, bool twice, const AskNews& news);

/// Returns the probability of the answer's first phrase if the question doesn't read `without`.
double probability_without(EngineCall& call, const AnsweredQuestion& answered, const std::vector<TokenRange>& without);

}  // namespace carryover
