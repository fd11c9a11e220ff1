// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/training/records/training_values.h"

namespace carryover {

/// Follows metrics.jsonl as it grows: poll() gives what came since the last call, whole lines only, and reads nothing
/// else. A file that is no longer what was read (a resumed run drops its newest lines) is read again, and `restarted`
/// says so: forget what earlier calls gave. Any one thread.
class MetricsFollower {
 public:
  explicit MetricsFollower(const std::string& directory);
  struct News {
    bool restarted = false;
    std::vector<StepRecord> steps;
    std::vector<ValidationRecord> validations;
  };
  /// Throws EngineError{Io} where the file is missing, {BadInput} naming file and line where one is no record: that
  /// line is given up, and the next call continues after it.
  News poll();

 private:
  class File;
  bool still_the_same(const File& file) const;
  void take_line(std::string_view line, News& news);

  std::string path_;
  std::int64_t offset_ = 0;  ///< bytes read, whole lines
  std::int64_t lines_ = 0;
  std::string last_line_;  ///< line before `offset_`: no two steps have the same line
};

}  // namespace carryover
