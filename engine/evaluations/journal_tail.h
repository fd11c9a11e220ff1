// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/evaluations/sample_journal.h"
#include "engine/formats/file_stamp.h"

namespace carryover {

/// The samples of a journal that another process may be writing: each look reads what has been appended since. A last
/// line that is not whole waits for its end. Nothing is written. Owner: one thread.
class JournalTail {
 public:
  explicit JournalTail(std::string path) : path_(std::move(path)) {}

  /// Whether entries() or problem() are others than before. A file that was cut or replaced is read anew.
  bool look();
  const std::vector<SampleEntry>& entries() const { return entries_; }
  /// What is wrong with the file, with its name and line; empty: nothing. Entries in front of it stay.
  const std::string& problem() const { return problem_; }

 private:
  void read_on();
  void take_line(const std::string& line);

  std::string path_, problem_;
  FileStamp seen_;
  std::vector<SampleEntry> entries_;
  std::int64_t offset_ = 0;  ///< of the byte behind the last whole line that was read
};

}  // namespace carryover
