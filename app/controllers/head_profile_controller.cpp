// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/head_profile_controller.h"

#include <algorithm>

#include "engine/runs/records/run_command.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

/// The command that scores the same heads on the same probes.
std::string command_of(const HeadProfileRequest& request, const ModelInfo& model, const QString& text) {
  std::vector<std::string> words = {"carryover", "heads", model.path};
  std::string kinds;
  for (const ProbeKind kind : request.kinds) kinds += (kinds.empty() ? "" : ",") + std::string(probe_kind_name(kind));
  if (request.text) words.push_back(text.toStdString());
  if (!model.adapter.empty()) words.insert(words.end(), {"--adapter", model.adapter});
  words.insert(words.end(), {"--kinds", kinds});
  for (const auto& [flag, value] : {std::pair("--tokens", request.tokens),
                                    {"--probes", request.probes},
                                    {"--needle", request.needle},
                                    {"--seed", request.seed}})
    words.insert(words.end(), {flag, std::to_string(value)});
  words.insert(words.end(), {"--dtype", std::string(dtype_name(model.dtype))});
  return shell_command(words);
}

}  // namespace

HeadProfileController::HeadProfileController(LabContext& context, RunController& runs)
    : EngineJob(context, runs, tr("Scoring the heads was cancelled")) {}

void HeadProfileController::start(const HeadProfileRequest& wanted) {
  const bool reads_text = std::count(wanted.kinds.begin(), wanted.kinds.end(), ProbeKind::Passage) > 0;
  const auto needs = reads_text ? RunController::Needs::ModelAndText : RunController::Needs::Model;
  if (const auto refused = runs_.refusal(tr("head scores"), needs)) return Q_EMIT failed(*refused);
  HeadProfileRequest request = wanted;
  if (reads_text) request.text = runs_.loader().text()->ids;
  const ModelInfo& model = runs_.loader().model()->info;
  const QString provenance =
      QStringLiteral("model: %1\nremade by: %2\nweights: %3")
          .arg(QString::fromStdString(model.path),
               QString::fromStdString(command_of(request, model, reads_text ? runs_.loader().text()->name : QString())),
               QString::fromStdString(model.weights_hash));
  context_.add_note(tr("Scoring all heads on probes of %L1 tokens").arg(static_cast<qlonglong>(request.tokens)));
  const auto score = [request](EngineCall& call) {
    HeadProfileRequest reporting = request;
    reporting.progress = call.reporting();
    return call.session().profile_heads(reporting, call.control());
  };
  start_work(tr("scoring the heads is using the engine"), score, [this, provenance](const HeadProfile& profile) {
    const HeadScores scores = mean_scores(profile, HeadMeasure::Attention);
    context_.add_note(filled(tr("Scored %1 layers × %2 heads"), scores.layers, scores.heads));
    Q_EMIT done(profile, provenance);
  });
}

}  // namespace carryover
