// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace carryover {

/// Writes terminal_text() to standard output. Throws EngineError{Io} where that fails (a full disk behind a
/// redirection).
void print(std::string_view text);

/// Does the same for text that a model wrote or a user asked for, which is written unchanged except to a terminal.
void print_exactly(std::string_view text);

std::string human_duration(double seconds);     ///< "2 min 05 s"
std::string forecast_duration(double seconds);  ///< the same, and from an hour on "2.5 h"

}  // namespace carryover
