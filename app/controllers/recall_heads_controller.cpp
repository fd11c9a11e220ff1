// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/recall_heads_controller.h"

#include "engine/runs/records/run_command.h"

namespace carryover {
namespace {

std::string command_of(const RecallOrder& order, const ModelInfo& model) {
  std::vector<std::string> words = {"carryover", "heads", model.path};
  for (const std::string& word : recall_words(order)) words.push_back(word);
  if (!model.adapter.empty()) words.insert(words.end(), {"--adapter", model.adapter});
  words.insert(words.end(), {"--dtype", std::string(dtype_name(model.dtype))});
  return shell_command(words);
}

}  // namespace

RecallHeadsController::RecallHeadsController(LabContext& context, RunController& runs)
    : EngineJob(context, runs, tr("The search for heads was stopped")) {}

bool RecallHeadsController::has_unfinished(const RecallOrder& order) const {
  const auto& model = runs_.loader().model();
  return model && weights_ == model->info.weights_hash && dtype_ == model->info.dtype && order == order_ &&
         !heads_.complete && !heads_.searchers.empty();
}

void RecallHeadsController::start(const RecallOrder& order) {
  if (const auto refused = runs_.refusal(tr("heads for recall"), RunController::Needs::Model))
    return Q_EMIT failed(*refused);
  const auto& model = runs_.loader().model();
  if (!has_unfinished(order)) heads_ = {};
  order_ = order;
  weights_ = model->info.weights_hash;
  dtype_ = model->info.dtype;
  provenance_ = QStringLiteral("model: %1\nweights: %2\nremade by: %3")
                    .arg(QString::fromStdString(model->info.path), QString::fromStdString(weights_),
                         QString::fromStdString(command_of(order, model->info)));
  context_.add_note(
      tr("Searching for the heads for recall in %1 documents").arg(static_cast<qlonglong>(order.documents)));
  // Reads the texts, and goes on from what the search before kept where its inputs are still the same.
  const auto search = [this, order, known = heads_, tokenizer = model->tokenizer, last = inputs_](EngineCall& call) {
    Session& session = call.session();
    RecallHeadsRequest request = make_recall_request(order, session.model().config, *tokenizer);
    const std::string inputs = recall_inputs(request, session.model());
    if (inputs == *last)
      request.known = known;
    else if (!known.searchers.empty())
      call.tell([this] { forget(); });
    *last = inputs;
    request.progress = call.reporting();
    request.keep = [&](const RecallHeads& so_far) { call.tell([this, so_far] { keep(so_far); }); };
    return session.find_recall_heads(request, call.control());
  };
  start_work(tr("the search for heads is using the engine"), search, [this](const RecallHeads& heads) {
    keep(heads);
    context_.add_note(tr("Heads for recall are found"));
    Q_EMIT ended();
  });
  Q_EMIT found(heads_, order_, provenance_);
}

void RecallHeadsController::keep(const RecallHeads& heads) {
  heads_ = heads;
  Q_EMIT found(heads_, order_, provenance_);
}

void RecallHeadsController::forget() {
  context_.add_note(tr("The texts are no longer the same: the search for heads begins again"));
  keep({});
}

}  // namespace carryover
