// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/split_mix.h"
#include "engine/data/corpus.h"
#include "engine/tasks/task.h"

namespace carryover {

// What tasks share, above all those that make their own texts. Any thread.

/// Sample `n`'s own numbers: it is the same however many others are made.
SplitMix sample_draw(std::uint64_t seed, std::int64_t n);

/// So many decimal digits, the first of them no 0.
std::string drawn_digits(std::size_t count, SplitMix& draw);

/// " The miller took a letter to the harbour before noon.": small talk without a digit, with a blank in front.
std::string filler_sentence(SplitMix& draw);

/// Of a request, or what generators take without one.
std::int64_t length_or_default(const SampleRequest& request);

/// Throws EngineError{Usage} without one. `task`: its name.
const Tokenizer& tokenizer_of(const SampleRequest& request, const std::string& task);

/// The texts that `data` names, tokenised. Throws as read_corpus().
std::vector<Document> read_documents(const std::string& data, const Tokenizer& tokenizer);

/// Throws EngineError{Usage} listing the names that there are, and the one that `name` may be a misspelling of.
[[noreturn]] void refuse_task_name(const std::string& name, const std::vector<std::string>& names);

/// Whether `value` stands in `text` as a word or number of its own, not as a part of a longer one.
bool holds_value(std::string_view text, std::string_view value);

/// {"string_match": 1 where the answer holds one of the references}.
Scores value_match(const TaskSample& sample, const TaskAnswer& answer);

}  // namespace carryover
