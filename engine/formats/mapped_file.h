// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace carryover {

/// A whole file, mapped read-only: pages are read from disk when they are first touched, and are never copied.
/// Immutable; any thread. The mapping ends with the last shared_ptr.
///
/// Models are mapped, because reading would copy each tensor once more before it is converted. If the file is cut
/// meanwhile, or the disk fails, the process would end by SIGBUS. A handler supplies zeros instead, and require_whole()
/// reports it; code that has read from bytes() has to call it before it uses the result. Files that are small compared
/// with what is made of them are read instead: read_whole_file().
class MappedFile {
 public:
  /// Throws EngineError{Io} (missing, unreadable, a folder) or {BadInput} (empty), which names `path`.
  static std::shared_ptr<const MappedFile> open(const std::string& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  /// Throws EngineError{Io} if some of bytes() may have been zeros in place of the file's bytes.
  void require_whole() const;

  /// Gives the pages of a part back to the system's cache after it has been read, so that loading a model does not
  /// count its file as memory. They come back unchanged when touched again. The page in which the part ends stays,
  /// because the next part begins there.
  void release(std::span<const std::byte> read) const;

  struct Guard;  ///< part of the implementation

 private:
  MappedFile(std::string path, int descriptor, std::span<const std::byte> bytes);
  std::string path_;
  int descriptor_;
  std::span<const std::byte> bytes_;
  Guard* guard_;  ///< never deleted: a signal handler may be reading it
};

}  // namespace carryover
