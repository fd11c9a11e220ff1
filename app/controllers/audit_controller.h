// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/controllers/run_controller.h"
#include "app/engine_thread/audit_worker.h"
#include "widgets/forms/audit_form.h"

namespace carryover {

/// The GUI's side of an audit: makes a job of the open model's files and the open text. While it is in progress, the
/// RunController refuses runs. GUI thread; never waits. Lives shorter than its RunController.
class AuditController : public QObject {
  Q_OBJECT
 public:
  AuditController(LabContext& context, RunController& runs, QObject* parent = nullptr);
  ~AuditController() override;

  bool active() const { return control_ != nullptr; }
  void start(const AuditSettings& settings);
  void cancel();

 Q_SIGNALS:
  void started();
  void progressed(double share, const QString& what);
  void done(const carryover::AuditReport& report, const QString& provenance);
  void ended();  ///< cancelled or failed
  void failed(const carryover::ErrorReport& report);

 private:
  AuditJob make_job(const AuditSettings& settings) const;
  void finish(const AuditReport& report, const QString& weights_hash);
  void release();

  LabContext& context_;
  RunController& runs_;
  AuditWorker* worker_;
  std::shared_ptr<RunControl> control_;
  QString provenance_;
};

}  // namespace carryover
