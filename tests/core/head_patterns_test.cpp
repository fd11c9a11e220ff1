// SPDX-License-Identifier: GPL-3.0-or-later
// MInference's patterns of heads: their files come back as they were, and what is no such file is refused by the head.
#include "engine/config/head_patterns.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/heads/choice/head_pattern_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/random_config.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using carryover::test::unlike;
using nlohmann::json;

namespace {

/// Heads of layers as MInference has them for Qwen2.5-7B-Instruct-1M, Phi-3-mini-128k and, with whole scores,
/// Llama-3-8B-262k.
const std::string kFile =
    R"([{"0": ["vertical_and_slash", 9192, 14288, 0.6920984983444214], )"
    R"("1": ["vertical_and_slash", 1000, 6096, 0.9862403869628906], "11": ["stream_llm", 100, 800, 0.43]}, {}, )"
    R"({"3": ["block_sparse", 100, 1, 0.5], "0": ["vertical_and_slash", 1000, 6096, 336]}])";

HeadPatterns read(const std::string& text) {
  return head_patterns_from_text(text, "heads.json");
}

/// Returns an empty text if a file is refused with `part` in the message, for a model of 4 layers of 4 heads.
std::string refusal(const std::string& text, const std::string& part) {
  return unlike(Fault::BadInput, part, [&] { read(text).validate(test::tiny_config(), "heads.json", {}); });
}

/// Returns true if the sizes and scores are allowed in a file.
bool is_sound(const HeadPatterns& patterns) {
  ModelConfig large = test::tiny_config();
  large.layers = large.heads = std::numeric_limits<std::int64_t>::max();
  return !test::error_of([&] { patterns.validate(large, "text", {}); });
}

}  // namespace

class HeadPatternsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_file_of_minference_is_read() {
    const HeadPatterns patterns = read(kFile);
    QCOMPARE(patterns.layers.size(), std::size_t{3});
    QCOMPARE(patterns.count(), std::int64_t{5});
    QVERIFY(!patterns.empty());
    QVERIFY(patterns.at(0, 0) == (HeadPattern{PatternKind::VerticalSlash, 9192, 14288, 0.6920984983444214}));
    QVERIFY(patterns.at(0, 11) == (HeadPattern{PatternKind::AShape, 100, 800, 0.43}));
    QVERIFY(patterns.at(2, 3) == (HeadPattern{PatternKind::BlockSparse, 100, 1, 0.5}));
    QVERIFY(patterns.at(2, 0) == (HeadPattern{PatternKind::VerticalSlash, 1000, 6096, 336}));
    QVERIFY(json(patterns) == json::parse(kFile));
  }

  void heads_that_are_not_listed_have_minferences_default() {
    const HeadPattern usual{PatternKind::VerticalSlash, 1000, 6096, 1};
    const HeadPatterns patterns = read(kFile);
    QVERIFY(HeadPattern() == usual && HeadPatterns().at(0, 0) == usual && HeadPatterns().empty());
    for (const auto& [layer, head] : {std::pair(0, 2), {1, 0}, {2, 1}, {3, 0}, {1000, 0}, {-1, 0}, {0, -1}})
      QVERIFY(patterns.at(layer, head) == usual);
    QVERIFY(read("[]") == HeadPatterns());
    QVERIFY(read("[{}, null]").empty() && read("[{}, null]").layers.size() == 2);
  }

  void patterns_are_set_one_by_one() {
    HeadPatterns patterns;
    const HeadPattern pattern{PatternKind::AShape, 4, 64, 1};
    patterns.set(2, 1, pattern);
    patterns.set(2, 1, pattern);
    QVERIFY(patterns.layers.size() == 3 && patterns.count() == 1 && patterns.at(2, 1) == pattern);
    QVERIFY(json(patterns) == json::parse(R"([{}, {}, {"1": ["stream_llm", 4, 64, 1.0]}])"));
  }

  /// Through values, through text, and through a file.
  void any_patterns_come_back() {
    std::mt19937 random(3);
    const test::TempDir folder(test::fast_parent());
    const std::string path = folder.file("heads.json");
    int listed = 0;
    for (int i = 0; i < 300; ++i) {
      const ModelConfig model = test::tiny_config(test::draw(random, 1, 40), 2 * test::draw(random, 1, 20), 2);
      const HeadPatterns patterns = test::random_head_patterns(random, model);
      patterns.validate(model, "random", {});
      listed += static_cast<int>(patterns.count());
      const json values = patterns;
      QVERIFY(head_patterns_from_json(values, "values", "head_patterns") == patterns);
      QVERIFY(read(values.dump()) == patterns);
      QVERIFY(json(read(values.dump(2))) == values);
      if (i % 10 != 0) continue;
      write_head_patterns(patterns, path);
      QVERIFY(read_head_patterns(path) == patterns);
    }
    QVERIFY(listed > 10'000);
    QCOMPARE(unlike(Fault::Io, "/nowhere/heads.json", [] { read_head_patterns("/nowhere/heads.json"); }),
             std::string());
  }

  void what_is_wrong_is_said_with_layer_and_head_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* text, const char* part) {
      QTest::newRow(text) << QByteArray(text) << QByteArray(part);
    };
    row("{}", "is not a list of layers: {}");
    row("null", "is not a list of layers: null");
    row("\"x\"", "Give an object of heads for each layer");
    row("[1]", "layer 0 is not an object of heads: 1");
    row("[{}, []]", "layer 1 is not an object of heads: []");
    row("[[[[[[[]]]]]]]", "layer 0 is not an object of heads");
    row(R"([{}, {"-1": ["stream_llm", 4, 64, 1]}])", "layer 1 names the head \"-1\"");
    row(R"([{"-0": ["stream_llm", 4, 64, 1]}])", "layer 0 names the head \"-0\"");
    row(R"([{"+1": ["stream_llm", 4, 64, 1]}])", "layer 0 names the head \"+1\"");
    row(R"([{"01": ["stream_llm", 4, 64, 1]}])", "without zeros in front");
    row(R"([{"00": ["stream_llm", 4, 64, 1]}])", "layer 0 names the head \"00\"");
    row(R"([{"1.0": ["stream_llm", 4, 64, 1]}])", "layer 0 names the head \"1.0\"");
    row(R"([{" 1": ["stream_llm", 4, 64, 1]}])", "layer 0 names the head \" 1\"");
    row(R"([{"": ["stream_llm", 4, 64, 1]}])", "layer 0 names the head \"\"");
    row(R"([{"one": ["stream_llm", 4, 64, 1]}])", "layer 0 names the head \"one\"");
    row(R"([{"2147483648": ["stream_llm", 4, 64, 1]}])", "layer 0 names the head \"2147483648\"");
    row(R"([{"99999999999999999999": ["stream_llm", 4, 64, 1]}])", "layer 0 names the head");
    row(R"([{"1": ["stream_llm", 4, 64, 1], "1": ["stream_llm", 4, 65, 1]}])", "the JSON key '1' appears twice");
    row(R"([{"2": {}}])", "layer 0, head 2 is not a pattern: {}");
    row(R"([{"2": ["stream_llm", 4, 64]}])", "layer 0, head 2 is not a pattern");
    row(R"([{"2": ["stream_llm", 4, 64, 1, 1]}])", "Give kind, two sizes and a score");
    row(R"([{"2": ["a_shape", 4, 64, 1]}])", "layer 0, head 2 has the unknown kind \"a_shape\"");
    row(R"([{"2": [1, 4, 64, 1]}])", "Use vertical_and_slash, stream_llm or block_sparse.");
    row(R"([{"2": ["block_sparse", "4", 64, 1]}])", "layer 0, head 2 has the vertical size \"4\"");
    row(R"([{"2": ["block_sparse", 0, 64, 1]}])", "layer 0, head 2 has the vertical size 0");
    row(R"([{"2": ["block_sparse", -4, 64, 1]}])", "Give a whole number from 1 to 2147483647.");
    row(R"([{"2": ["block_sparse", 4, 64.5, 1]}])", "layer 0, head 2 has the slash size 64.5");
    row(R"([{"2": ["block_sparse", 4, 64.0, 1]}])", "layer 0, head 2 has the slash size 64.0");
    row(R"([{"2": ["block_sparse", 4, 2147483648, 1]}])", "layer 0, head 2 has the slash size 2147483648");
    row(R"([{"2": ["block_sparse", 18446744073709551615, 1, 1]}])", "has the vertical size 18446744073709551615");
    row(R"([{"2": ["block_sparse", 4, null, 1]}])", "layer 0, head 2 has the slash size null");
    row(R"([{"2": ["block_sparse", 4, [[1]], 1]}])", "layer 0, head 2 has the slash size [[1]]");
    row(R"([{"2": ["block_sparse", 4, 64, null]}])", "layer 0, head 2 has the score null");
    row(R"([{"2": ["block_sparse", 4, 64, "1"]}])", "Give a number between -2^53 and 2^53.");
    row(R"([{"2": ["block_sparse", 4, 64, 9007199254740993]}])", "layer 0, head 2 has the score 9007199254740993");
    row(R"([{"2": ["block_sparse", 4, 64, -1e300]}])", "layer 0, head 2 has the score -1e+300");
    row(R"([{"2": ["block_sparse", 4, 64, 1e999]}])", "is not usable JSON");
    row(R"([{"2": ["block_sparse", 4, 64, NaN]}])", "is not valid JSON");
    row(R"([{"2": ["block_sparse", 4, 64, Infinity]}])", "is not valid JSON");
    row("[{}, {}, {}, {}, {}]", "has 5 layers, but the model has 4");
    row(R"([{}, {}, {"4": ["stream_llm", 4, 64, 1]}])", "layer 2 has head 4, which the model lacks");
  }

  void what_is_wrong_is_said_with_layer_and_head() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, part);
    QCOMPARE(refusal(text.toStdString(), part.toStdString()), std::string());
    QCOMPARE(refusal(text.toStdString(), "heads.json: "), std::string());
  }

  void deep_nesting_is_refused() {
    QCOMPARE(refusal(std::string(100'000, '['), "nested deeper than 64 levels"), std::string());
  }

  /// Code can set values that no file may have.
  void sizes_and_scores_that_were_set_are_checked_too() {
    const auto part_of = [](const HeadPattern& pattern) {
      HeadPatterns patterns;
      patterns.set(1, 2, pattern);
      const auto error = test::error_of([&] { patterns.validate(test::tiny_config(), "settings", "head_patterns"); });
      return error ? error->where() + ": " + error->problem() : std::string();
    };
    QCOMPARE(part_of({}), std::string());
    QCOMPARE(part_of({PatternKind::AShape, 0, 1, 1}),
             std::string("settings: head_patterns layer 1, head 2 has the vertical size 0"));
    QCOMPARE(part_of({PatternKind::AShape, 1, std::int64_t{1} << 31, 1}),
             std::string("settings: head_patterns layer 1, head 2 has the slash size 2147483648"));
    for (const double score : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
      QCOMPARE(part_of({PatternKind::AShape, 1, 1, score}),
               std::string("settings: head_patterns layer 1, head 2 has a score that is out of range"));
  }

  /// Files come from anybody: damage is refused as bad input, or is a list of patterns.
  void damaged_files_are_refused_or_read() {
    std::mt19937 random(8);
    HeadPatterns many;
    while (many.count() < 6) many = test::random_head_patterns(random, test::tiny_config(3, 6, 2));
    const std::string drawn = json(many).dump();
    int refused = 0, taken = 0;
    for (const std::string& whole : {kFile, drawn}) {
      test::Mutator mutator(whole, whole.size(), 17);
      for (int i = 0; i < 5000; ++i) {
        HeadPatterns patterns;
        const auto error = test::error_of([&] { patterns = read(mutator.next()); });
        if (error) {
          QVERIFY2(error->fault() == Fault::BadInput, error->what());
          ++refused;
          continue;
        }
        ++taken;
        QVERIFY(is_sound(patterns));
        QVERIFY(read(json(patterns).dump()) == patterns);
      }
    }
    QVERIFY2(refused > 3000 && taken > 300, qPrintable(QString("%1 refused, %2 read").arg(refused).arg(taken)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HeadPatternsTest>};
#include "head_patterns_test.moc"
