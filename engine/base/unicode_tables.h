// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

/// Properties of characters as Python 3.11's str has them (Unicode 14). A property is a list of code points at which it
/// begins and ceases to hold, in turns. Immutable; any thread.
namespace carryover::unicode_tables {

/// Returns true if a property holds for a character.
bool holds(const std::vector<char32_t>& changes, char32_t c);

const std::vector<char32_t>& alphanumeric();  ///< str.isalnum
const std::vector<char32_t>& decimal();       ///< str.isdecimal
/// Characters that have a case.
const std::vector<char32_t>& cased();
/// Characters that are skipped when a letter's neighbours decide its lower-case form.
const std::vector<char32_t>& case_ignorable();

/// Characters first, first + step, …, last. Their form in the other case is one character each, at a distance of
/// `offset`.
struct CaseRun {
  char32_t first, last, step;
  std::int32_t offset;
};
const std::vector<CaseRun>& lower_runs();  ///< ascending
const std::vector<CaseRun>& upper_runs();  ///< ascending

/// A character whose upper-case form has several characters, or is another one at the beginning of a word.
struct SpecialUpper {
  char32_t character;
  const char32_t *upper, *title;
};
const std::vector<SpecialUpper>& special_upper();  ///< ascending

/// One step of a canonical decomposition; Hangul's follow from a formula and are not listed.
struct Decomposition {
  char32_t character, first;
  char32_t second;  ///< 0: the character is another spelling of `first` alone
  bool composes;    ///< true if NFC puts the two together again
};
const std::vector<Decomposition>& decompositions();  ///< ascending

/// Marks that follow a letter, first to last. NFC sorts those behind one letter by their class. Other characters have
/// class 0.
struct ClassRun {
  char32_t first, last;
  int combining_class;
};
const std::vector<ClassRun>& combining_classes();  ///< ascending

}  // namespace carryover::unicode_tables
