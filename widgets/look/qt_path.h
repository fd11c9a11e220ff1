// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

namespace carryover {

/// Qt keeps paths as text. One whose bytes are not UTF-8 becomes the path of another file, which may be written without
/// a word. So such a path is refused where it comes to the window: this throws EngineError{BadInput} that shows it.
void require_qt_path(const std::string& path);

/// Does the same for each of these words, for the current folder, and for the folders in which Qt keeps files.
void require_qt_paths(const std::vector<std::string>& words);

}  // namespace carryover
