// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

namespace carryover {

/// A file of a folder that the program has made and may remove again. A folder without it is somebody else's, whatever
/// its name is, and so is what a symbolic link leads to: neither is ever removed.
inline constexpr const char* kFolderMark = ".carryover-folder";

/// What write_whole_folder() does where the path is taken already. An empty folder is always filled.
enum class ExistingFolder {
  Refuse,   ///< throws EngineError{Usage} before anything is written
  Replace,  ///< a marked folder is removed, anything else keeps its contents under another name beside it
};

/// The folder `path`, whole or not there: `fill` writes into a folder of a temporary name beside it, every file and
/// folder of which is synced before it is renamed, whether or not `path` was there before. A folder that may be
/// replaced is marked. Where `fill` throws, the temporary folder is removed and `path` is as it was. Throws
/// EngineError{Io, Usage}, and whatever `fill` throws.
void write_whole_folder(const std::string& path, ExistingFolder existing,
                        const std::function<void(const std::string& directory)>& fill);

/// Removes a marked folder, so that a crash leaves no half of it under its own name. What is not marked, what lies in a
/// folder that is a link, and what can't be removed stays.
void remove_whole_folder(const std::string& path);

/// Removes what a crash left of the two above in `parent`.
void remove_leftover_folders(const std::string& parent);

/// Syncs a folder's list of names. Throws EngineError{Io}.
void sync_folder(const std::string& path);

}  // namespace carryover
