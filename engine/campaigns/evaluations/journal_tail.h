// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/campaigns/evaluations/sample_journal.h"
#include "engine/formats/file_stamp.h"

namespace carryover {

/// Reads the samples of a journal that another process may be writing: each look() reads what has been appended since
/// the last. A last line that is not whole is read when it is. Writes nothing. Owner: one thread.
class JournalTail {
 public:
  explicit JournalTail(std::string path) : path_(std::move(path)) {}

  /// Reads the file's new lines and returns true if entries() or problem() changed. A file that was cut or replaced is
  /// read again from its start.
  bool look();
  const std::vector<SampleEntry>& entries() const { return entries_; }
  /// Returns the file's error, with its name and line, or an empty text. The entries before that line stay.
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
