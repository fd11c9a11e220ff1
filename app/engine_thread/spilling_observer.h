// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "app/engine_thread/error_report.h"
#include "engine/records/run_journal.h"

namespace carryover {

/// Writes what a run reports to a journal before it hands it on, so that the window can let go of any segment that it
/// knows. Where the disk gives out, `failed` is reported once and the run continues: its segments then stay in memory.
/// Engine thread.
class SpillingObserver : public RunObserver {
 public:
  using Failed = std::function<void(const ErrorReport&)>;
  /// `path` empty: a file of this process alone, which is gone when nobody reads it any more.
  SpillingObserver(const std::string& path, const RunDescription& run, RunObserver& next, Failed failed);

  std::shared_ptr<const SegmentSource> segments() const;  ///< null where nothing can be written
  void finish(const RunSummary& summary);

  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override;
  void progress(std::int64_t tokens_done, std::int64_t tokens_total) override;

 private:
  void write(const std::function<void(RunJournal&)>& what);

  RunObserver& next_;
  Failed failed_;
  std::unique_ptr<RunJournal> journal_;
};

}  // namespace carryover
