// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler_vt.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/tasks/base/code_points.h"
#include "engine/tasks/base/numpy_random.h"
#include "engine/tasks/base/python_random.h"
#include "engine/tasks/ruler/ruler_form.h"
#include "engine/tasks/ruler/ruler_size.h"
#include "engine/tasks/ruler/ruler_text.h"

namespace carryover {

namespace {

constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::size_t kChainVariables = 5;           ///< four hops
constexpr std::string_view kExampleValue = "12345";  ///< the value of the example before it gets one of its own
constexpr std::int64_t kExampleLength = 500;         ///< tokens

enum class VtPart { Example, Question };

class VariableMaker {
 public:
  explicit VariableMaker(std::uint64_t seed) : random_(seed), numbers_(static_cast<std::uint32_t>(seed)) {}

  std::optional<RulerPrompt> make(VtPart part, std::int64_t size) {
    const std::vector<std::string> names = drawn_names(part == VtPart::Example ? 3 : 5);
    const std::string value = part == VtPart::Example ? std::string(kExampleValue) : drawn_value();
    if (names.size() > kChainVariables) {  // of two that were equal the script makes a chain too short
      if (part == VtPart::Question) drawn_value();
      return std::nullopt;
    }
    std::vector<std::string> chain{"VAR " + names[0] + " = " + value};
    for (std::size_t i = 1; i < kChainVariables; ++i)
      chain.push_back("VAR " + names[i] + " = VAR " + names[i - 1] + " ");
    if (size < std::ssize(chain)) return std::nullopt;
    std::vector<std::size_t> places = random_.sample(static_cast<std::size_t>(size), chain.size());
    std::sort(places.begin(), places.end());
    std::vector<std::string> lines(static_cast<std::size_t>(size), std::string(kRulerNoise));
    for (std::size_t i = 0; i < chain.size(); ++i)
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(places[i] + i), chain[i]);
    const std::string form = std::string(vt_form().prompt) + std::string(vt_form().answer_prefix);
    return RulerPrompt{python_format(form, {{"context", python_join(lines, "\n")}, {"query", value}, {"num_v", "5"}}),
                       names, chain};
  }

  /// The example with other names and another value.
  std::string renamed(std::string example, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      example = python_replace(example, name, random_.letters(kCapitals, name.size()));
    return python_replace(example, kExampleValue, drawn_value());
  }

 private:
  std::string drawn_value() { return std::to_string(numbers_.integer(10000, 99999)); }

  std::vector<std::string> drawn_names(std::size_t letters) {
    std::vector<std::string> names;
    std::set<std::string> different;
    while (names.size() < kChainVariables || different.size() < kChainVariables)
      different.insert(names.emplace_back(random_.letters(kCapitals, letters)));
    return names;
  }

  PythonRandom random_;
  NumpyRandom numbers_;
};

}  // namespace

std::vector<TaskSample> vt_samples(const std::string& task, const SampleRequest& request) {
  VariableMaker maker(request.seed);
  const MakePrompt make_example = [&](std::int64_t size) { return maker.make(VtPart::Example, size); };
  const RulerRoom example_room{
      task, kExampleLength,          0,
      5,    request.tokenizer.get(), "Use a model whose tokens hold more of a text: RULER's example has to fit them."};
  const std::int64_t example_size = largest_size(example_room, most_by_step(example_room, make_example), make_example);
  const RulerPrompt example = fitted_prompt(example_room, example_size, make_example).prompt;
  const std::string example_text = example.text + " " + python_join(example.outputs, " ") + "\n";

  const MakePrompt make = [&](std::int64_t size) { return maker.make(VtPart::Question, size); };
  const MakePrompt make_whole = [&](std::int64_t size) {
    auto prompt = make(size);
    if (prompt) prompt->text = maker.renamed(example_text, example.outputs) + "\n" + prompt->text;
    return prompt;
  };
  RulerRoom room{task, request.length, vt_form().answer_tokens, request.length < 4096 ? 5 : 10,
                 request.tokenizer.get()};
  RulerRoom room_behind_example = room;
  room_behind_example.answer_tokens += room.tokens(example_text);
  const std::int64_t size = largest_size(room_behind_example, most_by_step(room, make), make);
  std::vector<TaskSample> samples;
  for (std::int64_t i = 0; i < request.count; ++i) {
    const FittedPrompt fitted = fitted_prompt(room, size, make_whole);
    samples.push_back(ruler_sample(vt_form(), i, fitted.prompt, fitted.length));
  }
  return samples;
}

}  // namespace carryover
