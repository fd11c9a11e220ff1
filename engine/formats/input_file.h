// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace carryover {

/// A file of which parts are read, by offset. It stays open: a file that is removed or replaced meanwhile can still be
/// read. Any thread. Throws EngineError{Io}, which names the file, also if it is a FIFO or a device.
class InputFile {
 public:
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Returns exactly these bytes; throws if there are fewer, as in a file that has been cut.
  std::string read(std::int64_t offset, std::int64_t size) const;
  std::string read_up_to(std::int64_t offset, std::int64_t size) const;  ///< likewise, but fewer bytes at the file's
                                                                         ///< end
  std::int64_t size() const;                                             ///< current size
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_;
};

/// Reads a whole file at once. Throws EngineError{Io} if it can't be read or is cut meanwhile, {BadInput} if it is
/// empty.
std::string read_whole_file(const std::string& path);

}  // namespace carryover
