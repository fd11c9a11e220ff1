// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/needle_tasks.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/data/corpus.h"
#include "engine/data/needles.h"
#include "engine/tasks/base/haystack.h"
#include "engine/tasks/base/made_text.h"

namespace carryover {

namespace {

constexpr std::int64_t kDepths = 11, kNeedlesPerDepth = 3;  ///< defaults, used where no count is given
constexpr const char* kNeedle = "needle/grid";
constexpr const char* kPasskey = "passkey";

/// Something that is hidden, and what asks for it.
struct Hidden {
  std::string statement;  ///< as it stands between the two parts of the haystack
  std::string needle;     ///< the statement without blanks around it
  std::string head;       ///< in front of the haystack
  std::string question, answer_start, value;
};

std::string context_of(const Hidden& hidden, const Parted& hay) {
  if (!hay.before.empty() || hidden.statement[0] != ' ') return hidden.head + hay.before + hidden.statement + hay.after;
  return hidden.head + hidden.needle + " " + hay.after;  // no blank before a text's first word
}

/// The n-th sample of a grid: depth by depth, then again with another needle.
TaskSample grid_sample(const TaskInfo& info, std::int64_t n, const Hidden& hidden, const Haystack& hay,
                       std::int64_t length, const Tokenizer& tokenizer) {
  const std::int64_t percent = 100 * (n % kDepths) / (kDepths - 1);
  const std::string asked = hidden.question + hidden.answer_start;
  const Parted parted = part_to_fit(hay, static_cast<double>(percent) / 100, length - info.max_new_tokens, tokenizer,
                                    info.name, [&](const Parted& parts) { return context_of(hidden, parts) + asked; });
  TaskSample sample;
  sample.id = std::to_string(percent) + "%-" + std::to_string(n / kDepths + 1);
  sample.slice = "depth " + std::to_string(percent) + "%";
  sample.context = context_of(hidden, parted);
  sample.question = hidden.question;
  sample.answer_start = hidden.answer_start;
  sample.references = {hidden.value};
  sample.needles = {hidden.needle};
  sample.fields = {{"depth", parted.depth}, {"needle", hidden.needle}, {"answer", hidden.value}};
  return sample;
}

std::int64_t count_or_grid(const SampleRequest& request) {
  return request.count > 0 ? request.count : kDepths * kNeedlesPerDepth;
}

std::string small_talk(std::size_t bytes, SplitMix& draw) {
  std::string text = filler_sentence(draw).substr(1);
  while (text.size() < bytes) text += filler_sentence(draw);
  return text;
}

/// Returns a haystack of at least `tokens` tokens; `text_of` makes a text of a given number of bytes.
Haystack long_enough(std::int64_t tokens, const Tokenizer& tokenizer,
                     const std::function<std::string(std::size_t)>& text_of) {
  for (std::size_t bytes = 6 * static_cast<std::size_t>(tokens);; bytes *= 2) {
    Haystack hay(text_of(bytes), tokenizer);
    if (hay.tokens() >= tokens) return hay;
  }
}

/// The books from the n-th on, around the last one, until they have so many tokens.
Haystack books_from(const std::vector<Document>& books, std::int64_t n, std::int64_t tokens,
                    const Tokenizer& tokenizer) {
  std::string text;
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < books.size() && taken < tokens; ++i) {
    const std::vector<std::int32_t>& ids = books[(static_cast<std::size_t>(n) + i) % books.size()].ids;
    const std::int64_t count = std::min(tokens - taken, std::ssize(ids));
    taken += count;
    text += (text.empty() ? "" : "\n\n") + tokenizer.decode(std::span(ids).first(static_cast<std::size_t>(count)));
  }
  text.resize(first_invalid_utf8(text));  // the last token may end within a character
  return {std::move(text), tokenizer};
}

Hidden hidden_fact(std::int64_t round, const Tokenizer& tokenizer, SplitMix& draw) {
  const NeedlePlan plan{128, 2, 1, 0, NeedleWords::Measure};
  // 16 bytes for each of the tokens that a document takes: any tokenizer that can write it makes more of them.
  const std::vector<std::int32_t> book = tokenizer.encode(small_talk(4096, draw));
  const std::vector<Needle> needles = make_document(plan, book, tokenizer, draw).needles;
  const std::array<std::string, 3> kinds{"number", "word", "fact"};
  const auto needle = std::ranges::find(needles, kinds[static_cast<std::size_t>(round) % kinds.size()], &Needle::kind);
  CARRYOVER_CHECK(needle != needles.end());
  Hidden hidden;
  hidden.statement = tokenizer.decode(needle->statement);
  hidden.needle = hidden.statement.substr(1);
  hidden.question = "\n\nComplete this sentence as the text above has it.\n\n";
  hidden.answer_start = tokenizer.decode(needle->question).substr(2);  // without its line ends
  // The place is not found by the value's tokens, because the first of them may hold letters of the word in front.
  const std::string said = hidden.needle.substr(hidden.answer_start.size() + 1);
  hidden.value = said.substr(0, said.find_first_of(".,"));
  return hidden;
}

class NeedleGrid final : public Task {
 public:
  NeedleGrid() {
    info_.name = kNeedle;
    info_.max_new_tokens = 16;
    info_.stops = {"\n"};
    info_.metric = "string_match";
    info_.convention = "right where the value stands in the answer as a word of its own";
  }
  const TaskInfo& info() const override { return info_; }

