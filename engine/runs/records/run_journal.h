// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "engine/runs/records/run_reader.h"

namespace carryover {

class OutputFile;

/// Writes a run with everything that a window shows of it to one file, which grows as segments close: ids, hits,
/// losses, maps. If the process is killed, the file can be read up to its last whole record. The window spills runs to
/// such files and restores them from there; run folders are for other programs. Owner: one thread. Throws
/// EngineError{Io}.
class RunJournal {
 public:
  RunJournal(const std::string& path, const RunDescription& run);  ///< replaces an existing file
  ~RunJournal();
  void append(const SegmentSnapshot& snapshot);
  void finish(const RunSummary& summary);
  /// Returns the segments that have been appended so far, which any thread may read. The source outlives the journal,
  /// and the file's name.
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
/// Reads the whole file, and keeps of each segment what a RunOutline does. It ignores everything from the first record
/// that is not whole. Throws EngineError{Io} where the file can't be read and {BadInput} where not even its head is
/// whole.
JournaledRun read_run_journal(const std::string& path);

/// Reads a run from its place, a journal or a run folder. Throws EngineError{Io, BadInput}, also where the place is
/// empty.
JournaledRun read_kept_run(const std::string& place);

}  // namespace carryover
