// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/recall_heads_controller.h"

#include "app/engine_thread/post.h"
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
    : EngineJob(context, runs),
      worker_(with(new RecallHeadsWorker(runs.engine().worker()), tr("The search for heads was stopped"))) {
  connect(worker_, &RecallHeadsWorker::kept, this, &RecallHeadsController::keep);
  connect(worker_, &RecallHeadsWorker::restarted, this, &RecallHeadsController::forget);
  connect(worker_, &RecallHeadsWorker::found, this, [this](const RecallHeads& heads) {
    release();
    keep(heads);
    context_.add_note(tr("Heads for recall are found"));
    Q_EMIT ended();
  });
}

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
  const auto control = begin(tr("the search for heads is using the engine"));
  context_.add_note(
      tr("Searching for the heads for recall in %1 documents").arg(static_cast<qlonglong>(order.documents)));
  Q_EMIT started();
  Q_EMIT found(heads_, order_, provenance_);
  post(worker_, [order, known = heads_, tokenizer = model->tokenizer, control](RecallHeadsWorker& worker) {
    worker.find(order, known, tokenizer, control);
  });
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
