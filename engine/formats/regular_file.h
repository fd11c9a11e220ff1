// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// Refuses a path that is not a file on disk, before it is opened: a FIFO waits for a writer, a device may never end,
/// and a name in somebody else's file may lead to either. A path that can't be examined is left to the code that opens
/// it. Throws EngineError{Io}, which names the path. Any thread.
void require_regular_file(const std::string& path);

/// Opens a regular file for reading. Returns its descriptor, close-on-exec, or -1 with errno. It does not wait,
/// whatever the path is. Throws as require_regular_file() does.
int open_regular_file(const std::string& path);

}  // namespace carryover
