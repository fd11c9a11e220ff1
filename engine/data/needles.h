// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/runs/values/needle.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The smallest number of segments: needles are before a document's last segment.
inline constexpr std::int64_t kLeastNeedleSegments = 2;
/// The largest of_each_kind with NeedleWords::Choose: there are no more names.
inline constexpr std::int64_t kMostNeedlesToChooseBy = 12;

/// Selects sentences and names: those by which recall is measured, or others, by which heads are chosen and on which
/// models are trained, so that nothing is measured on data that it was chosen by or trained on. For training, values
/// are the book's own words, sentences vary, and every rival is asked for.
enum class NeedleWords { Measure, Choose, Train };

struct NeedlePlan {
  std::int64_t segment_length = 512;
  std::int64_t segments = 16;     ///< ≥ kLeastNeedleSegments
  std::int64_t of_each_kind = 4;  ///< needles of each kind in a document: numbers, words and facts
  std::int64_t rivals = 8;        ///< pairs of one kind, of which one is asked for; 0: none, as with Choose
  NeedleWords words = NeedleWords::Measure;
  bool bos = false;  ///< the document's first token is the tokenizer's BOS, if it has one
};

/// Makes a document with needles. `book`: tokens that the document is cut from, at least segments · segment_length.
/// Needles are put at the ends of sentences, evenly over the document without its last segment, in random order; those
/// for which a short document has no room are left out. If the tokenizer can't write the sentences, each needle is a
/// pair of a key and a value drawn from the book's tokens. Throws EngineError{BadInput} for too few segments, more
/// needles than names, a shorter book, or a book with too few different tokens.
NeedleDocument make_document(const NeedlePlan& plan, const std::vector<std::int32_t>& book, const Tokenizer& tokenizer,
                             SplitMix& draw);

/// Makes `count` such documents, each cut from the next of `books`. A seed gives the same documents everywhere.
std::vector<NeedleDocument> make_documents(const NeedlePlan& plan, const std::vector<std::vector<std::int32_t>>& books,
                                           const Tokenizer& tokenizer, std::int64_t count, std::uint64_t seed);

}  // namespace carryover
