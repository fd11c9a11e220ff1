// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/core/base/error.h"

namespace carryover {

/// A file being written, unbuffered, that is whole after each call: where a write fails, what it had added is taken
/// back. Nothing is ever written through a symbolic link. Owner: one thread. Every member throws EngineError{Io} naming
/// the file, the reason (a full disk first of all) and what to do.
class OutputFile {
 public:
  enum class Existing {
    Refuse,    ///< the file is made here, or the constructor throws
    Replace,   ///< what has the name, a file or a link, loses it to a new file; a device is written to
    Continue,  ///< is kept and written after; a link is refused
  };
  explicit OutputFile(std::string path, Existing existing = Existing::Replace);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Replaces everything from `offset` on (at most size()) by `bytes`. `tail`, the last bytes that a failed call puts
  /// back over what it had overwritten, must be what stood there.
  void replace_end(std::int64_t offset, std::string_view bytes, std::string_view tail);
  void append(std::string_view bytes) { replace_end(size_, bytes, {}); }
  /// Appends all of an open file and takes over its times. `name`: the path that an error in reading it names.
  void append_copy(int source, const std::string& name);
  /// Replaces bytes that are there, such as a header's; few enough that they are written at once.
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

/// Writes a whole file so that a reader or a crash never sees half of it: `fill` writes to a temporary name beside it,
/// which is synced and renamed; where `fill` throws, it is removed. Throws EngineError{Io} naming `path`.
/// The temporary name is temporary_name(path + kAtomicSuffix), of a file that did not exist before.
void write_atomically(const std::string& path, const std::function<void(OutputFile& file)>& fill);

/// Removes what kills left of that, where nobody else writes this path. Throws nothing.
void remove_unfinished(const std::string& path);

/// The same with all of its contents at hand.
void write_file_atomically(const std::string& path, std::string_view contents);

/// The same with the contents and the time of another file.
void copy_file_atomically(const std::string& from, const std::string& to);

/// The same after remove_unfinished(): of a file in a folder that this process has locked.
void replace_own_file(const std::string& path, std::string_view contents);

/// The advice-giving error of a failed system call on `path`; `code`: its errno.
EngineError write_error(const std::string& path, int code);

/// Whether it is the error of a write that found no room, under whatever path: another try may succeed once somebody
/// has freed some.
bool is_disk_full(const EngineError& error);

}  // namespace carryover
