// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>
#include <set>

#include "engine/base/error.h"
#include "engine/tasks/base/python_random.h"
#include "engine/tasks/ruler/ruler_form.h"
#include "engine/tasks/ruler/ruler_size.h"
#include "engine/tasks/ruler/ruler_text.h"
#include "engine/tasks/ruler/ruler_words.h"

namespace carryover {

namespace {

constexpr std::int64_t kWordLetters = 6;
constexpr std::size_t kAsked = 3;

/// Returns how often the word of a rank occurs in a text of `words` words: Zipf's law with exponent 2, whose sum is
/// π²/6.
std::size_t times(std::int64_t words, std::size_t rank) {
  constexpr double kSum = std::numbers::pi * std::numbers::pi / 6;
  return static_cast<std::size_t>(static_cast<double>(words) * std::pow(static_cast<double>(rank), -2.0) / kSum);
}

class FrequentWords {
 public:
  FrequentWords(const RulerRoom& room, std::uint64_t seed)
      : room_(room), seed_(seed), random_(seed), most_(room.length - room.answer_tokens), step_(most_ / 32) {
    if (most_ / 50 <= static_cast<std::int64_t>(kAsked)) refuse();
  }

  /// The largest number of words that fits, by steps from a guess.
  std::int64_t largest() {
    const std::vector<std::string> words = drawn_words();
    std::int64_t count = most_ / kWordLetters;
    while (room_.tokens(text(words, count)) < most_) count += step_;
    return count - step_;
  }

  /// Makes a prompt of `count` words, or of fewer where that many do not fit.
  RulerPrompt make(std::int64_t count) {
    const std::vector<std::string> words = drawn_words();
    for (; count > 0; count -= step_)
      if (std::string prompt = text(words, count); room_.tokens(prompt) <= most_)
        return {std::move(prompt), {words.begin() + 1, words.begin() + 1 + kAsked}, {}};
    refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw EngineError(Fault::Usage, room_.task, "has no sample of " + std::to_string(room_.length) + " tokens or fewer",
                      room_.advice);
  }

  /// Returns the words by rank; the first is noise.
  std::vector<std::string> drawn_words() {
    const std::int64_t count = most_ / 50;
    std::set<std::string> different;
    for (std::int64_t drawn = 0; drawn < count || std::ssize(different) < count; ++drawn)
      different.insert(random_.letters("abcdefghijklmnopqrstuvwxyz", kWordLetters));
    std::vector<std::string> words(different.begin(), different.end());
    PythonRandom(seed_).shuffle(words);
    words[0] = "...";
    return words;
  }

  std::string text(const std::vector<std::string>& words, std::int64_t count) const {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < words.size(); ++i) list.insert(list.end(), times(count, i + 1), words[i]);
    PythonRandom(seed_).shuffle(list);
    const std::string form = std::string(fwe_form().prompt) + std::string(fwe_form().answer_prefix);
    return python_format(form, {{"context", python_join(list, " ")}});
  }

  const RulerRoom& room_;
  std::uint64_t seed_;
  PythonRandom random_;
  std::int64_t most_;  ///< tokens of a prompt
  std::int64_t step_;  ///< words
};

}  // namespace

std::vector<TaskSample> fwe_samples(const std::string& task, const SampleRequest& request) {
  const RulerRoom room{task, request.length, fwe_form().answer_tokens, 0, request.tokenizer.get()};
  FrequentWords maker(room, request.seed);
  const std::int64_t size = maker.largest();
  std::vector<TaskSample> samples;
  for (std::int64_t i = 0; i < request.count; ++i) {
    const RulerPrompt prompt = maker.make(size);
    samples.push_back(ruler_sample(fwe_form(), i, prompt, room.tokens(prompt.text) + room.answer_tokens));
  }
  return samples;
}

}  // namespace carryover
