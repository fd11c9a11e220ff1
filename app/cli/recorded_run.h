// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/run_control.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/records/run_settings.h"
#include "engine/runs/values/run_request.h"

namespace carryover {

class ProgressLine;

/// A run of `ids` under `settings`: its request, with the hits that its settings force, and what its record says of
/// it. `text` names where the ids are from. What is captured and the open model are the caller's to fill in. Throws
/// EngineError{BadInput, Io}.
RunDescription describe_run(const RunSettings& settings, std::vector<std::int32_t> ids, const std::string& text,
                            const ModelConfig& model);

/// Writes each segment and shows progress. What goes wrong here ends the run through its control, and is thrown after
/// it.
class RunRecorder : public RunObserver {
 public:
  /// All arguments must outlive it; `folder` may be null.
  RunRecorder(RunFolder* folder, ProgressLine& progress, RunControl& control, std::int64_t total)
      : folder_(folder), progress_(progress), control_(control), total_(total) {}

  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override;
  void progress(std::int64_t done, std::int64_t total) override;
  void rethrow() const;

 private:
  RunFolder* folder_;
  ProgressLine& progress_;
  RunControl& control_;
  std::int64_t total_;
  std::exception_ptr failure_;
};

}  // namespace carryover
