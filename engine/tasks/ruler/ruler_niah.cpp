// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler_niah.h"

#include <algorithm>
#include <optional>

#include "engine/tasks/base/code_points.h"
#include "engine/tasks/base/python_random.h"
#include "engine/tasks/base/word_list.h"
#include "engine/tasks/ruler/ruler_form.h"
#include "engine/tasks/ruler/ruler_haystack.h"
#include "engine/tasks/ruler/ruler_size.h"
#include "engine/tasks/ruler/ruler_text.h"

namespace carryover {

namespace {

std::string_view kind_name(NiahKind kind) {
  return kind == NiahKind::Numbers ? "numbers" : kind == NiahKind::Words ? "words" : "uuids";
}

/// "a, b, and c"
std::string query_of(const std::vector<std::string>& keys) {
  if (keys.size() == 1) return keys[0];
  return python_join({keys.begin(), keys.end() - 1}, ", ") + ", and " + keys.back();
}

class NiahMaker {
 public:
  NiahMaker(const NiahPlan& plan, const SampleRequest& request)
      : plan_(plan),
        seed_(request.seed),
        random_(request.seed),
        words_(read_word_list(request.data, "adjectivelist.txt"), read_word_list(request.data, "nounlist.txt")) {
    if (plan.hay == NiahHay::Essay) essays_.emplace(request.data);
    if (plan.queries * plan.values_per_key > 1) return;
    for (const auto& [several, one] : {std::pair("Some", "A"), {"are all", "is"}, {"are", "is"}})
      form_ = python_replace(form_, several, one);
    asked_.remove_suffix(1);
  }

  std::optional<RulerPrompt> make(std::int64_t size) {
    std::vector<std::string> keys, needles;
    std::vector<std::vector<std::string>> values(plan_.key_count), told(plan_.key_count);
    for (std::size_t key = 0; key < plan_.key_count; ++key) {
      keys.push_back(drawn(plan_.keys));
      for (std::size_t i = 0; i < plan_.values_per_key; ++i) {
        values[key].push_back(drawn(plan_.values));
        told[key].push_back(needle(keys[key], values[key].back()));
      }
      needles.insert(needles.end(), told[key].begin(), told[key].end());
    }
    PythonRandom(seed_).shuffle(needles);
    const std::string context = essays_ ? in_essays(size, needles) : in_lines(size, needles);
    RulerPrompt prompt;
    std::vector<std::string> queries;
    for (const std::size_t key : random_.sample(plan_.key_count, plan_.queries)) {
      queries.push_back(keys[key]);
      prompt.outputs.insert(prompt.outputs.end(), values[key].begin(), values[key].end());
      prompt.needles.insert(prompt.needles.end(), told[key].begin(), told[key].end());
    }
    prompt.text = python_format(form_, {{"type_needle_v", asked_}, {"context", context}, {"query", query_of(queries)}});
    return prompt;
  }

  const EssayHaystack* essays() const { return essays_ ? &*essays_ : nullptr; }

 private:
  std::string drawn(NiahKind kind) {
    if (kind == NiahKind::Numbers) return std::to_string(random_.integer(1'000'000, 9'999'999));
    return kind == NiahKind::Words ? words_.at(random_.below(words_.size())) : random_.uuid();
  }

  std::string needle(std::string_view key, std::string_view value) const {
    return python_format("One of the special magic {type} for {key} is: {value}.",
                         {{"type", kind_name(plan_.values)}, {"key", key}, {"value", value}});
  }

  std::string in_lines(std::int64_t size, const std::vector<std::string>& needles) {
    std::vector<std::string> lines(static_cast<std::size_t>(size), std::string(kRulerNoise));
    if (plan_.hay == NiahHay::Needles) {
      for (std::string& line : lines) {
        const std::string key = drawn(plan_.keys);
        line = needle(key, drawn(plan_.values));
      }
    }
    std::vector<std::size_t> places = random_.sample(lines.size(), needles.size());
    std::sort(places.rbegin(), places.rend());
    for (std::size_t i = 0; i < needles.size(); ++i)
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(places[i]), needles[i]);
    return python_join(lines, "\n");
  }

  std::string in_essays(std::int64_t size, const std::vector<std::string>& needles) {
    const std::vector<int> all = ruler_depths();
    std::vector<int> depths;
    for (const std::size_t place : random_.sample(all.size(), needles.size())) depths.push_back(all[place]);
    std::sort(depths.begin(), depths.end());
    return essays_->hide(static_cast<std::size_t>(size), needles, depths);
  }

  NiahPlan plan_;
  std::uint64_t seed_;
  PythonRandom random_;
  WordPairs words_;
  std::optional<EssayHaystack> essays_;
  std::string form_ = std::string(niah_form().prompt) + std::string(niah_form().answer_prefix);
  std::string_view asked_ = kind_name(plan_.values);
};

/// Adds the fields that this version of the script writes; "index" is the place of the first answer, in characters.
void add_place(TaskSample& sample, const RulerRoom& room) {
  const std::string input = sample.context + sample.question;
  const std::string before = input.substr(0, input.find(sample.references[0]));
  sample.fields["index"] = std::ssize(code_points(before));
  sample.fields["token_position_answer"] = room.tokens(before);
  sample.slice = depth_slice(sample.fields, room.answer_tokens);
}

}  // namespace

std::vector<TaskSample> niah_samples(const std::string& task, const NiahPlan& plan, const SampleRequest& request) {
  NiahMaker maker(plan, request);
  const MakePrompt make = [&](std::int64_t size) { return maker.make(size); };
  const std::int64_t step = plan.hay == NiahHay::Essay ? 500 : request.length < 4096 ? 5 : 25;
  const RulerRoom room{task, request.length, niah_form().answer_tokens, step, request.tokenizer.get()};
  const std::int64_t size = largest_size(room, most_by_step(room, make), make);
  std::vector<TaskSample> samples;
  for (std::int64_t i = 0; i < request.count; ++i) {
    const FittedPrompt fitted = fitted_prompt(room, size, make);
    samples.push_back(ruler_sample(niah_form(), i, fitted.prompt, fitted.length));
    add_place(samples.back(), room);
    if (const EssayHaystack* essays = maker.essays()) samples.back().fields["haystack"] = essays->note();
  }
  return samples;
}

}  // namespace carryover
