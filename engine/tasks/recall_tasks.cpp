// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/recall_tasks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "engine/base/error.h"
#include "engine/data/prompt_set.h"
#include "engine/tasks/base/made_text.h"
#include "engine/tasks/base/recall_text.h"

namespace carryover {

namespace {

constexpr std::array<std::int64_t, 7> kDistances{1, 2, 4, 8, 16, 32, 64};
constexpr std::int64_t kSamplesPerDistance = 10;  ///< default, used where no count is given
constexpr int kMostTries = 16;

constexpr std::array<std::string_view, 32> kFirstNames{
    "Ada", "Amy", "Ann", "Abe", "Ben", "Bea", "Bob", "Cal", "Dan", "Dot", "Eva", "Eve", "Gus", "Ian", "Ida", "Ivy",
    "Jan", "Jim", "Joe", "Kim", "Leo", "Liz", "Max", "May", "Mia", "Ned", "Pam", "Pat", "Ray", "Sam", "Tom", "Zoe"};
constexpr std::array<std::string_view, 32> kSurnames{"Bell", "Bond", "Cole", "Cook", "Dale", "Dove", "Ford", "Fox",
                                                     "Gray", "Hall", "Hill", "Hope", "Hunt", "King", "Lamb", "Lane",
                                                     "Lark", "Long", "Mann", "Mill", "Moon", "Nash", "Page", "Park",
                                                     "Reed", "Rose", "Shaw", "Snow", "Wade", "West", "Wolf", "Wren"};
constexpr std::array<std::string_view, 24> kColours{"red",     "blue",   "green",  "yellow", "black",  "white",
                                                    "brown",   "grey",   "silver", "golden", "purple", "orange",
                                                    "pink",    "copper", "ivory",  "violet", "amber",  "crimson",
                                                    "scarlet", "olive",  "navy",   "beige",  "maroon", "turquoise"};
constexpr std::array<std::string_view, 24> kThings{"lantern", "door",   "drawer", "cabinet", "garage", "trunk",
                                                   "locker",  "gate",   "cellar", "chest",   "safe",   "boathouse",
                                                   "wagon",   "tower",  "shed",   "barn",    "kiosk",  "elevator",
                                                   "archive", "studio", "pantry", "stable",  "vault",  "office"};

struct Pair {
  std::string key, value;
};

template <typename Value>
void shuffle(std::vector<Value>& values, SplitMix& draw) {
  for (std::size_t left = values.size(); left > 1; --left) std::swap(values[left - 1], values[draw.below(left)]);
}

/// The words of a task. Sentences have a blank in front.
struct RecallForm {
  const char* name;
  std::int64_t max_new_tokens;
  bool closes_segment;                    ///< true if `closing` ends the segment before the answer's
  std::vector<Pair> (*pairs)(SplitMix&);  ///< of different keys, in an order of their own
  std::vector<std::string> (*talk)(SplitMix&);
  std::string (*statement)(const Pair&);
  std::string (*closing)(const std::string& key);  ///< the question's first part
  std::string (*asking)(const std::string& key);   ///< and the rest of it
  std::string (*answer_start)(const std::string& key);
};

std::vector<Pair> codes(SplitMix& draw) {
  std::vector<Pair> pairs;
  for (const std::string_view colour : kColours)
    for (const std::string_view thing : kThings)
      pairs.push_back({std::string(colour) + " " + std::string(thing), drawn_digits(5, draw)});
  shuffle(pairs, draw);
  return pairs;
}

std::vector<Pair> people(SplitMix& draw) {
  std::vector<Pair> pairs;
  for (const std::string_view name : kFirstNames)
    pairs.push_back({std::string(name), std::string(kSurnames[draw.below(kSurnames.size())])});
  shuffle(pairs, draw);
  return pairs;
}

std::vector<std::string> sentences(SplitMix& draw) {
  constexpr int kSentences = 32;
  std::vector<std::string> talk;
  for (int i = 0; i < kSentences; ++i) talk.push_back(filler_sentence(draw));
  return talk;
}

/// Returns the sentences that fill the demo's texts.
std::vector<std::string> small_talk(SplitMix&) {
  return {" The sea was calm.",  " It rained all day.", " We mended the nets.", " A ship came.",
          " The fog was thick.", " We drank our tea.",  " The tide went out.",  " It rained."};
}

const RecallForm kKeyValueForm{
    "recall/key_value",
    8,
    false,
    codes,
    sentences,
    [](const Pair& pair) { return " The code of the " + pair.key + " is " + pair.value + "."; },
    [](const std::string&) { return std::string(); },
    [](const std::string& key) { return " What is the code of the " + key + "?"; },
    [](const std::string& key) { return " The code of the " + key + " is"; }};

const RecallForm kNamesForm{"recall/names",
                            6,
                            true,
                            people,
                            small_talk,
                            [](const Pair& pair) { return " Here comes " + pair.key + " " + pair.value + "."; },
                            [](const std::string& key) { return " Who is " + key; },
                            [](const std::string&) { return std::string("?"); },
                            [](const std::string& key) { return " " + key; }};

/// The places that a sample's question and pair must have.
struct Layout {
  std::int64_t segment_length = 0;
  std::int64_t question = 0;  ///< the segment of the question, from 0
  std::int64_t distance = 0;
  std::int64_t pair() const { return question - distance; }
};

/// One attempt to make a sample; another draw may fit the layout where this one does not.
class RecallSample {
 public:
  RecallSample(const RecallForm& form, const Layout& layout, const Tokenizer& tokenizer, SplitMix& draw)
      : form_(form),
        layout_(layout),
        tokenizer_(tokenizer),
        draw_(draw),
        pairs_(form.pairs(draw)),
        talk_(form.talk(draw)),
        text_(tokenizer, talk_, (layout.question + 1) * layout.segment_length, draw) {
    asked_ = pairs_.back();
    pairs_.pop_back();
  }