  std::vector<TaskSample> samples(const SampleRequest& request) const override {
    const Tokenizer& tokenizer = tokenizer_of(request, info_.name);
    const std::int64_t length = length_or_default(request), count = count_or_grid(request);
    std::vector<Document> books;
    if (!request.data.empty()) books = read_documents(request.data, tokenizer);
    std::vector<TaskSample> samples;
    std::optional<Haystack> hay;
    for (std::int64_t n = 0; n < count; ++n) {
      SplitMix draw = sample_draw(request.seed, n);
      const std::int64_t round = n / kDepths;
      if (n % kDepths == 0)  // the same for all depths, which then differ in the depth alone
        hay = books.empty() ? long_enough(length, tokenizer, [&](std::size_t size) { return small_talk(size, draw); })
                            : books_from(books, round, length, tokenizer);
      samples.push_back(grid_sample(info_, n, hidden_fact(round, tokenizer, draw), *hay, length, tokenizer));
    }
    return samples;
  }

  Scores score(const TaskSample& sample, const TaskAnswer& answer) const override {
    return value_match(sample, answer);
  }

 private:
  TaskInfo info_;
};

/// The prompt that Landmark Attention introduced and LongLoRA took over, word for word.
class Passkey final : public Task {
 public:
  Passkey() {
    info_.name = kPasskey;
    info_.max_new_tokens = 8;
    info_.stops = {"\n"};
    info_.metric = "string_match";
    info_.convention =
        "keys of five digits at eleven depths, the haystack cut between words; LongLoRA draws 1 to 49999 and the "
        "place, "
        "cuts at any character, and compares as many tokens as the key has";
    info_.source = "dvlab-research/LongLoRA d4eb344, passkey_retrivial.py";
  }
  const TaskInfo& info() const override { return info_; }

  std::vector<TaskSample> samples(const SampleRequest& request) const override {
    const Tokenizer& tokenizer = tokenizer_of(request, info_.name);
    const std::int64_t length = length_or_default(request), count = count_or_grid(request);
    const Haystack hay = long_enough(length, tokenizer, [](std::size_t bytes) {
      const std::string repeated =
          "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";
      std::string text = repeated;
      while (text.size() < bytes) text += " " + repeated;
      return text;
    });
    std::vector<TaskSample> samples;
    for (std::int64_t n = 0; n < count; ++n) {
      SplitMix draw = sample_draw(request.seed, n);
      samples.push_back(grid_sample(info_, n, hidden_key(drawn_digits(5, draw)), hay, length, tokenizer));
    }
    return samples;
  }

  Scores score(const TaskSample& sample, const TaskAnswer& answer) const override {
    return value_match(sample, answer);
  }

 private:
  static Hidden hidden_key(const std::string& key) {
    Hidden hidden;
    hidden.head =
        "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. I will quiz you "
        "about the important information there.\n";
    hidden.needle = "The pass key is " + key + ". Remember it. " + key + " is the pass key.";
    hidden.statement = "\n" + hidden.needle + "\n";
    hidden.question = "\nWhat is the pass key?";
    hidden.answer_start = " The pass key is";
    hidden.value = key;
    return hidden;
  }

  TaskInfo info_;
};

}  // namespace

std::vector<std::string> needle_task_names() {
  return {kNeedle};
}

std::unique_ptr<Task> make_needle_task(const std::string& name) {
  if (name != kNeedle) refuse_task_name(name, needle_task_names());
  return std::make_unique<NeedleGrid>();
}

std::vector<std::string> passkey_task_names() {
  return {kPasskey};
}

std::unique_ptr<Task> make_passkey_task(const std::string& name) {
  if (name != kPasskey) refuse_task_name(name, passkey_task_names());
  return std::make_unique<Passkey>();
}

}  // namespace carryover
