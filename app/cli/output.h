// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace carryover {

/// Writes terminal_text() to standard output. Throws EngineError{Io} where that fails (a full disk behind a
/// redirection).
void print(std::string_view text);

/// Does the same for text that a model wrote or a user asked for, which is written unchanged except to a terminal.
void print_exactly(std::string_view text);

}  // namespace carryover
