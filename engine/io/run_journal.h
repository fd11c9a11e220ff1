// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "engine/core/run_outline.h"
#include "engine/core/segment_source.h"
#include "engine/io/run_folder.h"

namespace carryover {

class OutputFile;

/// A run with everything that a window shows of it, in one file that grows as segments close: ids, hits, losses, maps.
/// A process that is killed leaves a file that reads up to its last whole record. Where the window spills a run to, and
/// what brings it back; a run folder is what other programs read. Owner: one thread. Throws EngineError{Io}.
class RunJournal {
 public:
  RunJournal(const std::string& path, const RunDescription& run);  ///< takes the place of what is there
  ~RunJournal();
  void append(const SegmentSnapshot& snapshot);
  void finish(const RunSummary& summary);
  /// What has been appended so far, to be read back by any thread. Outlives the journal, and the file's name.
  std::shared_ptr<const SegmentSource> segments() const;

 private:
  std::unique_ptr<OutputFile> file_;
  std::shared_ptr<class JournalSegments> segments_;
};

/// A journal read back.
struct JournaledRun {
  std::string weights_hash;  ///< of the model that ran
  std::string text;          ///< the text's name
  RunRequest request;
  std::shared_ptr<RunOutline> outline;
  std::shared_ptr<const SegmentSource> segments;  ///< of the file
  std::optional<RunSummary> summary;              ///< none where the run was cut off
};
/// Walks through the whole file, and keeps of each segment what a RunOutline does. What follows the first record that is
/// not whole is passed over. Throws EngineError{Io} where the file can't be read
/// and {BadInput} where not even its head is whole.
JournaledRun read_run_journal(const std::string& path);

}  // namespace carryover
