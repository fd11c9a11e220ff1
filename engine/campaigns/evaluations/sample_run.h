// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/campaigns/evaluations/prompt_parts.h"
#include "engine/campaigns/evaluations/sample_journal.h"
#include "engine/runs/values/hits.h"
#include "engine/tasks/base/task.h"

namespace carryover {

/// An evaluated sample as a text that can be run: the prompt that the model read, then its answer. A plain value.
struct SampleRun {
  std::vector<std::int32_t> ids;    ///< with BOS, where the settings have it
  TokenRange answer;                ///< range in `ids`; empty, at their end, where there is no answer
  std::vector<TokenRange> needles;  ///< ranges in `ids`: each place of a part that the answer is found in
};

/// Returns the text of an evaluated sample. The answer to a Choice is the choice that the model found likeliest; texts
/// of Perplexity have none. `chat` is null where the plan has no chat template; `bos` is true if the policy's settings
/// have it. Throws EngineError{Usage} where `entry` belongs to another sample or prompt, {BadInput} where the tokenizer
/// can't encode the text.
SampleRun sample_run(const Task& task, const TaskSample& sample, const SampleEntry& entry, const ChatText& chat,
                     const Tokenizer& tokenizer, bool bos);

}  // namespace carryover
