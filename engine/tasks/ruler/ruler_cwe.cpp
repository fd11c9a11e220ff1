// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_parser.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/input_file.h"
#include "engine/tasks/base/python_random.h"
#include "engine/tasks/base/word_list.h"
#include "engine/tasks/ruler/ruler_form.h"
#include "engine/tasks/ruler/ruler_size.h"
#include "engine/tasks/ruler/ruler_text.h"
#include "engine/tasks/ruler/ruler_words.h"

namespace carryover {

namespace {

constexpr std::size_t kCommon = 10;
constexpr std::int64_t kProbe = 4096;  ///< words, of the prompt that the size is estimated by

/// The values of a JSON object in the file's order.
std::vector<std::string> english_words(const std::string& data, std::size_t wanted) {
  const std::string name = "english_words.json";
  if (data.empty())
    throw EngineError(Fault::Usage, name, "is needed for a prompt of " + std::to_string(wanted) + " words",
                      "Name a folder with it (it is part of RULER), or ask for a smaller length.");
  const std::string path = path_in(data, name);
  std::vector<std::string> words;
  try {
    const auto all = parse_ordered_json(read_whole_file(path), path);
    for (const auto& word : all)
      if (all.is_object() && word.is_string()) words.push_back(word.get<std::string>());
  } catch (const EngineError& error) {
    throw EngineError(error.fault(), path, error.problem(), "Fetch the file itself: RULER stores it by Git LFS.");
  }
  if (words.size() < wanted)
    throw EngineError(Fault::BadInput, path,
                      "has " + std::to_string(words.size()) + " words, and a prompt takes " + std::to_string(wanted),
                      "Fetch RULER's own file, or ask for a smaller length.");
  return words;
}

class CommonWords {
 public:
  explicit CommonWords(const SampleRequest& request)
      : data_(request.data), seed_(request.seed), short_(request.length < 4096), random_(request.seed) {
    for (const char* name : {"nounlist.txt", "adjectivelist.txt", "verblist.txt"})
      for (std::string& word : read_word_list(data_, name)) words_.push_back(std::move(word));
    words_ = sorted_words(std::move(words_));
    PythonRandom(seed_).shuffle(words_);
  }

  RulerPrompt make(std::size_t size) {
    const Question example = short_ ? asked(20, 3, 1) : asked(40, 10, 3);
    Question question = short_ ? asked(size, 6, 1) : asked(size, 30, 3);
    return {example.text + ' ' + numbered_words(example.common) + '\n' + question.text, std::move(question.common), {}};
  }

 private:
  struct Question {
    std::string text;
    std::vector<std::string> common;
  };

  Question asked(std::size_t count, int common_repeats, int uncommon_repeats) {
    if (count > words_.size() && english_.size() < count) english_ = english_words(data_, count);
    const std::vector<std::string>& words = count <= words_.size() ? words_ : english_;
    std::vector<std::string> drawn, list;
    for (const std::size_t index : random_.sample(words.size(), count)) drawn.push_back(words[index]);
    const auto common_end = drawn.begin() + static_cast<std::ptrdiff_t>(std::min(kCommon, drawn.size()));
    for (int i = 0; i < common_repeats; ++i) list.insert(list.end(), drawn.begin(), common_end);
    for (int i = 0; i < uncommon_repeats; ++i) list.insert(list.end(), common_end, drawn.end());
    PythonRandom(seed_).shuffle(list);
    const std::string form = std::string(cwe_form().prompt) + std::string(cwe_form().answer_prefix);
    return {python_format(form, {{"context", numbered_words(list)}}), {drawn.begin(), common_end}};
  }

  std::string data_;
  std::uint64_t seed_;
  bool short_;  ///< words come less often in a prompt under 4096 tokens
  PythonRandom random_;
  std::vector<std::string> words_, english_;
};

/// Python's // of positive numbers.
std::int64_t floor_division(double dividend, double divisor) {
  return std::llround((dividend - std::fmod(dividend, divisor)) / divisor);
}

}  // namespace

std::vector<TaskSample> cwe_samples(const std::string& task, const SampleRequest& request) {
  CommonWords maker(request);
  const MakePrompt make = [&](std::int64_t size) { return maker.make(static_cast<std::size_t>(size)); };
  const RulerRoom room{task, request.length, cwe_form().answer_tokens, 10, request.tokenizer.get()};
  const auto probe = static_cast<double>(room.tokens(maker.make(kProbe).text));
  const std::int64_t most = floor_division(static_cast<double>(room.length), probe / kProbe) * 2;
  const std::int64_t size = largest_size(room, most, make);
  std::vector<TaskSample> samples;
  for (std::int64_t i = 0; i < request.count; ++i) {
    const FittedPrompt fitted = fitted_prompt(room, size, make);
    samples.push_back(ruler_sample(cwe_form(), i, fitted.prompt, fitted.length));
  }
  return samples;
}

}  // namespace carryover
