// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/checkpoints/model_source.h"
#include "tests/support/demo_window.h"

namespace carryover::test {

/// The demo's own task at two lengths under two policies.
inline EvaluationPlan demo_evaluation() {
  EvaluationPlan plan;
  plan.model = demo_folder().toStdString();
  plan.tasks = {"recall/names"};
  plan.lengths = {256, 512};
  plan.policies = {"segmented", "full"};
  plan.samples = 14;
  plan.config = SegmentConfig::untrained_defaults_for(ModelSource::open(plan.model)->config());
  plan.dtype = "fp32";
  plan.device = "cpu";
  return plan;
}

}  // namespace carryover::test
