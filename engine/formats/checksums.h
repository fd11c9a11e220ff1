// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// Writes checksums.json into a folder: size and content_hash of each file in it. Throws EngineError{Io}.
void write_checksums(const std::string& directory);

/// Reads every file that checksums.json names and checks it. Returns false if there is no checksums.json, which older
/// versions did not write. Throws EngineError{BadInput}, which names the first file that has other contents, and {Io}
/// for one that can't be read.
bool check_checksums(const std::string& directory);

}  // namespace carryover
