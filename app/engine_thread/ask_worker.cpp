// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/ask_worker.h"

namespace carryover {

bool AskWorker::answer(Session& session, const GenerateRequest& request,
                       const std::shared_ptr<const Tokenizer>& tokenizer, RunControl& control) {
  StreamDecoder decoder(tokenizer);
  const auto tell = [&](const std::string& piece) {
    if (!piece.empty()) Q_EMIT told(request.without_retrieval, QString::fromStdString(piece));
  };
  const auto on_token = [&](std::int32_t id) {
    tell(decoder.push(id));
    return true;
  };
  const GenerateResult result = session.generate(request, on_token, control);
  tell(decoder.finish());
  if (!request.without_retrieval) Q_EMIT found(result.question_hits);
  return !result.cancelled;
}

void AskWorker::ask(const GenerateRequest& request, const std::shared_ptr<const Tokenizer>& tokenizer,
                    const std::shared_ptr<RunControl>& control) {
  bool whole = false;
  const auto problem = attempt([&] {
    control->checkpoint();
    Session* session = engine_.session();
    if (!session) throw EngineError(Fault::Usage, "ask", "no model is open", "Open a model first.");
    GenerateRequest without = request;
    without.without_retrieval = true;
    whole = answer(*session, request, tokenizer, *control) && answer(*session, without, tokenizer, *control);
  });
  if (problem && problem->fault != Fault::Cancelled) {
    Q_EMIT failed(*problem);
  } else if (problem || !whole) {
    Q_EMIT cancelled();
  } else {
    Q_EMIT answered();
  }
}

}  // namespace carryover
