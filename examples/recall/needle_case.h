// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/base/split_mix.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A sentence that is put into a text, and the question that it answers.
struct Needle {
  std::string kind;                     ///< "number", "word", "fact" or "rival"
  std::vector<std::int32_t> statement;  ///< " The special magic number for Oslo is 48213."
  std::vector<std::int32_t> question;   ///< "\n\nThe special magic number for Oslo is"
  std::vector<std::int32_t> value;      ///< what the statement goes on with there
  std::int64_t value_offset = 0;        ///< of the value in the statement, tokens
  std::int64_t position = 0;            ///< of the statement in the document
  bool asked = true;                    ///< rivals are there to be confused with one that is
};

/// A piece of a book with needles.
struct NeedleDocument {
  std::vector<std::int32_t> ids;
  std::vector<Needle> needles;
};

struct NeedlePlan {
  std::int64_t segment_length = 512;
  std::int64_t segments = 16;
  std::int64_t of_each_kind = 4;  ///< needles of a kind in a document
  std::int64_t rivals = 8;        ///< pairs of one kind among which one is asked for; 0: none
};

/// `book`: tokens that the document is cut from, at least segments · segment_length. Needles stand behind the end of a
/// sentence, evenly over the document but its last segment, in an order of their own. Throws EngineError{BadInput} for
/// a shorter book.
NeedleDocument make_document(const NeedlePlan& plan, const std::vector<std::int32_t>& book, const Tokenizer& tokenizer,
                             SplitMix& draw);

}  // namespace carryover
