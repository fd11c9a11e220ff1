// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/data/corpus.h"
#include "engine/tasks/base/task.h"

namespace carryover {

// Functions that tasks share, above all those tasks that make their own texts. Any thread.

/// Returns sample `n`'s own generator of random numbers: it is the same however many other samples are made.
SplitMix sample_draw(std::uint64_t seed, std::int64_t n);

/// Returns `count` decimal digits, of which the first is not 0.
std::string drawn_digits(std::size_t count, SplitMix& draw);

/// Returns a sentence of small talk without a digit, with a blank in front: " The miller took a letter to the harbour
/// before noon."
std::string filler_sentence(SplitMix& draw);

/// Returns the length that a request asks for, or the default length of generators.
std::int64_t length_or_default(const SampleRequest& request);

/// Returns the request's tokenizer. Throws EngineError{Usage} where there is none. `task`: the task's name.
const Tokenizer& tokenizer_of(const SampleRequest& request, const std::string& task);

/// Returns the texts that `data` names, tokenised. Throws as read_corpus().
std::vector<Document> read_documents(const std::string& data, const Tokenizer& tokenizer);

/// Throws EngineError{Usage} listing the names that exist, and the one that `name` may be a misspelling of.
[[noreturn]] void refuse_task_name(const std::string& name, const std::vector<std::string>& names);

/// Returns true if `value` stands in `text` as a word or number of its own, not as part of a longer one.
bool holds_value(std::string_view text, std::string_view value);

/// Returns {"string_match": 1}, or 0 where the answer holds none of the references.
Scores value_match(const TaskSample& sample, const TaskAnswer& answer);

}  // namespace carryover
