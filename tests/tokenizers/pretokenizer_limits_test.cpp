// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns of a file that would take more memory, stack or time than a text of its length may need.
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/declared_tokens.h"
#include "engine/tokenizers/merged_pieces.h"
#include "engine/tokenizers/tokenizer_json.h"
#include "tests/support/expect_error.h"
#include "tests/support/growth.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace patterns = pretokenizer_patterns;

namespace {

std::string repeated(const std::string& part, std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += part;
  return text;
}

BpeDefinition with_patterns(const std::vector<std::string>& cut) {
  BpeDefinition definition = read_tokenizer_json(demo_tokenizer(), "tokenizer.json");
  definition.patterns = cut;
  return definition;
}

std::string refused(const std::string& pattern, const std::string& text) {
  return unlike(Fault::BadInput, "take more steps than a text of this length may need",
                [&] { BpePretokenizer({pattern}, "test").split(text, [](std::string_view) {}); });
}

}  // namespace

class PretokenizerLimitsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void more_patterns_than_any_tokenizer_has_are_refused() {
    json definition = demo_tokenizer();
    json parts = json::array();
    for (int i = 0; i < 400'000; ++i)
      parts.push_back({{"type", "Split"}, {"behavior", "Isolated"}, {"pattern", {{"Regex", "\\x{10ffff}"}}}});
    parts.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}});
    definition["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", parts}};
    QCOMPARE(unlike(Fault::BadInput, "has 400001 pre-tokenizer patterns, and 32 are the most",
                    [&] { BpeTokenizer(read_tokenizer_json(definition, "tokenizer.json")); }),
             std::string());
    const std::string text = "some text, 12";
    QVERIFY(BpeTokenizer(with_patterns(std::vector<std::string>(32, patterns::kGpt2))).encode(text, false) ==
            BpeTokenizer(with_patterns({patterns::kGpt2})).encode(text, false));
  }

  void a_text_has_a_budget_of_steps_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("letters");
    QTest::newRow("just below a limit at each letter") << R"((?!(?:[\s\S][\s\S]?){18}\x{10ffff})[\s\S])"
                                                       << "ab ";
    QTest::newRow("never a match") << R"((?:[\s\S][\s\S]?){18}\x{10ffff})"
                                   << "ab ";
    QTest::newRow("to the end and back from each letter") << R"([\s\S]*\x{10ffff}|[\s\S])"
                                                          << "ab ";
    QTest::newRow("to the end without steps from each letter") << R"([\s\S]*+\x{10ffff}|[\s\S])"
                                                               << "ab ";
    QTest::newRow("repetitions of repetitions") << R"((?:a+)+\x{10ffff}|[\s\S])"
                                                << "a";
    QTest::newRow("to the end in each step") << R"((?!(?:(?=[\s\S]*+)[\s\S])*+\x{10ffff})[\s\S])"
                                             << "ab ";
    QTest::newRow("back references") << R"(([\s\S]*)([\s\S]*)\1\2\x{10ffff}|[\s\S])"
                                     << "ab";
  }

  void a_text_has_a_budget_of_steps() {
    QFETCH(QString, pattern);
    QFETCH(QString, letters);
    QCOMPARE(refused(pattern.toStdString(), repeated(letters.toStdString(), 5000)), std::string());
  }

  /// Not each stretch between them.
  void stretches_between_added_tokens_share_it() {
    BpeDefinition definition = with_patterns({R"((?!(?:[\s\S][\s\S]?){10}\x{10ffff})[\s\S])"});
    definition.added = {{"<>", 600, false, false}};
    const BpeTokenizer tokenizer(definition);
    const std::string stretch = std::string(40, 'x') + "<>";
    QCOMPARE(tokenizer.decode(tokenizer.encode(stretch, false)), stretch);
    QCOMPARE(unlike(Fault::BadInput, "take more steps", [&] { tokenizer.encode(repeated(stretch, 1000), false); }),
             std::string());
  }

  /// A search sees a limited part of a piece; the words are those of the whole piece.
  void long_matches_are_whole() {
    const auto cut = [](const std::string& pattern, const std::string& text) {
      std::vector<std::string> words;
      BpePretokenizer({pattern}, "test").split(text, [&](std::string_view word) { words.emplace_back(word); });
      return words;
    };
    const std::string a(1000, 'a'), b(1000, 'b'), e = repeated("é", 700);
    using Words = std::vector<std::string>;
    QCOMPARE(cut("b+", a + b + a), (Words{a, b, a}));
    QCOMPARE(cut("(?<=a)b+(?=a)", a + b + a), (Words{a, b, a}));
    QCOMPARE(cut("(?<=a)b+(?=a)", a + b), (Words{a + b}));
    QCOMPARE(cut("é+$", a + e), (Words{a, e}));
    QCOMPARE(cut("é+?a", e + a + a), (Words{e + "a", a.substr(1) + a}));
    QCOMPARE(cut("^[ab]+", a + b + "c" + a), (Words{a + b, "c" + a}));
    QCOMPARE(cut("[\\s\\S]{1500}", a + b), (Words{a + b.substr(500), b.substr(500)}));
    QCOMPARE(cut("(?=c)", a + "cc"), (Words{a, "c", "c"}));
    QCOMPARE(cut(patterns::kLlama3, std::string(999, ' ') + "x" + e), (Words{std::string(998, ' '), " x" + e}));
  }

  void time_grows_with_the_text_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"word ", "     ", "    \n", "12345", "wwwww", "!?.,;"})
      QTest::newRow(text) << QString(text);
  }

  void time_grows_with_the_text() {
    QFETCH(QString, text);
    const BpePretokenizer gpt2({patterns::kDigit, patterns::kGpt2}, "test"), llama({patterns::kLlama3}, "test");
    const auto make = [&](std::int64_t n) { return repeated(text.toStdString(), n) + "x"; };
    for (const BpePretokenizer* one : {&gpt2, &llama}) {
      const double ratio =
          growth(4000, make, [&](const std::string& whole) { one->split(whole, [](std::string_view) {}); });
      QVERIFY2(ratio < most_linear_growth, qPrintable(QString::number(ratio)));
    }
  }

  void time_grows_with_blanks_that_tokens_take_data() {
    QTest::addColumn<bool>("before");
    QTest::newRow("before") << true;
    QTest::newRow("behind") << false;
  }

  void time_grows_with_blanks_that_tokens_take() {
    QFETCH(bool, before);
    AddedToken blank{.text = " "};
    blank.lstrip = before;
    blank.rstrip = !before;
    const AddedTokens tokens({blank});
    const double ratio = growth(
        2000, [](std::int64_t n) { return std::string(static_cast<std::size_t>(n), ' ') + "x"; },
        [&](const std::string& text) {
          tokens.split(
              text, true, [](std::string_view, bool) {}, [](std::int32_t) {});
        });
    QVERIFY2(ratio < most_linear_growth, qPrintable(QString::number(ratio)));
  }

  void time_grows_with_named_tokens_and_long_pieces() {
    const auto files = [](std::int64_t n) {
      HfTokenizerFiles made;
      made.folder = "x";
      made.tokenizer_config = json::object();
      for (std::int64_t i = 0; i < n; ++i) made.tokenizer_config["t" + std::to_string(i) + "_token"] = "<s>";
      return made;
    };
    BaseVocabulary base;
    base.find = [](const std::string&) { return std::optional<std::int32_t>(1); };
    base.size = 2;
    const double of_names = growth(1000, files, [&](const HfTokenizerFiles& made) { declared_tokens(made, base); });
    const auto pieces = [](std::int64_t n) {
      return std::vector<SentencePiece>{{"a"}, {std::string(static_cast<std::size_t>(n), 'a')}};
    };
    const double of_pieces = growth(4000, pieces, [](const auto& made) { generated_merges(made); });
    QVERIFY2(of_names < most_linear_growth && of_pieces < most_linear_growth,
             qPrintable(QStringLiteral("%1, %2").arg(of_names).arg(of_pieces)));
    QCOMPARE(generated_merges({{"a"}, {"aa"}}).size(), 1U);
  }

  void time_grows_with_the_file_data() {
    QTest::addColumn<QString>("part");
    for (const char* part : {"added tokens", "merges", "vocabulary"}) QTest::newRow(part) << QString(part);
  }

  void time_grows_with_the_file() {
    QFETCH(QString, part);
    const auto make = [&](std::int64_t n) {
      json definition = demo_tokenizer();
      for (std::int64_t i = 0; i < n; ++i) {
        if (part == "added tokens")
          definition["added_tokens"].push_back({{"id", 1000 + i}, {"content", "<t" + std::to_string(i) + ">"}});
        if (part == "merges") definition["model"]["merges"].push_back(definition["model"]["merges"][0]);
        if (part == "vocabulary")
          definition["model"]["vocab"]["~" + std::to_string(i)] = static_cast<std::uint64_t>(1000 + i);
      }
      return definition;
    };
    const double ratio =
        growth(2000, make, [](const json& definition) { BpeTokenizer(read_tokenizer_json(definition, "x")); });
    QVERIFY2(ratio < most_linear_growth, qPrintable(QString::number(ratio)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__,
                                                   carryover::test::without_application<PretokenizerLimitsTest>};
#include "pretokenizer_limits_test.moc"
