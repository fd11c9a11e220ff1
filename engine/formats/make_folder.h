// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// Makes a folder and those above it, where they are not there. Throws EngineError{Io} with `advice`. Any thread.
void make_folder(const std::string& folder, const std::string& advice = "Choose another folder.");

}  // namespace carryover
