// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "engine/records/run_reader.h"

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
  RunContents contents;  ///< `summary` is sum_up() of what is there where the run was cut off; no directory
  bool whole = false;    ///< the run came to its end, or was stopped
};
/// Walks through the whole file, and keeps of each segment what a RunOutline does. What follows the first record that
/// is not whole is passed over. Throws EngineError{Io} where the file can't be read and {BadInput} where not even its
/// head is whole.
JournaledRun read_run_journal(const std::string& path);

/// A run from where it is kept, a journal or a run folder. Throws EngineError{Io, BadInput}, also where nothing is
/// there.
JournaledRun read_kept_run(const std::string& place);

}  // namespace carryover
