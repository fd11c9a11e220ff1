// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "app/engine_thread/error_report.h"
#include "engine/runs/records/run_journal.h"

namespace carryover {

/// Writes what a run reports to a journal before it hands it on, so that the window can let go of any segment that it
/// knows. The journal begins with the first segment: a run that is refused, or stopped before, leaves no file. Where
/// the disk gives out, `failed` is reported once and the run continues: its segments then stay in memory. Engine
/// thread.
class SpillingObserver : public RunObserver {
 public:
  using Begun = std::function<void(const std::shared_ptr<const SegmentSource>&)>;
  using Failed = std::function<void(const ErrorReport&)>;
  /// `path` empty: a file of this process alone, which is gone when nobody reads it any more. `begun` is told once
  /// where segments are spilled to, before the first one is handed on. `run` must outlive it.
  SpillingObserver(std::string path, const RunDescription& run, RunObserver& next, Begun begun, Failed failed);

  void finish(const RunSummary& summary);

  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override;
  void progress(std::int64_t tokens_done, std::int64_t tokens_total) override;

 private:
  void begin();
  void write(const std::function<void(RunJournal&)>& what);

  std::string path_;
  const RunDescription& run_;
  RunObserver& next_;
  Begun begun_;
  Failed failed_;
  bool began_ = false;
  std::unique_ptr<RunJournal> journal_;
};

}  // namespace carryover
