// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

/// What Python 3.11's str says of characters (Unicode 14). A property is the list of the code points where it begins
/// and ends to hold, in turns. Immutable; any thread.
namespace carryover::unicode_tables {

const std::vector<char32_t>& alphanumeric();  ///< str.isalnum
const std::vector<char32_t>& decimal();       ///< str.isdecimal
/// Letters with a case, but for those that are passed over as well.
const std::vector<char32_t>& cased();
/// What is passed over where a letter's neighbours decide its lower-case form.
const std::vector<char32_t>& case_ignorable();

/// Characters first, first + step, …, last, whose lower-case forms lie `offset` further.
struct LowerRun {
  char32_t first, last, step;
  std::int32_t offset;
};
const std::vector<LowerRun>& lower_runs();  ///< ascending

}  // namespace carryover::unicode_tables
