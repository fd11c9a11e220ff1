// SPDX-License-Identifier: GPL-3.0-or-later
// docs/paper_map.md is true: what it names exists, and each label of the paper that a comment uses stands in it.
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::read;
using carryover::test::root;
using carryover::test::Source;

namespace {

QStringList matches(const QString& text, const char* pattern) {
  QStringList found;
  for (auto all = QRegularExpression(pattern).globalMatch(text); all.hasNext();) found.append(all.next().captured(1));
  return found;
}

QStringList quoted(const QString& text) {
  return matches(text, "`([^`]+)`");
}
QStringList labels(const QString& text) {
  return matches(text, "\\b((?:eq|app|sec|subsec|def|lem|thm|cor|tab|fig):[A-Za-z][A-Za-z0-9_-]*)");
}

bool is_file(const QString& name) {
  return QRegularExpression("/.*\\.(h|cpp|cu|sh|py|md)$").match(name).hasMatch();
}
bool is_test(const QString& name) {
  static const QRegularExpression pattern("^[a-z]+/[a-z0-9_]+(::[a-z0-9_]+)?$");
  return pattern.match(name).hasMatch() && QFile::exists(root.filePath("tests/" + name.section('/', 0, 0)));
}

/// Says why a name of the map is wrong; empty if it is right.
QString problem_of(const QString& name) {
  if (is_file(name)) return QFile::exists(root.filePath(name)) ? QString() : name + " does not exist";
  if (!is_test(name)) return {};
  const QString path = QString("tests/%1_test.cpp").arg(name.section("::", 0, 0));
  if (!QFile::exists(root.filePath(path))) return QString("%1: there is no %2").arg(name, path);
  const QString function = name.section("::", 1);
  const bool there = function.isEmpty() || matches(read(path), "void ([a-z0-9_]+)\\(").contains(function);
  return there ? QString() : QString("%1 has no %2()").arg(path, function);
}

/// Cells of each row of the tables of one section, without heads.
QList<QStringList> rows(const QString& map, const QString& section) {
  QList<QStringList> found;
  const QString text = map.section("\n## " + section + "\n", 1).section("\n## ", 0, 0);
  for (const QString& line : text.split('\n')) {
    if (!line.startsWith("| ") || line.startsWith("| label |")) continue;
    QStringList cells = line.split('|');
    cells.removeFirst();
    cells.removeLast();
    found.append(cells);
  }
  return found;
}

/// Every label of the paper's LaTeX source.
const QStringList paper_labels =
    QStringLiteral(
        "app:add_exp app:add_imp app:attention app:chain-rule app:graph-proof app:head-grouping "
        "app:longbench-nsa app:nograd app:retrieval app:rope app:tbptt cor:alignment def:LK def:semantics "
        "eq:LK eq:LK-grad eq:adjoint eq:attn eq:ctx eq:forward eq:one-term-grad eq:seg-loss "
        "eq:truncated-base eq:truncated-update fig:execution fig:layer_heads fig:ppl fig:prefill_mem "
        "fig:prefill_scaling fig:time_memory_tradeoff lem:nograd-retrieval sec:ablation sec:complexity "
        "sec:consistency sec:efficiency subsec:arch subsec:objective subsec:theorem tab:capacity_longbench "
        "tab:capacityppl tab:head-grouping tab:longbench tab:longbenchv2 tab:longrange_longbench "
        "tab:longrange_ppl tab:ruler tab:standard-longbench-nsa tab:tbptt_ablation tab:tbptt_ppl "
        "thm:tbptt-exact ")
        .split(' ', Qt::SkipEmptyParts);

}  // namespace

class PaperMapTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    map_ = read("docs/paper_map.md");
    QVERIFY(!map_.isEmpty());
  }

  void what_it_names_exists() {
    const QStringList names = quoted(map_);
    QVERIFY(std::count_if(names.begin(), names.end(), is_file) > 30);
    QVERIFY(std::count_if(names.begin(), names.end(), is_test) > 30);
    QStringList wrong;
    for (const QString& name : names)
      if (const QString problem = problem_of(name); !problem.isEmpty()) wrong.append(problem);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void what_is_here_has_code_and_a_test() {
    const QList<QStringList> here = rows(map_, "What is implemented");
    QVERIFY(here.size() >= 12);
    QStringList wrong;
    for (const QStringList& cells : here) {
      QCOMPARE(cells.size(), 4);
      const QStringList files = quoted(cells[2]), tests = quoted(cells[3]);
      const bool complete = labels(cells[0]).size() == 1 && !files.isEmpty() && !tests.isEmpty() &&
                            std::all_of(files.begin(), files.end(), is_file) &&
                            std::all_of(tests.begin(), tests.end(), is_test);
      if (!complete) wrong.append(cells.join('|'));
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void each_label_has_one_place() {
    QStringList listed;
    for (const char* section : {"What is implemented", "The paper's experiments"})
      for (const QStringList& cells : rows(map_, section)) listed += labels(cells[0]);
    QVERIFY(listed.size() >= 30);
    QCOMPARE(QSet<QString>(listed.begin(), listed.end()).size(), listed.size());
  }

  void every_label_of_the_paper_has_a_place() {
    QCOMPARE(paper_labels.size(), 50);
    const QStringList listed = labels(map_);
    QStringList missing;
    for (const QString& label : paper_labels)
      if (!listed.contains(label)) missing.append(label);
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(' ')));
  }

  /// An error of the authors' code is one row, with the code that avoids it and a test.
  void each_error_has_a_test() {
    const QList<QStringList> errors = rows(map_, "Errors of the authors' published code that this one must not have");
    QVERIFY(errors.size() >= 8);
    for (const QStringList& cells : errors) {
      if (cells[0].contains("the error")) continue;
      const QStringList tests = quoted(cells.value(3));
      QVERIFY2(!tests.isEmpty() && std::all_of(tests.begin(), tests.end(), is_test), qPrintable(cells.join('|')));
    }
  }

  void labels_of_comments_are_in_the_map() {
    const QStringList listed = labels(map_);
    QStringList wrong;
    int used = 0;
    for (const Source& source : code()) {
      if (source.path == "tests/repo/paper_map_test.cpp") continue;  // has wrong labels on purpose
      for (const QString& label : labels(source.text)) {
        ++used;
        if (!listed.contains(label)) wrong.append(source.path + ": " + label);
      }
    }
    QVERIFY(used > 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  /// The checks above catch what they should.
  void wrong_names_are_caught() {
    QVERIFY(!problem_of("engine/method/no_such_file.cpp").isEmpty());
    QVERIFY(!problem_of("core/no_such_test").isEmpty());
    QVERIFY(!problem_of("core/cost_model::no_such_function").isEmpty());
    QVERIFY(problem_of("core/cost_model::absurd_lengths_do_not_wrap").isEmpty());
    QCOMPARE(labels("F_θ (eq:forwrd), std::string, app::main, lem:x-y."), QStringList({"eq:forwrd", "lem:x-y"}));
  }

 private:
  QString map_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PaperMapTest>};
#include "paper_map_test.moc"
