// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace carryover {

/// A whole file mapped read-only: pages come from disk when they are first touched, and are never copied.
/// Immutable; any thread. The mapping ends with the last shared_ptr.
///
/// Models are mapped, because reading would copy each tensor once more before it is converted. Whoever cuts the file
/// meanwhile, or a disk that fails, would end the process by SIGBUS: a handler puts zeros there instead, and
/// require_whole() tells. Whoever has read from bytes() calls it before the result counts. Files that are small beside
/// what is made of them are read: read_whole_file().
class MappedFile {
 public:
  /// Throws EngineError{Io} (missing, unreadable, a folder) or {BadInput} (empty), naming `path`.
  static std::shared_ptr<const MappedFile> open(const std::string& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  /// Throws EngineError{Io} where some of bytes() may have been zeros in place of the file's.
  void require_whole() const;

  /// Gives the pages of a part back to the system's cache once it has been read, so that loading a model does not count
  /// its file as memory. They return unchanged when touched again. The page that the part ends in stays: the next part
  /// begins there.
  void release(std::span<const std::byte> read) const;

  struct Guard;  ///< of the implementation

 private:
  MappedFile(std::string path, int descriptor, std::span<const std::byte> bytes);
  std::string path_;
  int descriptor_;
  std::span<const std::byte> bytes_;
  Guard* guard_;  ///< never deleted: a signal may be looking at it
};

}  // namespace carryover
