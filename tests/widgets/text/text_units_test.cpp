// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/state/text_units.h"

#include <QTest>

#include "engine/tokenizers/tokenizer.h"
#include "tests/support/byte_tokenizer.h"
#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

QString demo() {
  return QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
}

/// A run over `text` by the demo's tokens.
void read(RunModel& run, const std::string& text, std::int64_t segment_length = 64) {
  const auto tokenizer = Tokenizer::load(demo().toStdString());
  RunRequest request = test::synthetic_request(1, segment_length);
  request.ids = std::make_shared<const std::vector<std::int32_t>>(tokenizer->encode(text));
  run.begin(test::synthetic_model(), request, tokenizer);
}

QString text_of(const RunModel& run, const TokenRange& range) {
  QString text;
  for (std::int64_t token = range.first; token < range.last; ++token) text += run.token_text(token);
  return text;
}

/// The text cut at its units' ends.
QStringList cut(const RunModel& run, TextUnit unit) {
  const TextUnits units(run);
  QStringList parts;
  for (std::int64_t token = 0; token < run.token_count();) {
    const TokenRange range = units.around(token, unit);
    if (range.first != token || range.last <= token) return {QStringLiteral("units overlap")};
    for (std::int64_t inside = range.first; inside < range.last; ++inside)
      if (units.around(inside, unit) != range) return {QStringLiteral("tokens of a unit disagree")};
    parts += text_of(run, range);
    token = range.last;
  }
  return parts;
}

}  // namespace

class TextUnitsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void words_sentences_and_lines_are_what_a_reader_sees() {
    RunModel run;
    read(run, "He went home. \"Why?\" she asked. It rained\nall day.\n\nThen it stopped!");
    const auto trimmed = [](QStringList parts) {
      for (QString& part : parts) part = part.trimmed();
      parts.removeAll(QString());
      return parts;
    };
    QCOMPARE(trimmed(cut(run, TextUnit::Sentence)),
             QStringList({"He went home.", "\"Why?\"", "she asked.", "It rained\nall day.", "Then it stopped!"}));
    QCOMPARE(trimmed(cut(run, TextUnit::Line)),
             QStringList({"He went home. \"Why?\" she asked. It rained", "all day.", "Then it stopped!"}));
    const QStringList words = trimmed(cut(run, TextUnit::Word));
    QCOMPARE(words.join(u' '), QStringLiteral("He went home. \"Why?\" she asked. It rained all day. Then it stopped!"));
    QCOMPARE(words.size(), 13);
    QCOMPARE(cut(run, TextUnit::Token).size(), static_cast<int>(run.token_count()));
  }

  void a_character_of_several_tokens_is_shown_whole() {
    RunModel run;
    const auto tokenizer = std::make_shared<test::PlainByteTokenizer>();
    RunRequest request = test::synthetic_request(1, 64);
    request.ids = std::make_shared<const std::vector<std::int32_t>>(tokenizer->encode("A سلام 👍\nB"));
    run.begin(test::synthetic_model(), request, tokenizer);
    QCOMPARE(whole_text(run, {0, run.token_count()}), QStringLiteral("A سلام 👍\nB"));
    QCOMPARE(whole_text(run, {3, 5}), QStringLiteral("سل"));  // the second byte of one letter, the first of the next
    QCOMPARE(whole_text(run, {13, 14}), QStringLiteral("👍"));
    QCOMPARE(whole_text(run, {5, 5}), QString());
    QCOMPARE(whole_text(run, {-4, 1}), QStringLiteral("A"));
    QCOMPARE(text_around(run, 5, 1, 1), QStringLiteral("س⟦ل⟧ا"));
    QCOMPARE(text_around(run, 0, 4, 1), QStringLiteral("⟦A⟧ "));
    QCOMPARE(text_around(run, 12, 1, 9), QStringLiteral(" ⟦👍⟧⏎B"));
    QCOMPARE(text_around(run, -1), QString());
  }

  void segments_are_the_runs() {
    RunModel run;
    read(run, std::string(400, 'x').append(" and more"), 16);
    for (const QString& part : cut(run, TextUnit::Segment)) QVERIFY(!part.isEmpty());
    const TextUnits units(run);
    QVERIFY(units.around(17, TextUnit::Segment) == (TokenRange{16, 32}));
    QCOMPARE(units.around(run.token_count() - 1, TextUnit::Segment).last, run.token_count());
  }

  // A text without a break, far longer than a unit may be.
  void endless_units_are_cut() {
    RunModel run;
    RunRequest request = test::synthetic_request(200, 256);  // ids without a tokenizer: "<12>", no spaces
    run.begin(test::synthetic_model(), request, nullptr);
    const TextUnits units(run);
    for (const TextUnit unit : {TextUnit::Word, TextUnit::Sentence, TextUnit::Line})
      QVERIFY(units.around(TextUnits::most_tokens + 5, unit) ==
              (TokenRange{TextUnits::most_tokens, 2 * TextUnits::most_tokens}));
    QVERIFY(units.around(-1, TextUnit::Word) == TokenRange{});
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<TextUnitsTest>};
#include "text_units_test.moc"
