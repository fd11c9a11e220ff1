// SPDX-License-Identifier: GPL-3.0-or-later
// Prompt sets in the window: what its tables show is what the command line computes, an example opens as its run, a
// stopped set continues, and a folder that somebody made to do harm is refused.
#include "widgets/campaigns/prompts_panel.h"

#include <QJsonDocument>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <cmath>

#include "app/window/identity_bar.h"
#include "app/window/message_bar.h"
#include "engine/campaigns/prompts/prompt_results.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "tests/support/cli_process.h"
#include "tests/support/demo_window.h"
#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "widgets/campaigns/prompts_form.h"
#include "widgets/look/quantity_text.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

struct PromptWindow {
  PromptWindow() : panel(static_cast<PromptsPanel&>(*window.docks().panel("prompts"))), prompts(window.lab().prompts) {
    window.resize(1280, 800);
    window.show();
    prompts.process().set_program(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli"));
    window.docks().raise("prompts");
  }
  MainWindow window;
  PromptsPanel& panel;
  PromptsController& prompts;
};

}  // namespace

class PromptsPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void initTestCase() {
    const QString text = QString::fromStdString(read_bytes(demo_text().toStdString()));
    const auto line = [&](const char* name, qsizetype letters, const std::vector<std::string>& tags) {
      return json{{"name", name},
                  {"text", text.left(letters).toStdString()},
                  {"answer", text.mid(letters, 5).toStdString()},
                  {"target", text.mid(40, 6).toStdString()},
                  {"tags", tags}}
                 .dump() +
             "\n";
    };
    const std::string few =
        line("first", 900, {"short"}) + line("second", 1400, {"long"}) + line("third", 1500, {"long"});
    write_bytes(temp_.file("few.jsonl"), few);
    std::string many;
    for (int i = 0; i < 60; ++i) many += line(std::to_string(i).c_str(), 2500 + i, {});
    write_bytes(temp_.file("many.jsonl"), many);
  }

  void the_tables_have_what_the_command_line_computes() {
    PromptWindow lab;
    QVERIFY(!button<QPushButton>(lab.panel, "Run")->isEnabled());  // no model
    open_demo(lab.window, 300);
    run_to_the_end(lab.window);
    QCOMPARE(lab.window.identity().badge(), QString());
    lab.panel.form().set_order({path("few.jsonl"), "random", path("few-window")});
    QTRY_VERIFY(button<QPushButton>(lab.panel, "Run")->isEnabled());
    QVERIFY(!button<QPushButton>(lab.panel, "Stop")->isVisible());
    button<QPushButton>(lab.panel, "Run")->click();
    QTRY_VERIFY(button<QPushButton>(lab.panel, "Stop")->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!lab.prompts.process().running(), patience_ms);
    QTRY_VERIFY_WITH_TIMEOUT(lab.panel.examples().model()->rowCount() == 3 && !lab.panel.said().contains("not all"),
                             patience_ms);
    QVERIFY2(!lab.window.message_bar().isVisible(), qPrintable(lab.window.message_bar().text()));
    QVERIFY2(lab.panel.said().contains("3 examples") && lab.panel.said().contains("against random"),
             qPrintable(lab.panel.said()));

    const SegmentConfig& config = lab.window.lab().context.config();
    const CliResult result =
        run_cli({"run", demo_model(), "--dtype", "fp32", "--prompts", path("few.jsonl"), "--against", "random", "--out",
                 path("few-cli"), "--config", QString::fromStdString(json(config).dump()), "--quiet"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json expected = read_json_file(temp_.file("few-cli") + "/prompts.json");
    const QAbstractItemModel& examples = *lab.panel.examples().model();
    const QAbstractItemModel& slices = *lab.panel.slices().model();
    QCOMPARE(slices.rowCount(), 3);
    int numbers = 0;
    for (int value = 0; value < static_cast<int>(prompt_columns().size()); ++value) {
      const PromptColumn& column = prompt_columns()[static_cast<std::size_t>(value)];
      for (int row = 0; row < 3; ++row) {
        const json& number = expected.at("examples").at(static_cast<std::size_t>(row)).at(column.key);
        const QString shown = examples.index(row, PromptExamplesTable::FirstValue + value).data().toString();
        QCOMPARE(shown, number.is_null() ? QString() : decimal_text(number.get<double>(), column.digits));
        numbers += number.is_null() ? 0 : 1;
        const json& interval = expected.at("slices").at(static_cast<std::size_t>(row)).at(column.key);
        const QString mean = slices.index(row, PromptSlicesTable::FirstValue + value).data().toString();
        QVERIFY(interval.is_null() ? mean.isEmpty()
                                   : mean.startsWith(decimal_text(interval.at("mean").get<double>(), column.digits)));
      }
    }
    QVERIFY(numbers >= 15);
    QCOMPARE(slices.index(1, PromptSlicesTable::Slice).data().toString(), QString("short"));

    const RunLibrary& library = lab.window.lab().context.library();
    const int listed = library.index_of(path("few-window"));
    QVERIFY(listed >= 0);
    QVERIFY(library.run(listed).kind == ListedKind::PromptSet && library.run(listed).standing == Standing::Whole);
    QCOMPARE(library.run(listed).policy, QString("segmented"));

    lab.panel.examples().setCurrentIndex(examples.index(1, 0));
    Q_EMIT lab.panel.examples().doubleClicked(examples.index(1, 0));
    const RunModel& run = lab.window.lab().context.run();
    QTRY_VERIFY_WITH_TIMEOUT(run.summary().nll_mean() == expected.at("examples").at(1).at("loss").get<double>(),
                             patience_ms);
    QVERIFY2(lab.window.identity().badge().contains("few.jsonl"),  // and not of the open text
             qPrintable(lab.window.identity().badge()));
    for (QAction* action : lab.panel.examples().actions())
      if (action->text() == "Open with its control as B") action->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(lab.window.lab().context.comparison() != nullptr, patience_ms);
    const double delta = expected.at("examples").at(1).at("delta_loss").get<double>();  // control − own; below A − B
    const auto change = [&] {
      const RunComparison* comparison = lab.window.lab().context.comparison();
      return comparison ? comparison->total_loss_change().mean().value_or(NAN) : NAN;
    };
    QTRY_VERIFY2_WITH_TIMEOUT(std::abs(change() + delta) < 1e-6, qPrintable(QString("%1 %2").arg(change()).arg(delta)),
                              patience_ms);
  }

  void the_result_of_a_training_goes_by_what_was_trained() {
    LabContext lab;
    PromptsPanel panel(lab);
    auto report = std::make_shared<PromptReport>();
    report->model = "final";
    report->model_path = temp_.file("my-training") + "/final";
    panel.set_report(path("few-window"), report);
    QVERIFY2(panel.said().contains("examples with my-training,"), qPrintable(panel.said()));
  }

  void a_question_pass_is_said_to_be_in_vain() {
    LabContext lab;
    PromptsPanel panel(lab);
    QVERIFY(!panel.said().contains("question pass"));
    SegmentConfig config = lab.config();
    config.question_pass = true;
    config.retrieval_length = 32;
    lab.edit_config(config, "question pass");
    QVERIFY2(panel.said().contains("question pass does not apply"), qPrintable(panel.said()));
    config.retrieval_length = 0;  // the control
    lab.edit_config(config, "no retrieval");
    QVERIFY(!panel.said().contains("question pass"));
  }

  void the_tables_stand_beside_each_other_where_there_is_width() {
    LabContext lab;
    PromptsPanel panel(lab);
    panel.show();
    for (const QSize size : {QSize(1200, 220), QSize(600, 700), QSize(1200, 220)}) {
      panel.resize(size);
      const QWidget &one = panel.examples(), &other = panel.slices();
      QTRY_VERIFY(size.width() > size.height() ? one.geometry().right() < other.x() && one.y() == other.y()
                                               : one.geometry().bottom() < other.y() && one.x() == other.x());
    }
  }

  void a_stopped_set_continues() {
    PromptWindow lab;
    open_demo(lab.window, 300);
    QTRY_VERIFY_WITH_TIMEOUT(lab.window.lab().loader.model().has_value(), patience_ms);
    const PromptOrder order{path("many.jsonl"), {}, path("many")};
    lab.prompts.start(order);
    QTRY_VERIFY_WITH_TIMEOUT(lab.panel.examples().model()->rowCount() > 0, patience_ms);  // while it runs
    lab.prompts.stop();
    QTRY_VERIFY_WITH_TIMEOUT(!lab.prompts.process().running(), patience_ms);
    const int done = static_cast<int>(read_json_file(temp_.file("many") + "/prompts.json").at("examples").size());
    if (done < 60) QTRY_VERIFY_WITH_TIMEOUT(lab.panel.said().contains("not all were run"), patience_ms);
    lab.prompts.start(order);
    QTRY_VERIFY_WITH_TIMEOUT(!lab.prompts.process().running(), patience_ms);
    QTRY_COMPARE_WITH_TIMEOUT(lab.panel.examples().model()->rowCount(), 60, patience_ms);
    QTRY_VERIFY(!lab.panel.said().contains("not all were run"));
    QVERIFY(!lab.window.message_bar().isVisible());
  }

  void a_wrong_file_is_said_with_its_line() {
    PromptWindow lab;
    open_demo(lab.window, 300);
    QTRY_VERIFY_WITH_TIMEOUT(lab.window.lab().loader.model().has_value(), patience_ms);
    write_bytes(temp_.file("wrong.jsonl"), "{\"text\": \"a\"}\n{\"texts\": \"b\"}\n");
    lab.prompts.start({path("wrong.jsonl"), {}, path("wrong")});
    QTRY_VERIFY_WITH_TIMEOUT(lab.window.message_bar().isVisible(), patience_ms);
    QVERIFY2(lab.window.message_bar().text().contains("wrong.jsonl:2"), qPrintable(lab.window.message_bar().text()));
    QVERIFY(button<QPushButton>(lab.panel, "Run")->isEnabled() || !lab.prompts.process().running());
  }

  void a_hostile_folder_is_refused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("named");
    const auto row = [](const char* name, const char* text, const char* named) {
      QTest::newRow(name) << QString(text).replace('\'', '"') << QString(named);
    };
    row("no JSON", "{", "prompts.json");
    row("a list", "[]", "prompts.json");
    row("examples as a text", "{'examples': 'x', 'slices': []}", "examples");
    row("a folder that climbs", "{'examples': [{'name': 'a', 'folder': '../../etc'}], 'slices': []}", "folder");
    row("an absolute folder", "{'examples': [{'name': 'a', 'folder': '/etc'}], 'slices': []}", "folder");
    row("a control that climbs", "{'examples': [{'name': 'a', 'against_folder': 'x/../../y'}], 'slices': []}",
        "against_folder");
    row("a folder with an end in it", "{'examples': [{'name': 'a', 'folder': 'x\\u0000y'}], 'slices': []}", "folder");
    row("a value of text", "{'examples': [{'name': 'a', 'loss': 'low'}], 'slices': []}", "loss");
    row("a tag that is a number", "{'examples': [{'name': 'a', 'tags': [1]}], 'slices': []}", "tags");
    row("a slice without examples", "{'examples': [], 'slices': [{'tag': 'x'}]}", "examples");
    row("half an interval", "{'examples': [], 'slices': [{'tag': 'x', 'examples': 1, 'loss': {'mean': 1}}]}", "loss");
  }
  void a_hostile_folder_is_refused() {
    QFETCH(QString, text);
    QFETCH(QString, named);
    const TempDir folder;
    write_bytes(folder.file("prompts.json"), text.toStdString());
    PromptWindow lab;
    lab.window.open_path(QString::fromStdString(folder.path().string()));
    QTRY_VERIFY_WITH_TIMEOUT(lab.panel.said().contains(named), patience_ms);
    QCOMPARE(lab.panel.examples().model()->rowCount(), 0);
    write_bytes(folder.file("prompts.json"), R"({"examples": [{"name": "<b>x</b>"}], "slices": []})");  // mended
    QTRY_COMPARE_WITH_TIMEOUT(lab.panel.examples().model()->rowCount(), 1, patience_ms);
  }

 private:
  QString path(const char* name) const { return QString::fromStdString(temp_.file(name)); }

  TempDir temp_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PromptsPanelTest>};
#include "prompts_panel_test.moc"
