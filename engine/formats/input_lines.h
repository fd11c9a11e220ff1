// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/formats/input_file.h"

namespace carryover {

/// The lines of a file, from its beginning. What can't be read throws and never passes for the file's end. Owner: one
/// thread.
class InputLines {
 public:
  /// Throws EngineError{Io} where the file can't be opened.
  explicit InputLines(const std::string& path) : file_(path) {}

  /// The next line without its line end; false behind the last one. Throws EngineError{Io}, and {BadInput} for a file
  /// in UTF-16 or UTF-32.
  bool next(std::string& line);
  bool ended() const { return ended_; }            ///< whether the last line had a line end
  std::int64_t offset() const { return offset_; }  ///< of the byte behind the last line
  std::int64_t number() const { return number_; }  ///< of the last line, from 1
  const std::string& path() const { return file_.path(); }

 private:
  InputFile file_;
  std::string block_;  ///< read, and not yet given out from `at_` on
  std::size_t at_ = 0;
  std::int64_t read_ = 0, offset_ = 0, number_ = 0;
  bool ended_ = true;
};

}  // namespace carryover
