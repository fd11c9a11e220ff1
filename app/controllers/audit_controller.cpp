// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/audit_controller.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

/// An audit with the model that it loads for itself: the open one stays as it is.
struct AuditJob {
  ModelRequest model;
  AuditRequest request;
};

QString describe(const AuditJob& job, const AuditSettings& settings, const QString& text) {
  const nlohmann::json config = settings.config;
  return filled(
      QStringLiteral("model: %1\ntext: %2, %3 tokens from token %4\npolicy: %5, dtype: %6, LoRA rank: %7\nconfig: %8"),
      QString::fromStdString(job.model.path), text, job.request.ids->size(), settings.first_token,
      QString::fromStdString(settings.policy), QString::fromUtf8(dtype_name(settings.dtype).data()), settings.lora_rank,
      QString::fromStdString(config.dump()));
}

/// Makes a job of the open model's files and the open text.
AuditJob make_job(const AuditSettings& settings, const ModelLoader& loader) {
  const ModelInfo& open = loader.model()->info;
  AuditJob job;
  // LibTorch has the paths that fp64 needs on the CPU alone.
  const Device device = settings.dtype == DType::Float64 ? Device::Cpu : open.device;
  job.model = {open.path, settings.dtype, device, open.threads, false, open.adapter};
  job.request.policy = settings.policy;
  job.request.config = settings.config;
  job.request.lora_rank = settings.lora_rank;
  const auto& all = *loader.text()->ids;
  const auto first = std::min<std::ptrdiff_t>(settings.first_token, std::ssize(all));
  const auto end = std::min<std::ptrdiff_t>(first + settings.tokens(), std::ssize(all));
  job.request.ids = std::make_shared<const std::vector<std::int32_t>>(all.begin() + first, all.begin() + end);
  return job;
}

/// Returns the report and the hash of the audited weights.
std::pair<AuditReport, std::string> audit(const AuditJob& job, EngineCall& call) {
  const auto session = call.worker().engine().open(job.model, [&call](double, const std::string& what) {
    call.control().checkpoint();
    call.progress(0, QString::fromStdString(what));
  });
  AuditRequest request = job.request;
  request.progress = call.reporting();
  return {session->audit(request, call.control()), session->model().weights_hash};
}

}  // namespace

AuditController::AuditController(LabContext& context, RunController& runs)
    : EngineJob(context, runs, tr("The audit was cancelled")) {}

void AuditController::start(const AuditSettings& settings) {
  if (const auto refused = runs_.refusal(tr("audit"), RunController::Needs::ModelAndText))
    return Q_EMIT failed(*refused);
  if (const QString problem = context_.settings_problem(); !problem.isEmpty())
    return Q_EMIT failed({Fault::BadInput, tr("settings"), problem, tr("Correct the marked field first.")});
  const AuditJob job = make_job(settings, runs_.loader());
  const QString provenance = describe(job, settings, runs_.loader().text()->name);
  context_.add_note(filled(tr("Auditing the gradient of %L1 tokens in %2"), job.request.ids->size(),
                           QString::fromUtf8(dtype_name(settings.dtype).data())));
  const auto finish = [this, provenance](const std::pair<AuditReport, std::string>& audited) {
    const auto& [report, weights_hash] = audited;
    const auto failures = std::ranges::count_if(report.checks, std::not_fn(&AuditCheck::passed));
    context_.add_note(failures == 0 ? tr("The audit passed: %1 checks").arg(report.checks.size())
                                    : filled(tr("The audit FAILED: %1 of %2 checks"), failures, report.checks.size()),
                      failures != 0);
    Q_EMIT done(report, provenance + QStringLiteral("\nweights: %1").arg(QString::fromStdString(weights_hash)));
  };
  start_work(
      tr("an audit is using the engine"), [job](EngineCall& call) { return audit(job, call); }, finish);
}

}  // namespace carryover
