// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/audit_worker.h"

namespace carryover {

void AuditWorker::report_progress(double share, const std::string& what) {
  if (progress_.passes()) Q_EMIT progressed(share, QString::fromStdString(what));
}

void AuditWorker::audit(const AuditJob& job, const std::shared_ptr<RunControl>& control) {
  AuditReport report;
  QString weights_hash;
  const auto problem = attempt([&] {
    control->checkpoint();
    const auto session = engine_.engine().open(job.model, [&](double, const std::string& what) {
      control->checkpoint();
      report_progress(0, what);
    });
    weights_hash = QString::fromStdString(session->model().weights_hash);
    AuditRequest request = job.request;
    request.progress = [this](double share, const std::string& what) { report_progress(share, what); };
    report = session->audit(request, *control);
  });
  if (!problem) {
    Q_EMIT audited(report, weights_hash);
  } else {
    tell_problem(*this, *problem);
  }
}

}  // namespace carryover
