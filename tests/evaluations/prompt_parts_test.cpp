// SPDX-License-Identifier: GPL-3.0-or-later
// The places at which prompts, questions and choices begin and end: in text, in ids, in decoded text.
#include "engine/campaigns/evaluations/prompt_parts.h"

#include <QTest>
#include <algorithm>
#include <numeric>
#include <random>

#include "engine/campaigns/evaluations/choice_scores.h"
#include "engine/campaigns/evaluations/stopped_text.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Bytes, but that a blank and the letter behind it are one token: 256 + letter. 1 is BOS and 2 EOS.
class BlankTokenizer final : public Tokenizer {
 public:
  explicit BlankTokenizer(bool has_bos = true) : has_bos_(has_bos) {}
  std::int64_t vocabulary() const override { return 512; }
  std::optional<std::int32_t> bos() const override { return has_bos_ ? std::optional(1) : std::nullopt; }
  std::optional<std::int32_t> eos() const override { return 2; }
  std::vector<std::int32_t> encode(std::string_view text, bool parse_special) const override {
    std::vector<std::int32_t> ids;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (parse_special && text.substr(i).starts_with("<s>")) {
        ids.push_back(1);
        i += 2;
      } else if (text[i] == ' ' && i + 1 < text.size() && text[i + 1] != ' ') {
        ids.push_back(256 + static_cast<unsigned char>(text[++i]));
      } else {
        ids.push_back(static_cast<unsigned char>(text[i]));
      }
    }
    return ids;
  }
  std::string bytes(std::int32_t id) const override {
    return id < 256 ? std::string(1, static_cast<char>(id)) : std::string{' ', static_cast<char>(id - 256)};
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += bytes(id);
    return text;
  }

 private:
  bool has_bos_;
};

std::string random_text(std::mt19937& random, std::size_t most) {
  std::string text;
  for (std::size_t size = random() % (most + 1); size > 0; --size) text += "ab \n?"[random() % 5];
  return text;
}

/// A model that gives each id behind a prefix a loss that follows from both.
double loss_of(const std::vector<std::int32_t>& prefix, std::int32_t id) {
  std::seed_seq seed(prefix.begin(), prefix.end());
  std::mt19937 random(seed);
  double total = 0, own = 0;
  for (std::int32_t other = 0; other < 4; ++other) {
    const double weight = 1 + static_cast<double>(random() % 100);
    total += weight;
    if (other == id) own = weight;
  }
  return std::log(total / own);
}

}  // namespace

class PromptPartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_choice_is_the_rest_of_both() {
    const BlankTokenizer tokenizer;
    std::mt19937 random(1);
    int moved = 0;
    for (int time = 0; time < 3000; ++time) {
      const std::string prompt = "a" + random_text(random, 8), choice = random_text(random, 4) + "b";
      for (const bool bos : {false, true}) {
        const ChoiceIds ids = choice_ids(prompt, choice, {tokenizer, false, bos});
        std::vector<std::int32_t> both = ids.prompt, whole = tokenizer.encode(prompt + choice, false);
        both.insert(both.end(), ids.choice.begin(), ids.choice.end());
        if (bos) whole.insert(whole.begin(), 1);
        QVERIFY(both == whole);
        const std::string read = tokenizer.decode(std::span(ids.prompt).subspan(bos ? 1 : 0));
        QVERIFY(!read.ends_with(' ') && !read.ends_with('\n'));  // blanks are the choice's
        QVERIFY(prompt.starts_with(read));
        if (read.size() < prompt.size()) ++moved;
      }
    }
    QVERIFY(moved > 100);
    const std::string wide = "a\xc2\xa0\xe3\x80\x80\x1f";  // blanks of Python's
    QCOMPARE(choice_ids(wide, "b", {tokenizer}).prompt.size(), 1U);
  }

  void an_empty_prompt_has_bos_or_eos() {
    const BlankTokenizer with, without(false);
    for (const char* prompt : {"", " ", "\n \t"}) {
      QVERIFY(choice_ids(prompt, "b", {with}).prompt == std::vector<std::int32_t>{1});
      QVERIFY(choice_ids(prompt, "b", {without}).prompt == std::vector<std::int32_t>{2});
    }
    const ChoiceIds spelled = choice_ids("", "<s>b", {with, true});
    QVERIFY(spelled.prompt == std::vector<std::int32_t>{1} && spelled.choice == std::vector<std::int32_t>{'b'});
    QVERIFY(unlike(Fault::BadInput, "no token", [&] { choice_ids("a", "", {with}); }).empty());
    QVERIFY(unlike(Fault::BadInput, "no BOS", [&] { choice_ids("a", "b", {without, false, true}); }).empty());
  }

  void a_question_begins_with_its_first_token() {
    const BlankTokenizer tokenizer;
    std::mt19937 random(2);
    for (int time = 0; time < 2000; ++time) {
      TaskSample sample;
      sample.context = random_text(random, 8);
      sample.question = random_text(random, 6);
      sample.answer_start = random_text(random, 3) + "a";
      const PromptText prompt = prompt_text(sample, {});
      QCOMPARE(prompt.text, sample.context + sample.question + sample.answer_start);
      const PromptIds ids = prompt_ids(prompt, {tokenizer});
      const std::string asked = tokenizer.decode(std::span(ids.ids).last(static_cast<std::size_t>(ids.question)));
      const std::string wanted = sample.question + sample.answer_start;
      if (sample.context.empty()) {
        QCOMPARE(ids.question, 0);
      } else {
        QVERIFY(asked.ends_with(wanted) && asked.size() <= wanted.size() + 1);  // a blank that it shares a token with
      }
    }
  }

  void a_template_is_put_around() {
    const ChatText chat = [](const std::string& said) {
      const std::size_t first = said.find_first_not_of(" \n"), last = said.find_last_not_of(" \n");
      return "<s>U: " + said.substr(first, last + 1 - first) + "\nA:";  // templates drop blanks
    };
    TaskSample sample;
    sample.context = "\n\n a b ab\n";
    sample.question = " ba? ";
    sample.answer_start = " bb";
    const PromptText prompt = prompt_text(sample, chat);
    QCOMPARE(prompt.text, std::string("<s>U: a b ab\n ba?\nA: bb"));
    QCOMPARE(prompt.text.substr(prompt.question), std::string("ba?\nA: bb"));
    const BlankTokenizer tokenizer;
    const PromptIds ids = prompt_ids(prompt, {tokenizer, true, true});
    QVERIFY(ids.ids[0] == 1 && ids.ids[1] == 'U');  // one BOS, which the template spells
    sample.question.clear();
    const PromptText bare = prompt_text(sample, chat);
    QCOMPARE(bare.text.substr(bare.question), std::string("\nA: bb"));
    sample.context.clear();
    sample.question = "ba?";
    QCOMPARE(prompt_text(sample, chat).question, 0U);
  }

  /// It ends before the first stop that is there, also where that lies across tokens.
  void text_ends_at_the_first_stop() {
    const auto tokenizer = std::make_shared<const BlankTokenizer>();
    std::mt19937 random(4);
    int stopped = 0;
    for (int time = 0; time < 2000; ++time) {
      const std::string text = random_text(random, 12);
      const std::vector<std::string> stops{"", random_text(random, 3), "?" + random_text(random, 2)};
      std::string read, wanted;
      StoppedText found(tokenizer, stops);
      bool goes_on = true, looks_on = true;
      for (const std::int32_t id : tokenizer->encode(text, false)) {
        if (looks_on) {
          read += tokenizer->bytes(id);
          std::size_t end = read.size();
          for (const std::string& stop : stops)
            if (!stop.empty()) end = std::min(end, read.find(stop));
          looks_on = end == read.size();
          wanted = read.substr(0, end);
        }
        if (goes_on) goes_on = found.add(id);
      }
      stopped += goes_on ? 0 : 1;
      QCOMPARE(goes_on, looks_on);
      QCOMPARE(found.finish(), wanted);
    }
    QVERIFY(stopped > 200);
  }

  void greedy_choices_are_those_of_greedy_decoding() {
    std::mt19937 random(5);
    int decided = 0, greedy = 0;
    for (int time = 0; time < 1500; ++time) {
      std::vector<ScoredChoice> choices(2 + random() % 4);
      for (ScoredChoice& choice : choices) {
        std::vector<std::int32_t> prefix{time};
        for (std::size_t size = 1 + random() % 3; size > 0; --size) {
          const auto id = static_cast<std::int32_t>(random() % 4);
          choice.ids.push_back(id);
          choice.nll.push_back(loss_of(prefix, id));
          prefix.push_back(id);
        }
      }
      for (std::size_t i = 0; i < choices.size(); ++i) {
        std::vector<std::int32_t> prefix{time};
        std::vector<float> logits;
        bool largest = true;
        for (const std::int32_t id : choices[i].ids) {
          for (std::int32_t other = 0; other < 4; ++other) {
            logits.push_back(static_cast<float>(-loss_of(prefix, other)));
            largest = largest && loss_of(prefix, other) >= loss_of(prefix, id);
          }
          prefix.push_back(id);
        }
        QCOMPARE(are_largest(logits, choices[i].ids), largest);
        const std::optional<bool> found = greedy_by_losses(choices, i);
        if (found) QCOMPARE(*found, largest);
        decided += found ? 1 : 0;
        greedy += found.value_or(false) ? 1 : 0;
      }
    }
    QVERIFY(decided > 500 && greedy > 25);
  }

  void tokenizers_are_told_apart() {
    QCOMPARE(tokenizer_hash(BlankTokenizer()).size(), 16U);
    QCOMPARE(tokenizer_hash(BlankTokenizer()), tokenizer_hash(BlankTokenizer(false)));  // the same ids
  }
};

static const TestFile these_tests{__FILE__, without_application<PromptPartsTest>};
#include "prompt_parts_test.moc"
