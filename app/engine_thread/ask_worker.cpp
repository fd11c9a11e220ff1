// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/ask_worker.h"

#include <cmath>
#include <numeric>

namespace carryover {

namespace {

constexpr std::size_t kMostScored = 24;  // tokens: the product of more says nothing

/// How many tokens the answer has before the end of its first sentence or line. Not before a comma or a colon: what
/// stands ahead of those is often a phrase that any answer begins with.
std::size_t first_phrase(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
  bool begun = false;
  for (std::size_t i = 0; i < ids.size() && i < kMostScored; ++i) {
    const std::string piece = tokenizer.bytes(ids[i]);
    if (begun && piece.find_first_of(".!?\n") != std::string::npos) return i;
    begun = begun || piece.find_first_not_of(" \n") != std::string::npos;
  }
  return std::min(ids.size(), kMostScored);
}

double probability(std::span<const float> logprobs) {
  return std::exp(std::accumulate(logprobs.begin(), logprobs.end(), 0.0));
}

}  // namespace

Session& AskWorker::session() const {
  Session* session = engine_.session();
  if (!session) throw EngineError(Fault::Usage, "ask", "no model is open", "Open a model first.");
  return *session;
}

GenerateResult AskWorker::answer(Session& session, const GenerateRequest& request,
                                 const std::shared_ptr<const Tokenizer>& tokenizer, RunControl& control) {
  StreamDecoder decoder(tokenizer);
  const auto tell = [&](const std::string& piece) {
    if (!piece.empty()) Q_EMIT told(request.without_retrieval, QString::fromStdString(piece));
  };
  const auto on_token = [&](const GeneratedToken& token) {
    tell(decoder.push(token.id));
    return true;
  };
  GenerateResult result = session.generate(request, on_token, control);
  tell(decoder.finish());
  if (!request.without_retrieval) Q_EMIT found(result.question_hits);
  if (result.cancelled) throw EngineError(Fault::Cancelled, "ask", "was stopped");
  return result;
}

double AskWorker::probability_under(Session& session, GenerateRequest request, RunControl& control) const {
  request.answer = scored_;
  request.max_new_tokens = std::ssize(scored_);
  request.logprobs = true;
  const GenerateResult result = session.generate(
      request, [](const GeneratedToken&) { return true; }, control);
  if (result.cancelled) throw EngineError(Fault::Cancelled, "ask", "was stopped");
  return probability(result.logprobs);
}

template <typename Work>
void AskWorker::serve(Work work) {
  const auto problem = attempt(work);
  if (!problem)
    Q_EMIT answered();
  else
    tell_problem(*this, *problem);
}

void AskWorker::ask(const GenerateRequest& request, const std::shared_ptr<const Tokenizer>& tokenizer,
                    const std::shared_ptr<RunControl>& control) {
  serve([&] {
    control->checkpoint();
    last_ = request;
    last_.logprobs = true;
    scored_.clear();
    GenerateRequest without = request;
    without.without_retrieval = true;
    const GenerateResult with = answer(session(), last_, tokenizer, *control);
    answer(session(), without, tokenizer, *control);
    const std::size_t count = first_phrase(with.ids, *tokenizer);
    scored_.assign(with.ids.begin(), with.ids.begin() + static_cast<std::ptrdiff_t>(count));
    if (!scored_.empty())
      Q_EMIT scored(QString::fromStdString(tokenizer->decode(scored_)).trimmed(),
                    probability(std::span(with.logprobs).first(count)),
                    probability_under(session(), without, *control));
  });
}

void AskWorker::ask_without(const std::vector<TokenRange>& positions, const std::shared_ptr<RunControl>& control) {
  serve([&] {
    control->checkpoint();
    if (scored_.empty())
      throw EngineError(Fault::Usage, "ask", "there is no answer to compare with", "Ask a question first.");
    GenerateRequest request = last_;
    request.question_without = positions;
    Q_EMIT scored_without(positions, probability_under(session(), request, *control));
  });
}

}  // namespace carryover
