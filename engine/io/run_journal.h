// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/io/run_folder.h"

namespace carryover {

class OutputFile;

/// A run with everything that a window shows of it, in one file that grows as segments close: ids, hits, losses, maps.
/// A process that is killed leaves a file that reads up to its last whole record. For bringing a window back; a run
/// folder is what other programs read. Owner: one thread. Throws EngineError{Io}.
class RunJournal {
 public:
  RunJournal(const std::string& path, const RunDescription& run);  ///< takes the place of what is there
  ~RunJournal();
  void append(const SegmentSnapshot& snapshot);
  void finish(const RunSummary& summary);

 private:
  std::unique_ptr<OutputFile> file_;
};

/// A journal read back.
struct JournaledRun {
  std::string weights_hash;  ///< of the model that ran
  std::string text;          ///< the text's name
  RunRequest request;
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
  std::optional<RunSummary> summary;  ///< none where the run was cut off
};
/// What follows the first record that is not whole is passed over. Throws EngineError{Io} where the file can't be read
/// and {BadInput} where not even its head is whole.
JournaledRun read_run_journal(const std::string& path);

}  // namespace carryover
