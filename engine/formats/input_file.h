// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace carryover {

/// A file of which parts are read, by their place. It stays open: a file that is removed or replaced meanwhile still
/// reads. Any thread. Throws EngineError{Io} naming the file, also where it is a FIFO or a device.
class InputFile {
 public:
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Exactly these bytes: fewer, in a file that has been cut, are an error.
  std::string read(std::int64_t offset, std::int64_t size) const;
  std::string read_up_to(std::int64_t offset, std::int64_t size) const;  ///< likewise, fewer at the file's end alone
  std::int64_t size() const;                                             ///< now
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_;
};

/// All of a file, at once. Throws EngineError{Io} where it can't be read or is cut meanwhile, {BadInput} where it is
/// empty.
std::string read_whole_file(const std::string& path);

}  // namespace carryover
