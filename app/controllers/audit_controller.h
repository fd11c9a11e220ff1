// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/controllers/engine_job.h"
#include "widgets/training/audit_form.h"

namespace carryover {

/// The GUI's side of an audit: makes a job of the open model's files and the open text.
class AuditController : public EngineJob {
  Q_OBJECT
 public:
  AuditController(LabContext& context, RunController& runs);
  void start(const AuditSettings& settings);

 Q_SIGNALS:
  void done(const carryover::AuditReport& report, const QString& provenance);
};

}  // namespace carryover
