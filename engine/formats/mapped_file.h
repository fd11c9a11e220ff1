// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace carryover {

/// A whole file mapped read-only: pages come from disk when they are first touched, and are never copied.
/// Immutable; any thread. The mapping ends with the last shared_ptr.
class MappedFile {
 public:
  /// Throws EngineError{Io} (missing, unreadable, a folder) or {BadInput} (empty), naming `path`.
  static std::shared_ptr<const MappedFile> open(const std::string& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  /// Gives the pages of a part back to the system's cache once it has been read, so that loading a model does not count
  /// its file as memory. They return unchanged when touched again. The page that the part ends in stays: the next part
  /// begins there.
  void release(std::span<const std::byte> read) const;

 private:
  MappedFile(std::string path, std::span<const std::byte> bytes) : path_(std::move(path)), bytes_(bytes) {}
  std::string path_;
  std::span<const std::byte> bytes_;
};

}  // namespace carryover
