// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/core/run/hits.h"
#include "engine/evaluations/prompt_parts.h"
#include "engine/evaluations/sample_journal.h"
#include "engine/tasks/task.h"

namespace carryover {

/// A sample that was evaluated, as a text that can be run: what the model read, then what it said. A plain value.
struct SampleRun {
  std::vector<std::int32_t> ids;    ///< BOS included, where the settings have it
  TokenRange answer;                ///< in `ids`; empty at its end where nothing was said
  std::vector<TokenRange> needles;  ///< in `ids`: each place where a part that the answer is in stands
};

/// Of a Choice the answer is the choice that the model found likeliest; texts of Perplexity have none. `chat` is null
/// where the plan has no chat template, `bos` whether the policy's settings have it. Throws EngineError{Usage} where
/// `entry` is of another sample or prompt, {BadInput} where the tokenizer can't encode it.
SampleRun sample_run(const Task& task, const TaskSample& sample, const SampleEntry& entry, const ChatText& chat,
                     const Tokenizer& tokenizer, bool bos);

}  // namespace carryover
