// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace carryover {

/// One statement of a script: its words, as a shell would split them.
struct Statement {
  int line = 0;  ///< from 1; 0 where no file has it
  QStringList words;
};

/// Parses a script with one statement per line. "#" starts a comment where a word could start; words are quoted by '…'
/// or "…" (within the latter, a backslash keeps a quote or a backslash). Throws EngineError{BadInput} naming
/// `name:line`.
std::vector<Statement> parse_script(const QString& text, const QString& name);

/// Returns a text of scripts in the window's language.
QString tr(const char* text);

/// Throws EngineError{Usage} for a statement that can't be done.
[[noreturn]] void refuse(const QString& where, const QString& problem, const QString& advice);

/// Returns a word as JSON where it is valid JSON, else as a string.
nlohmann::json json_of_word(const QString& word);

/// Reads the statements of a file, or of standard input for "-". Throws EngineError{Io, BadInput}.
std::vector<Statement> read_script(const QString& path);

}  // namespace carryover
