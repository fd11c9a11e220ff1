// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/ask_worker.h"

#include <cmath>
#include <numeric>

#include "engine/cost/policy_table.h"

namespace carryover {

namespace {

constexpr std::size_t kMostScored = 24;  // tokens: the product of more says nothing

/// Returns the number of the answer's tokens before the end of its first sentence, line or quotation. A comma or a
/// colon does not count as an end: the text before it is often a phrase that any answer begins with.
std::size_t first_phrase(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
  bool begun = false;
  for (std::size_t i = 0; i < ids.size() && i < kMostScored; ++i) {
    const std::string piece = tokenizer.bytes(ids[i]);
    const bool ends = piece.find_first_of(".!?\n\"") != std::string::npos || piece.find("”") != std::string::npos;
    if (begun && ends) return i;
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

void AskWorker::tell(double share, const QString& what) {
  if (progress_.passes()) Q_EMIT progressed(share, what);
}

/// Reads the text before the question, which generate() would read first without reporting progress; generate() then
/// continues from it. Does nothing where the angles of a cache depend on the text that follows, because generate()
/// would read the text once more.
void AskWorker::read_ahead(Session& session, const GenerateRequest& request, RunControl& control) {
  const RopeConfig rope = request.config.rope.value_or(session.model().config.rope);
  if (rope.kind == RopeConfig::Kind::Dynamic && runs_in_chunks(request.policy)) return;
  RunRequest text;
  text.ids = std::make_shared<const std::vector<std::int32_t>>(request.prompt.begin(),
                                                               request.prompt.end() - request.question_length);
  text.policy = request.policy;
  text.config = request.config;
  text.forced_hits = request.forced_hits;
  session.read_document(
      text, [this](double share, const std::string&) { tell(share, tr("reading the text")); }, control);
}

GenerateResult AskWorker::answer(Session& session, const GenerateRequest& request,
                                 const std::shared_ptr<const Tokenizer>& tokenizer, RunControl& control) {
  const QString what = request.without_retrieval ? tr("answering without retrieval") : tr("answering");
  StreamDecoder decoder(tokenizer);
  const auto pass_on = [&](const std::string& piece) {
    if (!piece.empty()) Q_EMIT told(request.without_retrieval, QString::fromStdString(piece));
  };
  std::int64_t tokens = 0;
  const auto on_token = [&](const GeneratedToken& token) {
    pass_on(decoder.push(token.id));
    tell(static_cast<double>(++tokens) / static_cast<double>(request.max_new_tokens), what);
    return true;
  };
  tell(0, what);
  GenerateResult result = session.generate(request, on_token, control);
  pass_on(decoder.finish());
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

void AskWorker::ask(const GenerateRequest& request, const std::shared_ptr<const Tokenizer>& tokenizer, bool twice,
                    const std::shared_ptr<RunControl>& control) {
  serve([&] {
    control->checkpoint();
    last_ = request;
    last_.logprobs = true;
    scored_.clear();
    GenerateRequest without = request;
    without.without_retrieval = true;
    read_ahead(session(), request, *control);
    const GenerateResult with = answer(session(), last_, tokenizer, *control);
    if (twice) answer(session(), without, tokenizer, *control);
    const std::size_t count = first_phrase(with.ids, *tokenizer);
    scored_.assign(with.ids.begin(), with.ids.begin() + static_cast<std::ptrdiff_t>(count));
    if (!scored_.empty())
      Q_EMIT scored(QString::fromStdString(tokenizer->decode(scored_)).trimmed(),
                    probability(std::span(with.logprobs).first(count)),
                    twice ? probability_under(session(), without, *control) : -1);
  });
}

void AskWorker::ask_without(const std::vector<TokenRange>& positions, const std::shared_ptr<RunControl>& control) {
  serve([&] {
    control->checkpoint();
    if (scored_.empty())
      throw EngineError(Fault::Usage, "ask", "there is no answer to compare with", "Ask a question first.");
    GenerateRequest request = last_;
    request.question_without = positions;
    read_ahead(session(), last_, *control);
    Q_EMIT scored_without(positions, probability_under(session(), request, *control));
  });
}

}  // namespace carryover
