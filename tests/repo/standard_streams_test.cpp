// SPDX-License-Identifier: GPL-3.0-or-later
// Names and texts of files reach a terminal through two functions alone, which spell what would control it: print() for
// standard output and print_error_line() for standard error.
#include <QRegularExpression>
#include <QTest>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::Source;

namespace {

const QStringList writers{"app/cli/output.cpp", "engine/base/terminal_text.cpp"};

QStringList writes(const QString& source) {
  static const QRegularExpression write(
      "\\bstd::(cout|cerr|clog)\\b|\\bstderr\\b|\\bstdout\\b|\\b(printf|puts|putchar|perror)\\s*\\(|"
      "\\bwrite\\(STD(OUT|ERR)_FILENO|\\bwrite\\([12],");
  static const QRegularExpression comment("//[^\\n]*|\"(?:[^\"\\\\\\n]|\\\\.)*\"");  // and text in quotes
  QStringList found;
  QString text = source;
  text.remove(comment);
  for (auto all = write.globalMatch(text); all.hasNext();) found << all.next().captured();
  return found;
}

}  // namespace

class StandardStreamsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void nothing_else_writes_to_them() {
    QStringList found;
    for (const Source& source : code({"app", "engine", "kernels", "widgets"}))
      if (!writers.contains(source.path))
        for (const QString& write : writes(source.text)) found << source.path + ": " + write;
    QVERIFY2(found.isEmpty(), qPrintable("Call print() or print_error_line(): " + found.join("; ")));
    for (const QString& writer : writers) QVERIFY(!writes(carryover::test::read(writer)).isEmpty());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<StandardStreamsTest>};
#include "standard_streams_test.moc"
