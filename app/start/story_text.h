// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <utility>
#include <vector>

#include "widgets/text/state/copied_tokens.h"
#include "widgets/text/state/passages.h"
#include "widgets/text/state/questions.h"
#include "widgets/what_if/state/what_if_result.h"

namespace carryover {

// The sentences of app/start/stories.h, as rich text with the numbers of the run on show.

QString copied_sentence(const RunModel& run, const CopiedToken& token, CopySource source);
QString changed_sentence(const RunModel& run, const CopiedToken& token, const WhatIfResult& changed);
/// Loss and segments that lost their sink, without sinks and with them.
QString sinks_sentence(const RunModel& run, std::pair<double, int> without, std::pair<double, int> with);
QString answer_sentence(const RunModel& run, const Question& question, const std::vector<Passage>& passages);
QString without_passage_sentence(const Question& question, const Question::WhatIf& without);

}  // namespace carryover