  /// Makes the sample; nothing where a sentence lies across a border that it must not cross.
  std::optional<TaskSample> make() {
    tell();
    const std::string closing = form_.closing(asked_.key), asking = form_.asking(asked_.key),
                      answer_start = form_.answer_start(asked_.key);
    const std::int64_t behind = text_.tokens_of(closing + asking + answer_start) + form_.max_new_tokens + 1;
    text_.fill_to(form_.closes_segment ? segment(layout_.question) - text_.tokens_of(closing)
                                       : segment(layout_.question + 1) - behind);
    if (!lies_as_laid_out(closing, asking + answer_start)) return std::nullopt;
    TaskSample sample;
    sample.slice = "distance " + std::to_string(layout_.distance);
    sample.context = text_.text();
    sample.question = closing + asking;
    sample.answer_start = answer_start;
    sample.references = {asked_.value};
    sample.needles = {form_.statement(asked_).substr(1)};
    sample.fields = {{"distance", layout_.distance}, {"key", asked_.key}, {"answer", asked_.value}};
    return sample;
  }

 private:
  std::int64_t segment(std::int64_t index) const { return index * layout_.segment_length; }

  /// Segment by segment a pair, each at a place of its own, up to the question's segment.
  void tell() {
    const std::int64_t others = std::min(std::ssize(pairs_), layout_.question);
    for (std::int64_t index = 0; index < layout_.question; ++index) {
      const bool told = (index + 1) * others / layout_.question > index * others / layout_.question;
      if (index == layout_.pair())
        put(form_.statement(asked_), index);
      else if (told && !pairs_.empty()) {
        put(form_.statement(pairs_.back()), index);
        pairs_.pop_back();
      }
    }
  }

  /// Somewhere in a segment, so that it ends at least a token before the segment does.
  void put(const std::string& sentence, std::int64_t index) {
    std::int64_t free = layout_.segment_length - text_.tokens_of(sentence) - text_.longest_small_talk();
    if (form_.closes_segment && index + 1 == layout_.question)
      free -= text_.tokens_of(form_.closing(asked_.key)) + text_.longest_small_talk();
    text_.fill_past(segment(index) + static_cast<std::int64_t>(
                                         draw_.below(static_cast<std::uint64_t>(std::max<std::int64_t>(free, 1)))));
    text_.say(sentence);
  }

