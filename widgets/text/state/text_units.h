// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/runs/values/hits.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

/// The unit by which a text is coloured: each has one colour, that of its mean.
enum class TextUnit { Token, Word, Sentence, Line, Segment };

/// The unit that holds a token. A word starts behind a space; a sentence ends with its full stop, question or
/// exclamation mark (and the quotes behind it) before a space, or with an empty line; a line ends with its break. No
/// unit but a segment crosses a multiple of `most_tokens`, so that a text without breaks costs no more. GUI thread.
class TextUnits {
 public:
  static constexpr std::int64_t most_tokens = 8192;

  explicit TextUnits(const RunModel& run) : run_(run) {}
  TokenRange around(std::int64_t token, TextUnit unit) const;

 private:
  bool starts_unit(std::int64_t token, TextUnit unit) const;  ///< the token is the first one of its unit

  const RunModel& run_;
};

/// Returns the characters that these tokens have a part in: a character of most scripts may be several tokens.
QString whole_text(const RunModel& run, TokenRange range);
/// Returns the token at `position`, with all of the characters that it has a part in, between its neighbours, on one
/// line, with line breaks shown as ⏎.
QString text_around(const RunModel& run, std::int64_t position, int before = 4, int after = 4);

}  // namespace carryover
