// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/runs/values/run_request.h"

namespace carryover {

/// Hands on what a run reports, and ends it before a segment whose loss is not finite: no record holds one. Throws
/// EngineError{BadInput} out of the run. Thread: engine.
class FiniteLosses final : public RunObserver {
 public:
  explicit FiniteLosses(RunObserver& observer) : observer_(observer) {}

  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    const SegmentRecord& record = snapshot->record;
    if (!std::isfinite(record.nll_sum)) {
      const auto& nll = snapshot->target_nll;
      const auto first = std::find_if(nll.begin(), nll.end(), [](float value) { return !std::isfinite(value); });
      const std::string place =
          first == nll.end() ? "" : ", first that of its token " + std::to_string(first - nll.begin());
      throw EngineError(Fault::BadInput, "segment " + std::to_string(record.index),
                        "has a loss that is not finite" + place,
                        "The weights are finite, and what they compute overflows: use --dtype fp32, or another model.");
    }
    observer_.segment_done(std::move(snapshot));
  }
  void progress(std::int64_t tokens_done, std::int64_t tokens_total) override {
    observer_.progress(tokens_done, tokens_total);
  }

 private:
  RunObserver& observer_;
};

}  // namespace carryover
