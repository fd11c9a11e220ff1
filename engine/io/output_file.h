// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace carryover {

/// A file being written, unbuffered, that is whole after each call: where a write fails, what it had added is taken
/// back. Owner: one thread. Every member throws EngineError{Io} naming the file, the reason (a full disk first of all)
/// and what to do.
class OutputFile {
 public:
  /// Creates the file, or empties it.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Replaces everything from `offset` on (at most size()) by `bytes`. `tail`, the last bytes that a failed call puts
  /// back over what it had overwritten, must be what stood there.
  void replace_end(std::int64_t offset, std::string_view bytes, std::string_view tail);
  void append(std::string_view bytes) { replace_end(size_, bytes, {}); }
  std::int64_t size() const { return size_; }

  /// Flushes to the disk and closes.
  void finish();
  const std::string& path() const { return path_; }

 private:
  bool write_at(std::int64_t offset, std::string_view bytes);

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace carryover
