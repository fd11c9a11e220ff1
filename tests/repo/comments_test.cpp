// SPDX-License-Identifier: GPL-3.0-or-later
// Comments are sentences, which a reader understands without the code below them. A comment that opens with a word such
// as "Whether" is a fragment of one.
#include <QRegularExpression>
#include <QTest>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::Source;

namespace {

/// Returns each line on which a comment opens as a fragment does, behind its number, which counts from 1. Lines of
/// nothing but comments that follow each other are one comment; a comment behind code is one by itself. A what-if is a
/// term.
QStringList fragments(const QString& source) {
  static const QString opening("///?<?\\s?(What(?!-if)|Of|Whether|Where|That)\\b");
  static const QRegularExpression comment("^\\s*//"), whole("^\\s*" + opening), behind("[;{,)}]\\s*" + opening);
  const QStringList lines = source.split('\n');
  QStringList found;
  bool was_comment = false;
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const bool is_comment = lines[i].contains(comment);
    if (is_comment ? !was_comment && lines[i].contains(whole) : lines[i].contains(behind))
      found += QString("%1: %2").arg(i + 1).arg(lines[i].trimmed());
    was_comment = is_comment;
  }
  return found;
}

}  // namespace

class CommentsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void comments_are_sentences() {
    const QList<Source> sources = code();
    QVERIFY(sources.size() > 1000);
    QStringList found;
    for (const Source& source : sources)
      for (const QString& line : fragments(source.text)) found += source.path + ":" + line;
    QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
  }

  /// The texts have # in place of two slashes, so that this file has no fragment itself.
  void a_fragment_is_found() {
    const auto found = [](const QString& text) { return fragments(QString(text).replace("#", "//")); };
    QCOMPARE(found("int a;\n\n  #/ Of all heads,\n  #/ by layer.\nint b;"), QStringList{"3: /// Of all heads,"});
    for (const char* text :
         {"# What it holds.", "#/ Whether it ends.\nbool ends();", "int a;  #/< Where it is", "f(a,  # That is read",
          "void f() {  # Of the last one", "}  # What follows", "int a;  #/< a place\n#/ What it holds."})
      QVERIFY2(found(text).size() == 1, text);
    for (const char* text : {"#/ Returns the number of heads.\n#/ Of two it returns the first.",
                             "#/ Whatever it is for.", "#/ What-ifs of a run.", "int a;  #/< number of heads",
                             "int What;  #/< size; Of no use", "f(\"What # Of\");"})
      QVERIFY2(found(text).isEmpty(), text);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CommentsTest>};
#include "comments_test.moc"
