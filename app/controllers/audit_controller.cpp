// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/audit_controller.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/engine_thread/post.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

QString describe(const AuditJob& job, const AuditSettings& settings, const QString& text) {
  const nlohmann::json config = settings.config;
  return filled(
      QStringLiteral("model: %1\ntext: %2, %3 tokens from token %4\npolicy: %5, dtype: %6, LoRA rank: %7\nconfig: %8"),
      QString::fromStdString(job.model.path), text, job.request.ids->size(), settings.first_token,
      QString::fromStdString(settings.policy), QString::fromUtf8(dtype_name(settings.dtype).data()), settings.lora_rank,
      QString::fromStdString(config.dump()));
}

}  // namespace

AuditController::AuditController(LabContext& context, RunController& runs)
    : EngineJob(context, runs), worker_(with(new AuditWorker(runs.engine().worker()), tr("The audit was cancelled"))) {
  connect(worker_, &AuditWorker::audited, this, &AuditController::finish);
}

AuditJob AuditController::make_job(const AuditSettings& settings) const {
  const ModelInfo& open = runs_.loader().model()->info;
  AuditJob job;
  // LibTorch has the paths that fp64 needs on the CPU alone.
  const Device device = settings.dtype == DType::Float64 ? Device::Cpu : open.device;
  job.model = {open.path, settings.dtype, device, open.threads, false, open.adapter};
  job.request.policy = settings.policy;
  job.request.config = settings.config;
  job.request.lora_rank = settings.lora_rank;
  const auto& all = *runs_.loader().text()->ids;
  const auto first = std::min<std::ptrdiff_t>(settings.first_token, std::ssize(all));
  const auto end = std::min<std::ptrdiff_t>(first + settings.tokens(), std::ssize(all));
  job.request.ids = std::make_shared<const std::vector<std::int32_t>>(all.begin() + first, all.begin() + end);
  return job;
}

void AuditController::start(const AuditSettings& settings) {
  if (const auto refused = runs_.refusal(tr("audit"), RunController::Needs::ModelAndText))
    return Q_EMIT failed(*refused);
  if (const QString problem = context_.settings_problem(); !problem.isEmpty())
    return Q_EMIT failed({Fault::BadInput, tr("settings"), problem, tr("Correct the marked field first.")});
  const AuditJob job = make_job(settings);
  provenance_ = describe(job, settings, runs_.loader().text()->name);
  const auto control = begin(tr("an audit is using the engine"));
  context_.add_note(filled(tr("Auditing the gradient of %L1 tokens in %2"), job.request.ids->size(),
                           QString::fromUtf8(dtype_name(settings.dtype).data())));
  Q_EMIT started();
  post(worker_, [job, control](AuditWorker& worker) { worker.audit(job, control); });
}

void AuditController::finish(const AuditReport& report, const QString& weights_hash) {
  release();
  const auto failures = std::count_if(report.checks.begin(), report.checks.end(),
                                      [](const AuditCheck& check) { return !check.passed(); });
  context_.add_note(failures == 0 ? tr("The audit passed: %1 checks").arg(report.checks.size())
                                  : filled(tr("The audit FAILED: %1 of %2 checks"), failures, report.checks.size()),
                    failures != 0);
  Q_EMIT done(report, provenance_ + QStringLiteral("\nweights: %1").arg(weights_hash));
}

}  // namespace carryover
