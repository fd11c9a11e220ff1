// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/tasks/ruler/ruler_form.h"

namespace carryover {

/// Makes a prompt of so many lines, words or documents; nothing where RULER's script raises an exception. It draws, so
/// that each call gives another one, and a call too many or too few changes all that follow.
using MakePrompt = std::function<std::optional<RulerPrompt>(std::int64_t size)>;

/// The numbers with which the scripts find the largest haystack that fits.
struct RulerRoom {
  std::string task;
  std::int64_t length = 0;         ///< tokens of prompt and answer at most
  std::int64_t answer_tokens = 0;  ///< and of what else has to fit besides a prompt that is tried
  std::int64_t step = 0;           ///< the least size, and by how much a sample shrinks that does not fit
  const Tokenizer* tokenizer = nullptr;
  std::string advice = "Ask for a greater length.";  ///< where nothing fits

  std::int64_t tokens(std::string_view text) const;
};

/// Three times as many as fit by the tokens of one prompt of `step`, which is made for this.
std::int64_t most_by_step(const RulerRoom& room, const MakePrompt& make);

/// The largest size up to `most` that fits by binary search, or `step`. Throws EngineError{Usage} where the script
/// would end with an exception.
std::int64_t largest_size(const RulerRoom& room, std::int64_t most, const MakePrompt& make);

struct FittedPrompt {
  RulerPrompt prompt;
  std::int64_t length = 0;
};
/// A prompt of `size`, or of less where that does not fit. Throws EngineError{Usage} where none fits: the script would
/// try for ever.
FittedPrompt fitted_prompt(const RulerRoom& room, std::int64_t size, const MakePrompt& make);

}  // namespace carryover
