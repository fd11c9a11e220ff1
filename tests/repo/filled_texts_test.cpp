// SPDX-License-Identifier: GPL-3.0-or-later
// A text with several places is filled in one pass. tr("%1 of %2").arg(name).arg(count) looks for its second place in
// what the first call made of the text: a file with the name "%2" would get the count. filled() and QString::arg() with
// several arguments leave what they insert as it is.
#include <QRegularExpression>
#include <QTest>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::Source;

namespace {

/// Returns the lines, counted from 1, on which a source fills a text that it has filled before: arg() or filled()
/// before arg(), or arg() in the text of filled(). A list of arguments may have lists, literals and comments in it.
QList<qsizetype> filled_twice(const QString& source) {
  static const QRegularExpression twice(
      QLatin1String(R"re(
        (?(DEFINE)
          (?<remark> //[^\n]* | /\*.*?\*/ )
          (?<gap> (?: \s | (?&remark) )*+ )
          (?<literal> R"\(.*?\)" | "(?:[^"\\]|\\.)*+" | (?<=[0-9a-fA-F])'(?=[0-9a-fA-F]) | '(?:[^'\\]|\\.)++' )
          (?<list> \( (?: (?&remark) | (?&literal) | (?&list) | [^()"'/R]++ | [/R] )*+ \) )
        )
        \b(?:arg|filled) (?&gap) (?&list) (?= (?&gap) \. (?&gap) arg (?&gap) \( ) |
        \bfilled (?&gap) \( (?&gap) [\w:]+ (?&gap) (?&list) (?= (?&gap) \. (?&gap) arg (?&gap) \( )
      )re"),
      QRegularExpression::DotMatchesEverythingOption | QRegularExpression::ExtendedPatternSyntaxOption);
  QList<qsizetype> lines;
  for (auto all = twice.globalMatch(source); all.hasNext();)
    lines += source.left(all.next().capturedStart()).count('\n') + 1;
  return lines;
}

}  // namespace

class FilledTextsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void texts_are_filled_in_one_pass() {
    const QList<Source> sources = code({"app", "widgets"});
    QVERIFY(sources.size() > 300);
    QStringList wrong;
    for (const Source& source : sources)
      for (const qsizetype line : filled_twice(source.text))
        wrong += QString("%1:%2").arg(source.path, QString::number(line));
    QVERIFY2(wrong.isEmpty(), qPrintable("filled() fills all places at once: " + wrong.join(", ")));
  }

  void a_text_that_is_filled_twice_is_found() {
    QCOMPARE(filled_twice("QString a;\nQString b = tr(\"%1 of %2\").arg(name).arg(count);"), QList<qsizetype>{2});
    for (const char* text :
         {"tr(\"%1 of %2\")\n    .arg(name)\n    .arg(count)", "tr(\"%1 %2\").arg(f(g(a), (b))).arg(c)",
          "t.arg(a, b)  // of the file's )\n    .arg(c)", "t.arg(\")\").arg(c)", "t.arg(\"\\\")\", u')').arg(c)",
          "t.arg(1'000).arg('\\'')", "t.arg(R\"(\" ()\").arg(c)", "t . arg (a) /* ( */ . arg (b)",
          "t.arg(a, tr(\"%1 %2\").arg(b).arg(c))", "t.arg([] { return f(\"(\"); }()).arg(c)",
          "filled(tr(\"%1 of %2\"), a, b).arg(c)", "filled(\n    Panel::tr(\"%1 (of %2)\").arg(a), b)"})
      QVERIFY2(filled_twice(text).size() == 1, text);
    QCOMPARE(filled_twice("t.arg(a)\n.arg(b)\n.arg(c);"), (QList<qsizetype>{1, 2}));
    for (const char* text :
         {"tr(\"%1\").arg(a) + tr(\"%2\").arg(b)", "t.arg(a, b)", "t.arg(u.arg(a))", "t.arg(u.arg(a), v.arg(b))",
          "filled(tr(\"%1 of %2\"), u.arg(a), v.arg(b))", "t.arg(a).trimmed()", "f(t.arg(a)).arg", "t.args(a).arg(b)"})
      QVERIFY2(filled_twice(text).isEmpty(), text);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<FilledTextsTest>};
#include "filled_texts_test.moc"
