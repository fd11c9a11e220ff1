// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

namespace carryover {

/// A file that marks a folder which the program has made and may remove again. A folder without it belongs to somebody
/// else, whatever its name is, and so does the target of a symbolic link: neither is ever removed.
inline constexpr const char* kFolderMark = ".carryover-folder";

/// Selects what write_whole_folder() does if the path is taken already. An empty folder is always filled.
enum class ExistingFolder {
  Refuse,   ///< throws EngineError{Usage} before anything is written
  Replace,  ///< a marked folder is removed; anything else keeps its contents under another name beside it
};

/// Writes the folder `path`, whole or not at all: `fill` writes into a temporary folder beside it, every file and
/// folder of which is synced before it is renamed, whether or not `path` existed. A folder that may be replaced is
/// marked. If `fill` throws, the temporary folder is removed and `path` is as it was. Throws EngineError{Io, Usage},
/// and whatever `fill` throws.
void write_whole_folder(const std::string& path, ExistingFolder existing,
                        const std::function<void(const std::string& directory)>& fill);

/// Removes a marked folder, so that a crash leaves no half of it under its own name. A folder that is not marked, one
/// inside a linked folder, and one that can't be removed stay.
void remove_whole_folder(const std::string& path);

/// Removes what crashes of these two functions left in `parent`.
void remove_leftover_folders(const std::string& parent);

/// Syncs a folder's list of names. Throws EngineError{Io}.
void sync_folder(const std::string& path);

}  // namespace carryover
