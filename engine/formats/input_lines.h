// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/formats/input_file.h"

namespace carryover {

/// Reads the lines of a file from its beginning. An error in reading throws and is never taken for the end of the file.
/// Owner: one thread.
class InputLines {
 public:
  /// Throws EngineError{Io} if the file can't be opened.
  explicit InputLines(const std::string& path) : file_(path) {}

  /// Reads the next line without its line end; returns false after the last one. Throws EngineError{Io}, and {BadInput}
  /// for a file in UTF-16 or UTF-32.
  bool next(std::string& line);
  bool ended() const { return ended_; }            ///< true if the last line had a line end
  std::int64_t offset() const { return offset_; }  ///< offset of the byte after the last line
  std::int64_t number() const { return number_; }  ///< number of the last line, from 1
  const std::string& path() const { return file_.path(); }

 private:
  InputFile file_;
  std::string block_;  ///< bytes that were read; those from `at_` on are not returned yet
  std::size_t at_ = 0;
  std::int64_t read_ = 0, offset_ = 0, number_ = 0;
  bool ended_ = true;
};

}  // namespace carryover
