// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// Holds a folder's file `lock`, so that one process at a time writes a run or trains there; or FILE.lock beside a
/// file, so that one process at a time writes that. The system lets go of it when the process ends, however it ends.
/// The lock file is removed with the lock, and stays only where the process was killed. Owner: one thread.
class FolderLock {
 public:
  enum class Of { Folder, File };
  /// Throws EngineError{Usage} where another holds it, {Io} where the lock file can't be made.
  explicit FolderLock(const std::string& path, Of what = Of::Folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Whether a process holds the folder's lock now. A process that locks it at that moment waits for this look and gets
  /// the lock. True where the disk can't say. Throws EngineError{Io} where `lock` is no file. Any thread.
  static bool is_held(const std::string& directory);

 private:
  std::string path_;  ///< of the lock file
  int descriptor_ = -1;
};

}  // namespace carryover
