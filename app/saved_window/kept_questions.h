// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <string>
#include <vector>

#include "widgets/text/state/questions.h"

namespace carryover {

inline constexpr std::size_t most_kept_questions = 200;  ///< the newest ones

/// The file in which a session keeps its questions, with answers, passages, settings and probabilities: its whole
/// contents. Any thread.
std::string questions_text(const std::vector<Question>& questions);
/// Throws EngineError{Io, BadInput, Unsupported}: the file may be anybody's. Any thread.
std::vector<Question> read_questions(const QString& path);

}  // namespace carryover
