// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/tokenizers/tokenizer.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

/// A text with a sentence hidden in it, and its first words once more where the last segment's prefix is searched: at
/// the end of the segment before, so that heads have something to look for.
struct HiddenSentence {
  std::string text;
  std::int64_t begin = 0, end = 0;  ///< of the sentence, bytes of `text`
  std::string cue;                  ///< the words that ask for it
};

/// `ids`: the tokens to be run; the new text has as many or more. `depth`: 0 (the start) to 1 (a segment before the
/// cue). Throws EngineError{BadInput} where there is no sentence, or where the tokens are fewer than three segments.
HiddenSentence hide_sentence(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, std::int64_t segment_length,
                             const QString& sentence, double depth);

/// The text of `ids` with a sentence behind the sentence that ends after `depth` of it, 0 to 1. Throws
/// EngineError{BadInput} where there is none to put in.
std::string put_sentence(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, const QString& sentence,
                         double depth);

/// Tokens of a run that hold bytes begin..end of its text.
struct TokenSpan {
  std::int64_t begin = 0, end = 0;
};
TokenSpan tokens_of_bytes(const RunModel& run, std::int64_t begin, std::int64_t end);

/// A head that fetched something of a span for a segment.
struct SpanHit {
  int segment = 0, layer = 0, head = 0;
  std::int64_t fetched = 0;   ///< positions of the span; padding does not count
  std::int64_t position = 0;  ///< an anchor among them, else the first
};
/// Returns the hits of segments after the span, those with the largest part of it first.
std::vector<SpanHit> heads_that_fetched(const RunModel& run, const TokenSpan& span);

}  // namespace carryover
