// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace carryover {

/// A sentence that is inserted into a document, and the question that it answers. Token counts are the tokenizer's.
struct Needle {
  std::string kind;                     ///< "number", "word", "fact", "rival" or "pair"
  std::vector<std::int32_t> statement;  ///< " The special magic number for Oslo is 48213."
  std::vector<std::int32_t> question;   ///< "\n\nThe special magic number for Oslo is"
  std::vector<std::int32_t> value;      ///< how the statement continues there
  std::int64_t value_offset = 0;        ///< offset of the value in the statement, tokens
  std::int64_t position = 0;            ///< position of the statement in the document
  bool asked = true;                    ///< false for rivals, which are there to be confused with an asked needle

  std::int64_t value_position() const { return position + value_offset; }
};

/// A piece of a book with needles.
struct NeedleDocument {
  std::vector<std::int32_t> ids;
  std::vector<Needle> needles;
};

}  // namespace carryover
