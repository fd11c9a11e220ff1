// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/controllers/engine_job.h"

namespace carryover {

/// The GUI's side of head discovery.
class HeadProfileController : public EngineJob {
  Q_OBJECT
 public:
  HeadProfileController(LabContext& context, RunController& runs);
  void start(const HeadProfileRequest& request);  ///< passages are of the open text

 Q_SIGNALS:
  void done(const carryover::HeadProfile& profile, const QString& provenance);
};

}  // namespace carryover
