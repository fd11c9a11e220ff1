// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/core/base/split_mix.h"
#include "engine/core/run/needle.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Needles lie before a document's last segment.
inline constexpr std::int64_t kLeastNeedleSegments = 2;
/// of_each_kind with NeedleWords::Choose: there are no more names.
inline constexpr std::int64_t kMostNeedlesToChooseBy = 12;

/// Whose sentences and names: those that recall is measured by, or others, which heads are chosen by and models are
/// trained on, so that nothing is measured on what it was chosen by or trained on. For training, values are the book's
/// own words, sentences vary, and every rival is asked for.
enum class NeedleWords { Measure, Choose, Train };

struct NeedlePlan {
  std::int64_t segment_length = 512;
  std::int64_t segments = 16;     ///< ≥ kLeastNeedleSegments
  std::int64_t of_each_kind = 4;  ///< needles of a kind in a document: numbers, words and facts
  std::int64_t rivals = 8;        ///< pairs of one kind among which one is asked for; 0: none, as to choose by
  NeedleWords words = NeedleWords::Measure;
};

/// `book`: tokens that the document is cut from, at least segments · segment_length. Needles stand behind the end of a
/// sentence, evenly over the document but its last segment, in an order of their own; those that a short document has
/// no room for are left out. Where the tokenizer can't write the sentences, each is a pair of a key and a value drawn
/// from the book's tokens. Throws EngineError{BadInput} for too few segments, more needles than names, a shorter book,
/// or one of too few different tokens.
NeedleDocument make_document(const NeedlePlan& plan, const std::vector<std::int32_t>& book, const Tokenizer& tokenizer,
                             SplitMix& draw);

/// `count` such documents, each cut from the next of `books`. What comes of a seed is the same everywhere.
std::vector<NeedleDocument> make_documents(const NeedlePlan& plan, const std::vector<std::vector<std::int32_t>>& books,
                                           const Tokenizer& tokenizer, std::int64_t count, std::uint64_t seed);

}  // namespace carryover
