// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

namespace carryover {

/// The folder `path`, whole or not there: `fill` writes into a folder of a temporary name beside it, every file and
/// folder of which is synced before it is renamed, whether or not `path` was there before. Where `fill` throws, the
/// temporary folder is removed and `path` is as it was. Throws EngineError{Io}, and whatever `fill` throws.
void write_whole_folder(const std::string& path, const std::function<void(const std::string& directory)>& fill);

/// Removes a folder so that a crash leaves no half of it under its own name. What can't be removed stays.
void remove_whole_folder(const std::string& path);

/// Removes what a crash left of the two above in `parent`.
void remove_leftover_folders(const std::string& parent);

/// Syncs a folder's list of names. Throws EngineError{Io}.
void sync_folder(const std::string& path);

}  // namespace carryover
