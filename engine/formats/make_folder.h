// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <initializer_list>
#include <string>

namespace carryover {

/// Makes a folder and those above it, where they are not there. Throws EngineError{Io} with `advice`. Any thread.
void make_folder(const std::string& folder, const std::string& advice = "Choose another folder.");

/// Throws EngineError{Usage} naming the first of `names` that is in the folder: for files that would be replaced, where
/// nothing says that they are ours. Any thread.
void require_free_names(const std::string& folder, std::initializer_list<const char*> names);

}  // namespace carryover
