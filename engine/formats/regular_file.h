// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// Refuses what is no file on disk, before it is opened: a FIFO waits for a writer, a device may never end, and either
/// may be what a name in somebody else's file leads to. A path that can't be examined is left to whoever opens it.
/// Throws EngineError{Io} naming the path. Any thread.
void require_regular_file(const std::string& path);

/// A descriptor for reading a regular file, close-on-exec, or -1 with errno. Does not wait, whatever lies there. Throws
/// as require_regular_file().
int open_regular_file(const std::string& path);

}  // namespace carryover
