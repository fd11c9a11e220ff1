// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of an answer are its text, and have each token once that begins in it.
#include "app/serve/answer_parts.h"

#include <QTest>
#include <random>

#include "app/serve/token_text.h"
#include "engine/base/utf8.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

/// Tokens of one to three bytes, some of which are parts of a character, and the blank that SentencePiece begins with.
class PieceTokenizer final : public Tokenizer {
 public:
  static const std::vector<std::string>& pieces() {
    static const std::vector<std::string> all{"a",         "b",        "ab",   "bba", "\xC3", "\xA4",
                                              "b\xC3\xA4", "\xE2\x82", "\xAC", " a",  ""};
    return all;
  }
  std::int64_t vocabulary() const override { return std::ssize(pieces()); }
  std::optional<std::int32_t> bos() const override { return std::nullopt; }
  std::optional<std::int32_t> eos() const override { return std::nullopt; }
  std::vector<std::int32_t> encode(std::string_view, bool) const override { return {}; }
  std::string bytes(std::int32_t id) const override { return pieces().at(static_cast<std::size_t>(id)); }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += bytes(id);
    return text.starts_with(' ') ? text.substr(1) : text;
  }
};

/// By the definition: all tokens decoded, then cut before the first stop text.
struct Expected {
  std::string text;
  std::vector<std::int64_t> offsets;  ///< of the tokens that begin in the text
  bool stopped = false;
};

Expected by_definition(const std::vector<GeneratedToken>& tokens, FirstBlank blank, const std::string& stop) {
  const PieceTokenizer tokenizer;
  Expected expected;
  std::string pending, text;
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    offsets.push_back(count_characters(text));
    pending += spelled_token(tokenizer, tokens[i].id, i == 0 ? blank : FirstBlank::Keep);
    text += take_utf8(pending, false);
    expected.stopped = !stop.empty() && text.find(stop) != std::string::npos;
    if (expected.stopped) break;
  }
  if (!expected.stopped) text += take_utf8(pending, true);
  expected.text = text.substr(0, expected.stopped ? text.find(stop) : text.size());
  for (const std::int64_t offset : offsets)
    if (!expected.stopped || offset < count_characters(expected.text)) expected.offsets.push_back(offset);
  return expected;
}

}  // namespace

class AnswerPartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tokens_go_with_the_text_that_they_begin_in() {
    const PieceTokenizer tokenizer;
    const std::vector<std::string> stops{"", "", "ba", "aab", "b\xC3\xA4", "\xE2\x82\xAC", "bbb"};
    std::mt19937 random(1);
    int stopped = 0, straddled = 0;
    for (int round = 0; round < 20000; ++round) {
      const FirstBlank blank = random() % 2 == 0 ? FirstBlank::Keep : FirstBlank::Drop;
      const std::string& stop = stops[random() % stops.size()];
      std::vector<GeneratedToken> tokens(random() % 10);
      for (GeneratedToken& token : tokens)
        token = {
            static_cast<std::int32_t>(random() % PieceTokenizer::pieces().size()), static_cast<float>(random()), {}};
      const Expected expected = by_definition(tokens, blank, stop);

      AnswerParts parts(tokenizer, blank, stop.empty() ? std::vector<std::string>() : std::vector{stop});
      std::string text;
      std::vector<AnswerToken> given;
      const auto add = [&](const AnswerPart& part, bool is_last) {
        const std::int64_t before = count_characters(text);
        text += part.text;
        for (const AnswerToken& token : part.tokens) {
          const std::int64_t after = count_characters(text);
          QVERIFY(token.offset >= before && (token.offset < after || is_last));  // no sooner and no later than its text
        }
        given.insert(given.end(), part.tokens.begin(), part.tokens.end());
      };
      for (std::size_t i = 0; i < tokens.size() && !parts.stopped(); ++i) add(parts.push(tokens[i]), false);
      add(parts.finish(), true);

      QCOMPARE(text, expected.text);
      if (!expected.stopped) QVERIFY(given.size() == tokens.size());
      QCOMPARE(given.size(), expected.offsets.size());
      for (std::size_t i = 0; i < given.size(); ++i) {
        QCOMPARE(given[i].token.id, tokens[i].id);
        QCOMPARE(given[i].token.logprob, tokens[i].logprob);
        QCOMPARE(given[i].offset, expected.offsets[i]);
        QCOMPARE(given[i].blank, i == 0 ? blank : FirstBlank::Keep);
      }
      QCOMPARE(parts.stopped(), expected.stopped);
      stopped += expected.stopped ? 1 : 0;
      std::string spelled;
      for (std::size_t i = 0; i < given.size(); ++i)
        spelled += spelled_token(tokenizer, given[i].token.id, given[i].blank);
      straddled += expected.stopped && spelled.size() > text.size() ? 1 : 0;
    }
    QVERIFY(stopped > 2000 && straddled > 200);
  }

  void the_end_of_text_is_the_last_token() {
    const PieceTokenizer tokenizer;
    AnswerParts parts(tokenizer, FirstBlank::Keep, {"b!"});
    QVERIFY(parts.push({0, -1, {}}).text == "a");
    QVERIFY(parts.push({1, -1, {}}).text.empty());  // b may begin a stop text
    QVERIFY(parts.push_end({4, -2, {}}).tokens.empty());
    const AnswerPart last = parts.finish();
    QCOMPARE(last.text, std::string("b"));
    QCOMPARE(last.tokens.size(), std::size_t{2});
    QVERIFY(!last.tokens[0].is_end && last.tokens[1].is_end);
    QCOMPARE(last.tokens[1].offset, std::int64_t{2});
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AnswerPartsTest>};
#include "answer_parts_test.moc"
