// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

/// Returns `text` in a form that is safe for a terminal. Names and texts of files may have any character; characters
/// that would control the terminal, or change the direction of what follows, are spelled as \u001b, which JSON reads as
/// the same; bytes that are not UTF-8 are spelled as \x9b. Line ends and tabs stay. Any thread.
std::string terminal_text(std::string_view text);

/// Prints a line to standard error, as terminal_text(). Nothing else in the program writes to it (tests/repo).
void print_error_line(std::string_view text);

/// Writes over the line of standard error that the terminal's cursor is in.
void print_over_line(std::string_view text);

}  // namespace carryover
