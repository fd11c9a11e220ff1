// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace carryover {

/// A file that is being written, unbuffered. It is whole after each call: if a write fails, the bytes that it had added
/// are removed again. Nothing is ever written through a symbolic link. Owner: one thread. Every member throws
/// EngineError{Io}, which names the file, the reason (most often a full disk) and what to do.
class OutputFile {
 public:
  enum class Existing {
    Refuse,    ///< the constructor creates the file, or throws
    Replace,   ///< a file or link of this name is replaced by a new file; a device is written to
    Continue,  ///< the file is kept and written at its end; a link is refused
  };
  explicit OutputFile(std::string path, Existing existing = Existing::Replace);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Replaces everything from `offset` on (at most size()) by `bytes`. `tail` must be the last bytes that were there;
  /// if the call fails, it puts them back over what it had overwritten.
  void replace_end(std::int64_t offset, std::string_view bytes, std::string_view tail);
  void append(std::string_view bytes) { replace_end(size_, bytes, {}); }
  /// Appends all of an open file and copies its times. `name`: the path that an error in reading it names.
  void append_copy(int source, const std::string& name);
  /// Replaces existing bytes, such as a header's; they must be few enough to be written at once.
  void overwrite(std::int64_t offset, std::string_view bytes);
  std::int64_t size() const { return size_; }

  /// Flushes to the disk.
  void sync();
  /// Flushes to the disk and closes.
  void finish();
  const std::string& path() const { return path_; }

 private:
  bool write_at(std::int64_t offset, std::string_view bytes);

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

inline constexpr const char* kAtomicSuffix = ".tmp-";

/// Writes a whole file so that neither a reader nor a crash ever leaves half of it: `fill` writes to a temporary name
/// beside it, which is synced and renamed; if `fill` throws, it is removed. Throws EngineError{Io}, which names `path`.
/// The temporary name is temporary_name(path + kAtomicSuffix), of a file that did not exist before.
void write_atomically(const std::string& path, const std::function<void(OutputFile& file)>& fill);

/// Removes the temporary files that killed processes left. Nobody else may be writing this path. Throws nothing.
void remove_unfinished(const std::string& path);

/// Does what write_atomically() does with the given contents.
void write_file_atomically(const std::string& path, std::string_view contents);

/// Does the same with the contents and the times of another file.
void copy_file_atomically(const std::string& from, const std::string& to);

/// Does the same after remove_unfinished(): for a file in a folder that this process has locked.
void replace_own_file(const std::string& path, std::string_view contents);

/// Returns the error of a failed system call on `path`, with advice; `code`: its errno.
EngineError write_error(const std::string& path, int code);

/// Returns true if it is the error of a write that found no space, under whatever path: another try may succeed after
/// somebody has freed some.
bool is_disk_full(const EngineError& error);

}  // namespace carryover