  bool lies_as_laid_out(const std::string& closing, const std::string& asked) const {
    PromptExample example;
    example.text = text_.text() + closing;
    example.answer = asked;
    example.target = form_.statement(asked_);
    const PromptTokens tokens = prompt_tokens(example, tokenizer_);
    CARRYOVER_CHECK(tokens.targets.size() == 1);
    const TokenRange pair = tokens.targets[0];
    const auto within = [&](std::int64_t first, std::int64_t last, std::int64_t index) {
      return first >= segment(index) && last <= segment(index + 1);
    };
    const std::int64_t before = form_.closes_segment ? 0 : 1;  // BOS
    const bool asks_there = form_.closes_segment ? tokens.answer.first == segment(layout_.question)
                                                 : tokens.answer.first >= segment(layout_.question);
    return within(pair.first, pair.last + before, layout_.pair()) && asks_there &&
           within(tokens.answer.first, tokens.answer.last + before + form_.max_new_tokens, layout_.question);
  }

  const RecallForm& form_;
  Layout layout_;
  const Tokenizer& tokenizer_;
  SplitMix& draw_;
  std::vector<Pair> pairs_;
  std::vector<std::string> talk_;
  RecallText text_;
  Pair asked_;
};

class RecallTask final : public Task {
 public:
  explicit RecallTask(const RecallForm& form) : form_(form) {
    info_.name = form.name;
    info_.max_new_tokens = form.max_new_tokens;
    info_.stops = {"."};
    info_.metric = "string_match";
    info_.convention = form.closes_segment
                           ? "the question ends a segment, the answer begins the next one, from which distance counts"
                           : "question and answer lie in one segment, from which distance counts";
    info_.chat = false;  // what stands in front would move the segments' borders
  }
  const TaskInfo& info() const override { return info_; }

  std::vector<TaskSample> samples(const SampleRequest& request) const override {
    const Tokenizer& tokenizer = tokenizer_of(request, info_.name);
    if (request.segment_length <= 0)
      throw EngineError(Fault::Usage, info_.name, "counts distance in segments, and no segment length is set",
                        "Set segment_length.");
    const std::vector<std::int64_t> distances = distances_of(request);
    const std::int64_t count = request.count > 0 ? request.count : kSamplesPerDistance * std::ssize(distances);
    std::vector<TaskSample> samples;
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int64_t distance = distances[static_cast<std::size_t>(n % std::ssize(distances))];
      samples.push_back(sample({request.segment_length, question_segment(request, distance), distance}, tokenizer,
                               sample_draw(request.seed, n)));
      samples.back().id = std::to_string(distance) + "-" + std::to_string(n / std::ssize(distances) + 1);
    }
    return samples;
  }

  Scores score(const TaskSample& sample, const TaskAnswer& answer) const override {
    return value_match(sample, answer);
  }

 private:
  /// Returns the segment of the question in a text as long as the request asks for; without a length, the pair is in
  /// the second segment.
  std::int64_t question_segment(const SampleRequest& request, std::int64_t distance) const {
    if (request.length <= 0) return distance + 1;
    if (!form_.closes_segment) return request.length / request.segment_length - 1;
    constexpr std::int64_t kAsked = 8;  // tokens of "? Eva" in any tokenizer
    return (request.length - kAsked - form_.max_new_tokens) / request.segment_length;
  }

  std::vector<std::int64_t> distances_of(const SampleRequest& request) const {
    std::vector<std::int64_t> distances;
    for (const std::int64_t distance : kDistances)
      if (distance <= question_segment(request, distance)) distances.push_back(distance);
    if (distances.empty())
      throw EngineError(Fault::Usage, info_.name,
                        "takes two segments of " + std::to_string(request.segment_length) +
                            " tokens, and the length is " + std::to_string(request.length),
                        "Ask for a greater length, or set a smaller segment_length.");
    return distances;
  }

  TaskSample sample(const Layout& layout, const Tokenizer& tokenizer, SplitMix draw) const {
    for (int tries = 0; tries < kMostTries; ++tries)
      if (auto made = RecallSample(form_, layout, tokenizer, draw).make()) return *made;
    throw EngineError(
        Fault::Usage, info_.name,
        "finds no place for its sentences in segments of " + std::to_string(layout.segment_length) + " tokens",
        "Set a greater segment_length.");
  }

  const RecallForm& form_;
  TaskInfo info_;
};

}  // namespace

std::vector<std::string> recall_task_names() {
  return {kKeyValueForm.name, kNamesForm.name};
}

std::unique_ptr<Task> make_recall_task(const std::string& name) {
  if (name == kKeyValueForm.name) return std::make_unique<RecallTask>(kKeyValueForm);
  if (name == kNamesForm.name) return std::make_unique<RecallTask>(kNamesForm);
  refuse_task_name(name, recall_task_names());
}

}  // namespace carryover
