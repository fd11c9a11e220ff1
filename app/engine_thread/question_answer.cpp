// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/question_answer.h"

#include <QCoreApplication>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "engine/cost/policy_table.h"

namespace carryover {

namespace {

constexpr std::size_t kMostScored = 24;  // tokens: the product of more says nothing

QString text(const char* english) {
  return QCoreApplication::translate("AskController", english);
}

bool has_word(const std::string& piece) {
  return std::ranges::any_of(piece, [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; });
}

/// Returns the number of the answer's tokens before the end of its first sentence, line or quotation that has a word. A
/// comma or a colon does not count as an end: the text before it is often a phrase that any answer begins with.
std::size_t first_phrase(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
  bool begun = false;
  for (std::size_t i = 0; i < ids.size() && i < kMostScored; ++i) {
    const std::string piece = tokenizer.bytes(ids[i]);
    const bool ends = piece.find_first_of(".!?\n\"") != std::string::npos || piece.find("”") != std::string::npos;
    if (begun && ends) return i;
    begun = begun || has_word(piece);
  }
  return std::min(ids.size(), kMostScored);
}

double probability(std::span<const float> logprobs) {
  return std::exp(std::accumulate(logprobs.begin(), logprobs.end(), 0.0));
}

void require_whole(const GenerateResult& result) {
  if (result.cancelled) throw EngineError(Fault::Cancelled, "ask", "was stopped");
}

/// Reads the text before the question, which generate() would read first without reporting progress; generate() then
/// continues from it. Does nothing where the angles of a cache depend on the text that follows, because generate()
/// would read the text once more.
void read_ahead(EngineCall& call, const GenerateRequest& request) {
  const RopeConfig rope = request.config.rope.value_or(call.session().model().config.rope);
  if (depends_on_length(rope.kind) && runs_in_chunks(request.policy)) return;
  RunRequest read;
  read.ids = std::make_shared<const std::vector<std::int32_t>>(request.prompt.begin(),
                                                               request.prompt.end() - request.question_length);
  read.policy = request.policy;
  read.config = request.config;
  read.forced_hits = request.forced_hits;
  const QString what = text(QT_TRANSLATE_NOOP("AskController", "reading the text"));
  call.session().read_document(
      read, [&](double share, const std::string&) { call.progress(share, what); }, call.control());
}

GenerateResult answer(EngineCall& call, const GenerateRequest& request,
                      const std::shared_ptr<const Tokenizer>& tokenizer, const AskNews& news) {
  const QString what =
      text(request.without_retrieval ? QT_TRANSLATE_NOOP("AskController", "answering without retrieval")
                                     : QT_TRANSLATE_NOOP("AskController", "answering"));
  StreamDecoder decoder(tokenizer);
  const auto pass_on = [&](const std::string& piece) {
    if (!piece.empty()) news.told(request.without_retrieval, QString::fromStdString(piece));
  };
  std::int64_t tokens = 0;
  const auto on_token = [&](const GeneratedToken& token) {
    pass_on(decoder.push(token.id));
    call.progress(static_cast<double>(++tokens) / static_cast<double>(request.max_new_tokens), what);
    return true;
  };
  call.progress(0, what);
  GenerateResult result = call.session().generate(request, on_token, call.control());
  pass_on(decoder.finish());
  if (!request.without_retrieval) news.found(result.question_hits);
  require_whole(result);
  return result;
}

/// Returns the probability of `phrase` as the answer if the text is read as `request` says.
double probability_under(EngineCall& call, GenerateRequest request, const std::vector<std::int32_t>& phrase) {
  request.answer = phrase;
  request.max_new_tokens = std::ssize(phrase);
  request.logprobs = true;
  const auto go_on = [](const GeneratedToken&) { return true; };
  const GenerateResult result = call.session().generate(request, go_on, call.control());
  require_whole(result);
  return probability(result.logprobs);
}

}  // namespace

AnsweredQuestion answer_question(EngineCall& call, const GenerateRequest& request,
                                 const std::shared_ptr<const Tokenizer>& tokenizer, bool twice, const AskNews& news) {
  AnsweredQuestion answered{request, {}, {}};
  answered.request.logprobs = true;
  GenerateRequest without = request;
  without.without_retrieval = true;
  read_ahead(call, request);
  const GenerateResult with = answer(call, answered.request, tokenizer, news);
  if (twice) answer(call, without, tokenizer, news);
  const std::size_t count = first_phrase(with.ids, *tokenizer);
  answered.phrase.assign(with.ids.begin(), with.ids.begin() + static_cast<std::ptrdiff_t>(count));
  if (count > 0)
    answered.score = {QString::fromStdString(tokenizer->decode(answered.phrase)).trimmed(),
                      probability(std::span(with.logprobs).first(count)),
                      twice ? probability_under(call, without, answered.phrase) : -1};
  return answered;
}

double probability_without(EngineCall& call, const AnsweredQuestion& answered, const std::vector<TokenRange>& without) {
  if (answered.phrase.empty())
    throw EngineError(Fault::Usage, "ask", "there is no answer to compare with", "Ask a question first.");
  GenerateRequest request = answered.request;
  request.question_without = without;
  read_ahead(call, answered.request);
  return probability_under(call, request, answered.phrase);
}

}  // namespace carryover
