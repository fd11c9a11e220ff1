// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <initializer_list>
#include <string>

namespace carryover {

/// Creates a folder and those above it if they do not exist. Throws EngineError{Io} with `advice`. Any thread.
void make_folder(const std::string& folder, const std::string& advice = "Choose another folder.");

/// Throws EngineError{Usage}, which names the first of `names` that is in the folder: for files that would be replaced
/// although nothing says that this program made them. Any thread.
void require_free_names(const std::string& folder, std::initializer_list<const char*> names);

}  // namespace carryover
