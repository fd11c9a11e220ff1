// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler_size.h"

#include <algorithm>

#include "engine/base/error.h"

namespace carryover {

namespace {

constexpr int kMostFitTries = 100;  ///< at the least size: prompts of one size differ by a few tokens

RulerPrompt made_prompt(const RulerRoom& room, std::int64_t size, const MakePrompt& make) {
  if (auto prompt = make(size)) return *std::move(prompt);
  throw EngineError(Fault::Usage, room.task, "has no samples with this seed: RULER's script ends with an error",
                    "Choose another seed.");
}

}  // namespace

std::int64_t RulerRoom::tokens(std::string_view text) const {
  return std::ssize(tokenizer->encode(text));
}

std::int64_t most_by_step(const RulerRoom& room, const MakePrompt& make) {
  const auto step = static_cast<double>(room.step);
  const double each = static_cast<double>(room.tokens(made_prompt(room, room.step, make).text)) / step;
  return static_cast<std::int64_t>(static_cast<double>(room.length) / each * 3);
}

std::int64_t largest_size(const RulerRoom& room, std::int64_t most, const MakePrompt& make) {
  std::int64_t lowest = room.step, highest = std::max(most, room.step * 2), best = room.step;
  while (lowest <= highest) {
    const std::int64_t middle = (lowest + highest) / 2;
    const bool fits = room.tokens(made_prompt(room, middle, make).text) + room.answer_tokens <= room.length;
    if (fits) best = middle;
    (fits ? lowest : highest) = fits ? middle + 1 : middle - 1;
  }
  return best;
}

FittedPrompt fitted_prompt(const RulerRoom& room, std::int64_t size, const MakePrompt& make) {
  for (int tries = 0; tries < kMostFitTries;) {
    if (auto prompt = make(size)) {
      const std::int64_t length = room.tokens(prompt->text) + room.answer_tokens;
      if (length <= room.length) return {*std::move(prompt), length};
    }
    if (size > room.step)
      size -= room.step;
    else
      ++tries;
  }
  throw EngineError(Fault::Usage, room.task, "has no sample of " + std::to_string(room.length) + " tokens or fewer",
                    room.advice);
}

}  // namespace carryover
