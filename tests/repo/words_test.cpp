// SPDX-License-Identifier: GPL-3.0-or-later
// The words that docs/glossary.md retires are in no text that a user reads: README, guide, manual page, and the string
// literals of the command line and of the window. And no view writes numbers in a way of its own.
#include <QRegularExpression>
#include <QTest>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::read;
using carryover::test::read_files;
using carryover::test::Source;

namespace {

QStringList retired_words() {
  static const QRegularExpression row("^\\| ([^|]+) \\| [^|]+ \\|$", QRegularExpression::MultilineOption);
  const QString table = read("docs/glossary.md").section("## Retired words", 1);
  QStringList words;
  for (auto rows = row.globalMatch(table); rows.hasNext();) words << rows.next().captured(1);
  words.removeAll("retired");
  return words;
}

/// Adjacent literals are one text, as the compiler joins them. Includes, QStringLiteral("--flag") and the like hold
/// none of the words.
QString literals(const QString& source) {
  static const QRegularExpression literal("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
  static const QRegularExpression raw("R\"\\((.*?)\\)\"", QRegularExpression::DotMatchesEverythingOption);
  static const QRegularExpression seam("\"\\s*\n\\s*\"");
  static const QRegularExpression comment("^\\s*//.*$|^#include.*$", QRegularExpression::MultilineOption);
  QString text = source, found;
  text.remove(comment).remove(seam);
  for (auto all = raw.globalMatch(text); all.hasNext();) found += all.next().captured(1) + " | ";
  for (auto all = literal.globalMatch(text); all.hasNext();) found += all.next().captured(1) + " | ";
  return found;
}

/// Each retired word in `text`, with what stands around it.
QStringList found_in(const QString& text, const QStringList& words) {
  QString plain = text;
  plain.replace("\\-", "-").replace(QRegularExpression("\\s+"), " ");
  QStringList found;
  for (const QString& word : words) {
    const QRegularExpression whole("\\b" + QRegularExpression::escape(word) + "s?\\b",
                                   QRegularExpression::CaseInsensitiveOption);
    for (auto all = whole.globalMatch(plain); all.hasNext();) {
      const QRegularExpressionMatch match = all.next();
      found << QString("'%1' in '%2'").arg(word, plain.mid(std::max<qsizetype>(0, match.capturedStart() - 30), 80));
    }
  }
  return found;
}

/// Lines that write a number with a fraction without the language: files have 9 digits or as many as are needed.
QStringList own_numbers(const QString& source) {
  static const QRegularExpression number("'f', (?!0\\))|'g', (?!9\\)|QLocale::FloatingPointShortest\\))|'e', ");
  return source.split('\n').filter(number);
}

}  // namespace

class WordsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void retired_words_are_gone_data() {
    QTest::addColumn<QString>("text");
    for (const char* path : {"README.md", "docs/guide.md", "docs/carryover.1", "docs/benchmarks.md", "docs/results.md"})
      QTest::newRow(path) << read(path);
    for (const char* folder : {"app", "widgets", "engine/config"}) {
      QString text;
      for (const Source& source : code({folder})) text += literals(source.text);
      QTest::newRow(folder) << text;
    }
  }

  void retired_words_are_gone() {
    QFETCH(QString, text);
    QVERIFY(text.size() > 500);
    const QStringList words = retired_words();
    QVERIFY(words.size() > 10);
    const QStringList found = found_in(text, words);
    QVERIFY2(found.isEmpty(), qPrintable(found.join("\n")));
  }

  /// widgets/look/quantity_text.h has how the window's language writes numbers; axes ask their plot's language.
  void numbers_are_written_in_one_way() {
    QStringList wrong;
    for (const Source& source : code({"widgets", "app/controllers", "app/saved_window", "app/start", "app/window"})) {
      if (source.path == "widgets/look/quantity_text.cpp" || source.path.startsWith("widgets/plot/plot_style."))
        continue;
      for (const QString& line : own_numbers(source.text)) wrong += source.path + ": " + line.trimmed();
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    QCOMPARE(own_numbers(".arg(x, 0, 'f', 3)\n.arg(x, 0, 'f', 0)\nnumber(x, 'g', 9)\nnumber(x, 'g', 4)").size(), 2);
  }

  /// scripts/translations.sh puts new strings in unfinished.
  void every_string_of_a_catalogue_is_translated() {
    for (const Source& catalogue : read_files({"resources/translations"}, {"carryover_*.ts"})) {
      QVERIFY(catalogue.text.contains("<translation>"));
      QVERIFY2(!catalogue.text.contains("type=\"unfinished\""), qPrintable(catalogue.path));
    }
  }

  void a_retired_word_is_found() {
    const QStringList words = retired_words();
    QCOMPARE(found_in("in another number\n  type", words).size(), 1);
    QCOMPARE(found_in("Close cuts", words).size(), 1);
    QCOMPARE(found_in("a dtype, and matmuls", words).size(), 0);
    QCOMPARE(literals("f(\"the run goes \"\n     \"on\");  // says \"anew\"\n// \"desk\"\n").contains("goes on"), true);
    QCOMPARE(literals("// \"desk\"\n").contains("desk"), false);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<WordsTest>};
#include "words_test.moc"
