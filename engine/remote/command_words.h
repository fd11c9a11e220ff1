// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

namespace carryover {

/// The words of a command line: a program and its arguments. No shell reads it and nothing is expanded. Spaces and
/// tabs separate words; '…' keeps everything as it stands, "…" everything but a backslash before one of " $ ` or a
/// backslash; outside quotes a backslash keeps the next character. So it takes back what shell_command() wrote, and
/// gives what a shell gives where that only splits. What a shell would act on (; & | < > ( ) $ ` * ? and a leading ~ or
/// #) must be quoted: passed on as it is, it would start something else than the same line in a terminal. Throws
/// EngineError{Usage}: nothing to start, a quote that is not closed, such a character, a control character, a line of
/// more than 8 KB. Any thread.
std::vector<std::string> command_words(const std::string& line);

/// The file that is started by this name: itself where it is an absolute path, else the first of its name in the
/// absolute folders of PATH. Never one of the current folder, whatever PATH says. Empty: there is none that may be
/// executed.
std::string find_program(const std::string& name);

}  // namespace carryover
