// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts, on the real engine and the demo: what a hand would do, from a file.
#include <QApplication>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "app/window/script_selection.h"
#include "engine/runs/records/run_reader.h"
#include "tests/support/expect_error.h"
#include "tests/support/gui_test.h"
#include "tests/support/run_script.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temp_dir.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;
using test::run_script;

namespace {

QStringList words(const QString& line) {
  const auto statements = parse_script(line, QStringLiteral("test"));
  return statements.empty() ? QStringList() : statements[0].words;
}

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class ScriptTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void lines_split_as_a_shell_would() {
    QCOMPARE(words("  open   model  a/b.gguf "), QStringList({"open", "model", "a/b.gguf"}));
    QCOMPARE(words("choose memory 'Full attention''s KV' off # why"),
             QStringList({"choose", "memory", "Full attentions KV", "off"}));
    QCOMPARE(words("print \"a \\\"b\\\" \\\\ c\" x#y"), QStringList({"print", "a \"b\" \\ c", "x#y"}));
    QCOMPARE(words("select ''"), QStringList({"select", ""}));
    QVERIFY(words("   # nothing").isEmpty());
    const auto statements = parse_script("a\n\n# b\nc\n", "test");
    QCOMPARE(statements.size(), std::size_t{2});
    QCOMPARE(statements[1].line, 4);
    QCOMPARE(test::unlike(Fault::BadInput, "test:2", [] { parse_script("a\nb 'c", "test"); }), "");
  }

