// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

/// "ruler/niah_single_1" to "ruler/qa_2", in RULER's order.
std::vector<std::string> ruler_task_names();

/// One of those, whose samples are the lines that RULER's scripts write for the same seed, length and tokenizer, or
/// those of a ready file. SampleRequest::data is a folder with any of: nounlist.txt, adjectivelist.txt and verblist.txt
/// (else from the cache), PaulGrahamEssays.json or another .txt, squad.json, hotpotqa.json, english_words.json, and
/// TASK/validation.jsonl, which is taken before anything is made.
std::unique_ptr<Task> make_ruler_task(const std::string& name);

}  // namespace carryover
