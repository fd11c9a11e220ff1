// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/controllers/run_controller.h"
#include "app/engine_thread/head_profile_worker.h"

namespace carryover {

/// The GUI's side of head discovery. While a profile is in progress, the RunController refuses runs. GUI thread; never
/// waits. Lives shorter than its RunController.
class HeadProfileController : public QObject {
  Q_OBJECT
 public:
  HeadProfileController(LabContext& context, RunController& runs, QObject* parent = nullptr);
  ~HeadProfileController() override;

  bool active() const { return control_ != nullptr; }
  void start(const HeadProfileRequest& request);  ///< passages are of the open text
  void cancel();

 Q_SIGNALS:
  void started();
  void progressed(double share, const QString& what);
  void done(const carryover::HeadProfile& profile, const QString& provenance);
  void ended();  ///< cancelled or failed
  void failed(const carryover::ErrorReport& report);

 private:
  void finish(const HeadProfile& profile, const QString& weights);
  void release();

  LabContext& context_;
  RunController& runs_;
  HeadProfileWorker* worker_;
  std::shared_ptr<RunControl> control_;
  QString provenance_;
};

}  // namespace carryover