  void mistakes_are_found_before_anything_is_done_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("part");
    QTest::newRow("unknown command") << "opne demo"
                                     << "The commands are open";
    QTest::newRow("too few words") << "show"
                                   << "Write: show PANEL";
    QTest::newRow("too many") << "run now"
                              << "has 1 arguments";
  }
  void mistakes_are_found_before_anything_is_done() {
    QFETCH(QString, line);
    QFETCH(QString, part);
    MainWindow window;
    const auto error = test::error_of(
        [&] { ScriptRunner(window, parse_script("theme light\n" + line, "s.txt"), QStringLiteral("s.txt")); });
    QVERIFY(error && error->fault() == Fault::Usage);
    QVERIFY2(QString(error->what()).contains(part), error->what());
    QVERIFY2(error->where().starts_with("s.txt:2: "), error->what());
  }

  void a_failing_statement_is_named_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("part");
    QTest::newRow("a missing model") << "open model /nowhere/model.gguf"
                                     << "/nowhere/model.gguf";
    QTest::newRow("a missing run") << "open run /nowhere"
                                   << "/nowhere";
    QTest::newRow("a missing prompt set") << "open prompts /nowhere"
                                          << "has no prompts.json";
    QTest::newRow("no model") << "run"
                              << "no model";
    QTest::newRow("no such panel") << "show rug"
                                   << "The panels are grid";
    QTest::newRow("no such figure") << "export figure rug a.pdf"
                                    << "The figures are";
    QTest::newRow("no such suffix") << "export figure loss a.doc"
                                    << "a.doc";
    QTest::newRow("an empty plot") << "export figure loss a.pdf"
                                   << "empty";
    QTest::newRow("no such size") << "export figure loss a.pdf size big"
                                  << "big";
    QTest::newRow("no such switch") << "choose memory Colour on"
                                    << "Logarithmic";
    QTest::newRow("no such item") << "choose retrieval_map 'Colour of the map' red"
                                  << "Colour by density";
    QTest::newRow("no such segment") << "select segment 3"
                                     << "segment";
    QTest::newRow("no such field") << "set colour 3"
                                   << "no model";
    QTest::newRow("nothing to save") << "save x"
                                     << "no run has ended";
  }
  void a_failing_statement_is_named() {
    QFETCH(QString, line);
    QFETCH(QString, part);
    MainWindow window;
    window.show();
    const auto problem = run_script(window, "wait\n# then\n" + line + "\nquit\n");
    QVERIFY(problem.has_value());
    QVERIFY2(problem->where.startsWith("s.txt:3: "), qPrintable(problem->where));
    const QString said = problem->where + problem->problem + problem->advice;
    QVERIFY2(said.contains(part), qPrintable(said));
  }

  void drives_the_window_from_a_model_to_a_figure() {
    const test::TempDir temp;
    const QString folder = QString::fromStdString(temp.path().string());
    MainWindow window;
    window.show();
    const auto problem = run_script(window, QStringLiteral(R"(
set dtype fp32
set tokens 700
open demo
set carry_length 16
set retrieval_length 16
set segment_length 64
run
wait segment 2
wait
select segment most-anchors head first token top-hit
show retrieval_map
choose retrieval_map "Colour of the map" "Colour by density"
choose retrieval_map Padding off
export figure retrieval_map '%1/map.pdf' size 85x60mm style paper
export figure loss %1/loss.png size 40x30mm dpi 100
export figure loss %1/loss.npy
export data hits %1/hits.csv
export data nll %1/nll.npy
export report %1/report.html
export report %1/report.pdf
save %1/run
screenshot hits %1/hits.png
quit
show nothing
)")
                                                .arg(folder));
    QVERIFY2(!problem, problem ? qPrintable(problem->where + ": " + problem->problem + problem->advice) : "");
    LabContext& lab = window.lab().context;
    RunModel& run = lab.run();
    QCOMPARE(run.token_count(), std::int64_t{700});
    QCOMPARE(run.segment_count(), 11);
    const Selection selected = lab.selected();
    const HeadHits* head = run.hits(selected.segment, selected.layer, selected.head);
    QVERIFY(head != nullptr);
    for (const Hit& hit : head->hits)
      if (hit.kind == HitKind::Anchor) {
        const auto top = std::find_if(head->hits.begin(), head->hits.end(),
                                      [&](const Hit& other) { return other.position == selected.token; });
        QVERIFY(top != head->hits.end() && top->kind == HitKind::Anchor && top->score >= hit.score);
      }
    const ReportChecks checks{folder, QString::fromStdString(run.origin().id), run.model().weights_hash};
    checks.figures();
    const QByteArray html = contents(folder + "/report.html");
    QVERIFY(html.contains(QByteArray::fromStdString(run.model().weights_hash)));
    QVERIFY(html.count("data:image/png;base64,") >= 3);
    QVERIFY(html.contains("segment_length"));
    QVERIFY(contents(folder + "/report.pdf").startsWith("%PDF"));
    QCOMPARE(reopen_run(temp.file("run")).segments->count(), 11);
    QVERIFY(!QImage(folder + "/hits.png").isNull());
  }

  void opens_a_prompt_set() {
    const test::TempDir temp;
    test::write_bytes(temp.file("texts.jsonl"),
                      R"({"text": "Here comes May Snow.", "name": "may", "tags": ["short"]})");
    QProcess cli;
    cli.start(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli"),
              {QStringLiteral("run"), QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo"),
               QStringLiteral("--prompts"), QString::fromStdString(temp.file("texts.jsonl")), QStringLiteral("--out"),
               QString::fromStdString(temp.file("set")), QStringLiteral("--quiet")});
    QVERIFY2(cli.waitForFinished(60000) && cli.exitCode() == 0, cli.readAllStandardError().constData());
    MainWindow window;
    window.show();
    const auto problem = run_script(window, "open prompts " + QString::fromStdString(temp.file("set")) + "\nquit\n");
    QVERIFY2(!problem, problem ? qPrintable(problem->problem) : "");
    QTableView* examples = nullptr;
    for (QTableView* table : window.findChildren<QTableView*>())
      if (table->accessibleName() == QStringLiteral("Examples of the prompt set")) examples = table;
    QVERIFY(examples != nullptr);
    QCOMPARE(examples->model()->rowCount(), 1);
    QCOMPARE(examples->model()->index(0, 0).data().toString(), QStringLiteral("may"));
  }

  void an_edit_is_undone() {
    MainWindow window;
    window.show();
    const auto problem = run_script(window, "open demo\nset carry_length 3\nset top_k 5\nundo\n");
    QVERIFY2(!problem, problem ? qPrintable(problem->problem) : "");
    QCOMPARE(window.lab().context.config().carry_length, std::int64_t{3});
    QVERIFY(window.lab().context.config().top_k != 5);
  }

  void words_select_what_they_say() {
    LabContext lab;
    test::synthetic_run(lab.run(), 6, 6, test::synthetic_request(6));
    select_by_words(lab, {"segment", "last", "head", "first"});
    QCOMPARE(lab.selected(), (Selection{5, 3, 0, -1}));
    select_by_words(lab, {"layer", "8", "head", "2", "token", "700"});
    QCOMPARE(lab.selected(), (Selection{5, 8, 2, 700}));
    select_by_words(lab, {"segment", "first"});
    QCOMPARE(lab.selected(), (Selection{0, 8, 2, -1}));
    for (const QStringList& wrong :
         {QStringList{"segment", "6"}, QStringList{"head", "6"}, QStringList{"layer", "-1"},
          QStringList{"token", "99999"}, QStringList{"head", "first"}, QStringList{"token", "top-hit"},
          QStringList{"segment"}, QStringList{"colour", "1"}})
      QCOMPARE(test::unlike(Fault::Usage, "there is no", [&] { select_by_words(lab, wrong); }), "");
  }

 private:
  /// Checks the contents of the figures that the script wrote.
  struct ReportChecks {
    QString folder, id;
    std::string hash;
    void figures() const {
      const QByteArray pdf = contents(folder + "/map.pdf");
      QVERIFY(pdf.contains(id.toUtf8()) && pdf.contains(QByteArray::fromStdString(hash)));
      QVERIFY(pdf.contains("carryover export run-" + id.left(8).toUtf8() + " --figure retrieval_map"));
      const QImage loss(folder + "/loss.png");
      QCOMPARE(loss.size(), QSize(157, 118));
      QVERIFY(loss.text("Source").contains(id) && loss.text("Source").contains("made by: carryover run "));
      QVERIFY(
          contents(folder + "/hits.csv").contains("\nsegment,layer,head,slot,position,kind,score,anchor,summary\n"));
      QVERIFY(contents(folder + "/nll.npy").contains("('nll', '<f4')"));
      QVERIFY(contents(folder + "/loss.npy.json").contains(id.toUtf8()));
    }
  };
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<ScriptTest>};
#include "script_test.moc"
