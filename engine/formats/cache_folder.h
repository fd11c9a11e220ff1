// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// Returns the folder for this user's files of a kind that can be made again: $CARRYOVER_CACHE/kind, else
/// $XDG_CACHE_HOME/carryover/kind, else ~/.cache/carryover/kind; empty if none of these is set.
std::string cache_folder(const std::string& kind);

}  // namespace carryover
