// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// Holds a folder's file `lock`, so that one process at a time writes a run or trains there; or FILE.lock beside a
/// file, so that one process at a time writes that file. The system releases the lock when the process ends, however it
/// ends. The lock file is removed with the lock; it stays only if the process was killed. Owner: one thread.
class FolderLock {
 public:
  enum class Of { Folder, File };
  /// Throws EngineError{Usage} if another process holds it, {Io} if the lock file can't be created.
  explicit FolderLock(const std::string& path, Of what = Of::Folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Returns true if a process holds the folder's lock now. A process that locks it at the same moment waits for this
  /// check and gets the lock. Returns true if the file system can't say. Throws EngineError{Io} if `lock` is not a
  /// file. Any thread.
  static bool is_held(const std::string& directory);

 private:
  std::string path_;  ///< path of the lock file
  int descriptor_ = -1;
};

}  // namespace carryover
