// SPDX-License-Identifier: GPL-3.0-or-later
// Each type of a program has a name of its own. Two types of one name in different sources are one to the linker, which
// keeps one's members for both; no compiler says so where the sources are not compiled together.
#include <QMap>
#include <QRegularExpression>
#include <QTest>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::Source;

namespace {

/// Returns the text without comments, literals and directives, whose braces and words say nothing.
QString plain(QString text) {
  static const QRegularExpression digits("(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])");
  static const QRegularExpression silent(
      "//[^\\n]*|/\\*.*?\\*/|R\"(\\w*)\\(.*?\\)\\1\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])+'|"
      "^[ \\t]*#(?:\\\\\\n|[^\\n])*",
      QRegularExpression::DotMatchesEverythingOption | QRegularExpression::MultilineOption);
  return text.remove(digits).replace(silent, " ");
}

/// The name of the type that `head`, which stands before a brace, begins to define; empty where it defines none.
QString type_of(QString head) {
  static const QRegularExpression brackets("\\([^()]*\\)|\\[[^\\[\\]]*\\]|\\balignas\\b");
  static const QRegularExpression type(
      "\\b(?:struct|class|union|enum)\\s+(?:class\\s+)?(\\w[\\w:]*(?:\\s*<.*>)?)\\s*(?:final\\s*)?(?::(?!:).*)?$",
      QRegularExpression::DotMatchesEverythingOption);
  for (QString before; before != head;) {
    before = head;
    head.replace(brackets, " ");
  }
  return type.match(head.trimmed()).captured(1).simplified();
}

/// The types that a source defines with external linkage: in namespaces that have names.
QStringList types_of(const QString& source) {
  static const QRegularExpression piece("[{};]|[^{};]+");
  static const QRegularExpression space("\\bnamespace(?:\\s+([\\w:]+))?\\s*$");
  static const QString hidden;  // a function, a type, or a namespace without a name
  QStringList found, open;      // names of the namespaces that are open, or `hidden`
  QString head;
  for (auto pieces = piece.globalMatch(plain(source)); pieces.hasNext();) {
    const QString text = pieces.next().captured();
    if (text == "{") {
      const auto entered = space.match(head);
      const QString type = type_of(head);
      if (!entered.hasMatch() && !type.isEmpty() && !open.contains(hidden))
        found += (open + QStringList{type}).join("::");
      open += entered.hasMatch() ? entered.captured(1) : hidden;
    } else if (text == "}" && !open.isEmpty()) {
      open.removeLast();
    }
    head = text == "{" || text == "}" || text == ";" ? QString() : text;
  }
  return found;
}

/// Returns the program that a file belongs to. A folder of tests is a program. The program "" has the files that are
/// linked into every program, or may be.
QString program_of(const QString& path) {
  return path.startsWith("tests/") && !path.startsWith("tests/support/") ? path.section('/', 0, 1) : QString();
}

/// Each type that two files of one program define, with both.
QStringList twins(const QList<Source>& sources) {
  QMap<QString, QStringList> files;
  for (const Source& source : sources)
    for (const QString& type : types_of(source.text))
      if (!files[type].contains(source.path)) files[type] += source.path;
  QStringList found;
  for (auto each = files.cbegin(); each != files.cend(); ++each)
    for (qsizetype i = 0; i < each->size(); ++i)
      for (qsizetype j = 0; j < i; ++j) {
        const QString a = program_of(each->at(i)), b = program_of(each->at(j));
        if (a == b || a.isEmpty() || b.isEmpty())
          found += QString("%1: %2 and %3").arg(each.key(), each->at(j), each->at(i));
      }
  return found;
}

}  // namespace

class OneDefinitionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void each_type_has_a_name_of_its_own() {
    QList<Source> sources = code();
    sources.removeIf([](const Source& source) {
      return source.path.startsWith("engine/tokenizers/absent/");  // is compiled in place of other files
    });
    qsizetype types = 0;
    for (const Source& source : sources) types += types_of(source.text).size();
    QVERIFY(types > 1000);
    const QStringList found = twins(sources);
    QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
  }

  void a_second_definition_is_found() {
    const QString first = "namespace carryover {\nstruct Reply {\n  int code = 0;\n};\n}  // namespace carryover\n";
    const QString again = "namespace carryover {\nvoid f() {}\nclass Reply final : public Base<int> {};\n}\n";
    const QString nested = "namespace carryover {\nnamespace serve { enum class Reply : int { Ok }; }\n}\n";
    const auto found = [&](const QString& path, const QString& text) {
      return twins({{"engine/api/a.h", first}, {path, text}});
    };
    QCOMPARE(found("app/serve/b.cpp", again), QStringList{"carryover::Reply: engine/api/a.h and app/serve/b.cpp"});
    QCOMPARE(found("tests/serve/b_test.cpp", again).size(), 1);
    QVERIFY(found("app/serve/b.cpp", nested).isEmpty());
    QVERIFY(found("app/serve/b.cpp", "namespace carryover { class Reply; Reply* r; enum Reply f(); }").isEmpty());
    QVERIFY(found("app/serve/b.cpp", "namespace carryover { namespace { struct Reply {}; } }").isEmpty());
    QVERIFY(found("app/serve/b.cpp", "namespace carryover { void f() { struct Reply {}; } }").isEmpty());
    QVERIFY(twins({{"tests/serve/a_test.cpp", first}, {"tests/tasks/b_test.cpp", again}}).isEmpty());
    QCOMPARE(twins({{"tests/serve/a_test.cpp", first}, {"tests/serve/b_test.cpp", again}}).size(), 1);
  }

  void types_are_found_among_other_text() {
    QCOMPARE(types_of("template <class T, int n>\nstruct alignas(sizeof(T) * n < 16 ? n : 16) Pack {};"),
             QStringList{"Pack"});
    QCOMPARE(types_of("namespace a::b { template <> struct hash<Key> { int x; }; }"), QStringList{"a::b::hash<Key>"});
    QCOMPARE(
        types_of("#define OPEN {\n// struct A {\nconst char* a = \"{\"; char b = '{'; int c = 1'000;\nunion U {};"),
        QStringList{"U"});
    QVERIFY(types_of("struct A f(struct B b) { return {}; }\nconst struct { int a; } c{};").isEmpty());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<OneDefinitionTest>};
#include "one_definition_test.moc"
