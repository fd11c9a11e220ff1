// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/recall_heads_worker.h"

namespace carryover {

void RecallHeadsWorker::find(const RecallOrder& order, const RecallHeads& known,
                             const std::shared_ptr<const Tokenizer>& tokenizer,
                             const std::shared_ptr<RunControl>& control) {
  RecallHeads heads;
  const auto problem = attempt([&] {
    control->checkpoint();
    Session* session = engine_.session();
    if (!session) throw EngineError(Fault::Usage, "heads", "no model is open", "Open a model first.");
    RecallHeadsRequest request = make_recall_request(order, session->model().config, *tokenizer);
    const std::string inputs = recall_inputs(request, session->model());
    if (inputs == inputs_) {
      request.known = known;
    } else if (!known.searchers.empty()) {
      Q_EMIT restarted();
    }
    inputs_ = inputs;
    request.progress = [this](double share, const std::string& what) {
      if (progress_.passes()) Q_EMIT progressed(share, QString::fromStdString(what));
    };
    request.keep = [this](const RecallHeads& so_far) { Q_EMIT kept(so_far); };
    heads = session->find_recall_heads(request, *control);
  });
  if (!problem) {
    Q_EMIT found(heads);
  } else {
    tell_problem(*this, *problem);
  }
}

}  // namespace carryover
