// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/controllers/engine_job.h"
#include "widgets/what_if/state/what_ifs.h"

namespace carryover {

/// Serves LabContext::what_ifs(): prices plans, runs them on the engine thread, and says why it can't.
class WhatIfController : public EngineJob {
  Q_OBJECT
 public:
  WhatIfController(LabContext& context, RunController& runs);

 private:
  WhatIfRequest make_request(const WhatIfPlan& plan) const;
  void ask_price(const WhatIfPlan& plan);
  void start(const WhatIfPlan& plan, const QString& name, bool sweep);
  void take(int edit, const std::shared_ptr<const WhatIfOutcome>& outcome);
  void finish(const WhatIfBase& base, double seconds);

  WhatIfPlan plan_;
  QString name_, patched_from_;
  bool sweep_ = false;
  std::vector<float> before_;                     ///< of the run, to hold a sweep's edits against as they come
  std::shared_ptr<const WhatIfOutcome> outcome_;  ///< of a single edit
  int price_tag_ = 0;                             ///< only the newest price counts
  int run_ = 0;                                   ///< counts resets of the run: an answer of an earlier one is dropped
  int started_in_ = 0;
};

}  // namespace carryover
