// SPDX-License-Identifier: GPL-3.0-or-later
// The view of an evaluation: a folder that grows, samples that open as the runs they were, and a form whose command is
// what `carryover eval` reads.
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/window/evaluation_dialog.h"
#include "app/window/task_tree.h"
#include "engine/campaigns/evaluations/evaluated_samples.h"
#include "engine/campaigns/evaluations/sample_run.h"
#include "engine/formats/json_file.h"
#include "engine/formats/sha256.h"
#include "engine/tasks/task_table.h"
#include "tests/support/cli_process.h"
#include "tests/support/demo_evaluation.h"
#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "tests/support/run_script.h"
#include "tests/support/settle.h"
#include "tests/support/temp_dir.h"
#include "widgets/campaigns/evaluation_plot.h"
#include "widgets/campaigns/evaluation_samples_view.h"
#include "widgets/campaigns/evaluations_panel.h"
#include "widgets/controls/panel_controls.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/state/needle_finds.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

/// A folder of the demo's samples, with answers that are made up: every third one is wrong.
struct DemoFolder {
  explicit DemoFolder(const std::string& path, const EvaluationPlan& wanted = demo_evaluation())
      : out(path), task(make_task("recall/names")) {
    fs::create_directories(out);
    plan = begin_evaluation(out, wanted);
    for (const std::string& policy : plan.policies) fs::create_directories(policy_folder(plan, out, policy));
    samples = evaluated_samples(plan, *task, 512, Tokenizer::load(plan.model));
  }
  std::string journal() const {
    return journal_path(policy_folder(plan, out, "segmented"), cell_key("recall/names", 512));
  }
  SampleEntry entry(std::size_t n) const {
    const TaskSample& sample = samples[n];
    SampleEntry made;
    made.id = sample.id;
    made.slice = sample.slice;
    made.prompt_hash = sha256(prompt_text(sample, {}).text);
    made.text = n % 3 == 0 ? " nobody" : " " + sample.references.front();
    made.scores = {{"string_match", n % 3 == 0 ? 0.0 : 1.0}};
    made.tokens = 500;
    made.visible_bytes = 1'000'000;
    made.resident_bytes = 2'000'000;
    made.prefill_seconds = 0.5;
    return made;
  }
  std::string out;
  std::unique_ptr<const Task> task;
  EvaluationPlan plan;
  std::vector<TaskSample> samples;
};

struct EvaluationWindow {
  EvaluationWindow() {
    window.resize(1024, 700);
    window.show();
    window.docks().raise("evaluations");
    evaluations.process().set_program(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli"));
  }
  int cell_rows() const { return panel.table().model()->rowCount(); }
  int sample_rows() const { return panel.samples().table().model()->rowCount(); }
  QString cell(int row, int column) const { return panel.table().model()->index(row, column).data().toString(); }
  QString sample(int row, int column) const {
    return panel.samples().table().model()->index(row, column).data().toString();
  }
  void select(int row, int column) { panel.table().setCurrentIndex(panel.table().model()->index(row, column)); }

  MainWindow window;
  EvaluationController& evaluations = window.lab().evaluations;
  EvaluationModel& model = evaluations.model();
  EvaluationsPanel& panel = *static_cast<EvaluationsPanel*>(window.docks().panel("evaluations"));
};

constexpr int first_policy = EvaluationCellsTable::FirstPolicy;

}  // namespace

class EvaluationsViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }
  void the_first_note_names_what_is_evaluated();
  void the_table_follows_the_folder();
  void what_is_wrong_is_said();
  void a_sample_opens_as_a_run();
  void references_are_made_again();
  void what_was_asked_of_another_evaluation_does_not_come();
  void needles_are_looked_for_among_hits();
  void scores_stand_against_bytes();
  void the_form_says_what_is_wrong();
  void the_form_keeps_policies_with_settings();
  void the_form_asks_for_what_the_command_reads();
  void tables_are_written();
  void a_script_opens_it();

 private:
  TempDir temp_;
};

void EvaluationsViewTest::the_first_note_names_what_is_evaluated() {
  EvaluationWindow lab;
  lab.evaluations.process().set_program(QStringLiteral("true"));
  QStringList notes;
  connect(&lab.window.lab().context, &LabContext::noted, this, [&](const QString& note, bool) { notes += note; });
  EvaluationRequest request{demo_evaluation(), temp_.file("noted"), 0};
  for (const std::string adapter : {"", "/adapters/one"}) {
    notes.clear();
    request.plan.adapter = adapter;
    lab.evaluations.start(request);
    QVERIFY2(notes.value(0).contains(QString::fromStdString(request.plan.model)) &&
                 notes.value(0).contains(QString::fromStdString(adapter)) &&
                 notes.value(0).contains(u'+') != adapter.empty(),
             qPrintable(notes.join(u'\n')));
    QTRY_VERIFY_WITH_TIMEOUT(!lab.evaluations.process().running(), patience_ms);
  }
}

void EvaluationsViewTest::the_table_follows_the_folder() {
  const DemoFolder folder(temp_.file("live"));
  EvaluationWindow lab;
  lab.evaluations.open(QString::fromStdString(folder.out));
  QTRY_COMPARE(lab.cell_rows(), 2);
  QCOMPARE(lab.cell(1, EvaluationCellsTable::Task), QStringLiteral("recall/names"));
  QVERIFY(lab.cell(1, first_policy).isEmpty());
  lab.select(1, first_policy);
  {
    SampleJournal journal(folder.journal());
    for (std::size_t n = 0; n < 3; ++n) journal.append(folder.entry(n));
  }
  QTRY_COMPARE(lab.sample_rows(), 3);
  QVERIFY2(lab.cell(1, first_policy).startsWith(QStringLiteral("0.667 (n = 3)")),
           qPrintable(lab.cell(1, first_policy)));
  QVERIFY2(lab.cell(1, first_policy).contains(QStringLiteral("3 of 14")), qPrintable(lab.cell(1, first_policy)));
  QVERIFY(lab.cell(0, first_policy).isEmpty() && lab.cell(1, first_policy + 1).isEmpty());

  const std::string line = json_text(entry_json(folder.entry(3))) + "\n";
  const auto append = [&](const std::string& text) {
    std::ofstream(folder.journal(), std::ios::app | std::ios::binary) << text;
  };
  append(line.substr(0, line.size() / 2));
  QTest::qWait(1200);  // two looks
  QCOMPARE(lab.sample_rows(), 3);
  append(line.substr(line.size() / 2));
  QTRY_COMPARE(lab.sample_rows(), 4);

  auto* wrong = button<QToolButton>(lab.panel, EvaluationSamplesView::tr("Wrong only"));
  QVERIFY(wrong);
  wrong->click();
  QCOMPARE(lab.sample_rows(), 2);
  for (int row = 0; row < 2; ++row) QCOMPARE(lab.sample(row, EvaluationSamplesTable::Answer), QStringLiteral("nobody"));
  SampleEntry failed = folder.entry(4);
  failed.error = "it was too long";
  append(json_text(entry_json(failed)) + "\n");
  QTRY_COMPARE(lab.sample_rows(), 3);
  QCOMPARE(lab.sample(2, EvaluationSamplesTable::Problem), QStringLiteral("it was too long"));
  QTRY_VERIFY(lab.panel.said().contains(EvaluationsPanel::tr("failed samples: %1").arg(1)));

  auto* value = box_with(lab.panel, EvaluationModel::title(EvaluationValue::ResidentKv));
  QVERIFY(value);
  value->setCurrentText(EvaluationModel::title(EvaluationValue::ResidentKv));
  QVERIFY2(lab.cell(1, first_policy).startsWith(QStringLiteral("2.00")), qPrintable(lab.cell(1, first_policy)));
  lab.panel.catch_up();
  QVERIFY(lab.panel.plots()[0]->csv().contains(QStringLiteral("\"recall/names\",512,\"segmented\",2,")));
  QVERIFY(!lab.panel.plots()[1]->is_empty());  // distances are slices

  RunLibrary& library = lab.window.lab().context.library();
  const QString place = QString::fromStdString(folder.out);
  QVERIFY(library.index_of(place) >= 0);
  QVERIFY(library.run(library.index_of(place)).kind == ListedKind::Evaluation);
  QVERIFY(library.run(library.index_of(place)).standing == Standing::Partial);
  QVERIFY(library.run(library.index_of(place)).resumable);
  lab.evaluations.open(QString::fromStdString(temp_.file("another")));
  lab.window.lab().library.open(place);
  QTRY_COMPARE(lab.cell_rows(), 2);
}

void EvaluationsViewTest::what_is_wrong_is_said() {
  const DemoFolder folder(temp_.file("wrong"));
  EvaluationWindow lab;
  std::ofstream(folder.journal(), std::ios::binary) << "[]\n";
  lab.evaluations.open(QString::fromStdString(folder.out));
  QTRY_VERIFY2(lab.panel.said().contains(QStringLiteral(".jsonl:1")), qPrintable(lab.panel.said()));
  QCOMPARE(lab.cell_rows(), 2);
  lab.evaluations.open(QString::fromStdString(temp_.file("nowhere")));
  QTRY_VERIFY2(lab.panel.said().contains(QStringLiteral("evaluation.json")), qPrintable(lab.panel.said()));
  QCOMPARE(lab.cell_rows(), 0);
  QVERIFY(!lab.panel.grab().isNull());
}

/// No model is open: it opens, and reads what was evaluated, under that policy, to the token.
void EvaluationsViewTest::a_sample_opens_as_a_run() {
  const DemoFolder folder(temp_.file("opens"));
  {
    SampleJournal journal(folder.journal());
    for (std::size_t n = 0; n < 3; ++n) journal.append(folder.entry(n));
  }
  EvaluationWindow lab;
  lab.evaluations.open(QString::fromStdString(folder.out));
  QTRY_COMPARE(lab.cell_rows(), 2);
  lab.select(1, first_policy);
  QTRY_COMPARE(lab.sample_rows(), 3);
  QTableView& samples = lab.panel.samples().table();
  samples.setCurrentIndex(samples.model()->index(1, 0));
  samples.setFocus();
  QSignalSpy ended(&lab.window.lab().runs, &RunController::run_ended);
  QTest::keyClick(&samples, Qt::Key_Return);
  QVERIFY(ended.wait(patience_ms));
  const RunModel& run = lab.window.lab().context.run();
  const auto tokenizer = Tokenizer::load(folder.plan.model);
  const SampleRun wanted = sample_run(*folder.task, folder.samples[1], folder.entry(1), {}, *tokenizer, false);
  QVERIFY(*run.request().ids == wanted.ids);
  QCOMPARE(run.request().policy, std::string("segmented"));
  QVERIFY(run.request().config == folder.plan.config);
  QCOMPARE(tokenizer->decode({run.request().ids->begin() + wanted.answer.first, run.request().ids->end()}),
           folder.entry(1).text);
  QCOMPARE(lab.window.lab().context.selected().token, wanted.answer.first);
  QCOMPARE(wanted.needles.size(), std::size_t{1});
  std::string needle;
  for (std::int64_t at = wanted.needles[0].first; at < wanted.needles[0].last; ++at)
    needle += tokenizer->bytes(wanted.ids[static_cast<std::size_t>(at)]);
  QVERIFY2(needle.find(folder.samples[1].needles.front()) != std::string::npos, needle.c_str());
  QTRY_VERIFY(!lab.panel.samples().needle_said().isEmpty());
  QVERIFY2(lab.panel.samples().needle_said().contains(needle_text(run, wanted.needles, wanted.answer)),
           qPrintable(lab.panel.samples().needle_said()));
}

void EvaluationsViewTest::references_are_made_again() {
  const DemoFolder folder(temp_.file("references"));
  {
    SampleJournal journal(folder.journal());
    for (std::size_t n = 0; n < 3; ++n) journal.append(folder.entry(n));
  }
  EvaluationWindow lab;
  lab.evaluations.open(QString::fromStdString(folder.out));
  QTRY_COMPARE(lab.cell_rows(), 2);
  lab.select(1, first_policy);
  QTRY_COMPARE(lab.sample_rows(), 3);
  QVERIFY(lab.sample(1, EvaluationSamplesTable::Reference).isEmpty());
  button<QToolButton>(lab.panel, EvaluationSamplesView::tr("References"))->click();
  QTRY_VERIFY(!lab.sample(1, EvaluationSamplesTable::Reference).isEmpty());
  for (int row = 0; row < 3; ++row)
    QVERIFY(lab.sample(row, EvaluationSamplesTable::Reference)
                .contains(QString::fromStdString(folder.samples[static_cast<std::size_t>(row)].references.front())));
}

/// Rows of both have the same names.
void EvaluationsViewTest::what_was_asked_of_another_evaluation_does_not_come() {
  EvaluationPlan other = demo_evaluation();
  other.seed += 1;
  const DemoFolder first(temp_.file("asked first")), second(temp_.file("opened then"), other);
  QVERIFY(first.samples[0].references != second.samples[0].references);
  {
    SampleJournal journal(first.journal());
    journal.append(first.entry(0));
  }
  constexpr int a_while_ms = 700;
  EvaluationWindow lab;
  const auto open = [&](const DemoFolder& folder) {
    lab.evaluations.open(QString::fromStdString(folder.out));
    QTRY_COMPARE(lab.model.rows(), 2);
  };
  open(first);
  lab.evaluations.make_references(1);
  open(second);
  QVERIFY(!QTest::qWaitFor([&] { return !lab.model.references(1).empty(); }, a_while_ms));
  lab.evaluations.make_references(1);
  QTRY_VERIFY(!lab.model.references(1).empty());
  QVERIFY2(lab.model.references(1)[0].find(second.samples[0].references.front()) != std::string::npos,
           lab.model.references(1)[0].c_str());

  open(first);
  QTRY_VERIFY(lab.model.rows() == 2 && lab.model.cell(1, 0).entries.size() == 1);
  lab.evaluations.open_sample(1, 0, 0);
  open(second);
  const ModelLoader& loader = lab.window.lab().loader;
  QVERIFY(!QTest::qWaitFor([&] { return loader.loading() || loader.model(); }, a_while_ms));
}

/// On the demo's own hits: what a segment read is found, whatever that is, and nothing else.
void EvaluationsViewTest::needles_are_looked_for_among_hits() {
  MainWindow window;
  open_demo(window, 1200);
  run_to_the_end(window);
  const RunModel& run = window.lab().context.run();
  const int last = run.segment_count() - 1;
  const auto& columns = run.hit_index().columns();
  QVERIFY(!columns.empty() && last > 1);
  int looked = 0;
  for (const HitIndex::Column& column : columns)
    for (const BriefHit& hit : column.of(last)) {
      if (!hit.is_evidence() || ++looked > 20) continue;
      const std::vector<TokenRange> needle{{hit.position(), hit.position() + 1}, {hit.position(), hit.position() + 1}};
      QCOMPARE(findable_tokens(run, last, needle), std::int64_t{1});  // each token once
      for (const NeedleFind& find : needle_finds(run, last, needle)) {
        const BriefHits hits = run.hit_index().of(last, find.layer, find.head);
        const bool there = std::ranges::any_of(
            hits, [&](const BriefHit& each) { return each.is_evidence() && each.position() == hit.position(); });
        QCOMPARE(find.found, there ? 1 : 0);
      }
    }
  QVERIFY(looked > 0);
  const std::int64_t start = run.tokens_after(last - 1);
  QCOMPARE(segment_of_answer(run, {start + 1, start + 3}), last);
  QCOMPARE(segment_of_answer(run, {start, start + 3}), last - 1);  // which predicts it
  QCOMPARE(findable_tokens(run, last, {{start, start + 4}}), std::int64_t{0});
}

/// The figure shows the task, or the means of tasks; the switches that `export` sets choose what a click in the table
/// does.
void EvaluationsViewTest::scores_stand_against_bytes() {
  EvaluationPlan plan = demo_evaluation();
  plan.tasks = {"recall/names", "passkey"};
  plan.policies = {"segmented", "segmented[retrieval_length=0]"};
  const std::string out = temp_.file("bytes");
  fs::create_directories(out);
  plan = begin_evaluation(out, plan);
  for (std::size_t column = 0; column < 2; ++column) {
    const std::string folder = policy_folder(plan, out, plan.policies[column]);
    fs::create_directories(folder);
    for (const std::string& task : plan.tasks)
      for (const std::int64_t length : plan.lengths) {
        SampleJournal journal(journal_path(folder, cell_key(task, length)));
        for (int n = 0; n < 4; ++n) {
          SampleEntry entry;
          entry.id = std::to_string(n);
          entry.slice = "distance 1";
          entry.scores = {{"string_match", task == "passkey" || (column == 0 && n > 0) ? 1.0 : 0.0}};
          entry.visible_bytes = length * 1000 + static_cast<std::int64_t>(column);
          journal.append(entry);
        }
      }
  }
  EvaluationWindow lab;
  lab.evaluations.open(QString::fromStdString(out));
  QTRY_COMPARE(lab.cell_rows(), 4);
  lab.panel.catch_up();
  PlotView& frontier = *lab.panel.plots()[2];
  QCOMPARE(frontier.id(), QStringLiteral("evaluation_frontier"));
  QVERIFY2(frontier.csv().contains(QStringLiteral("\"recall/names\",\"segmented\",512,512000,0.75,")),
           qPrintable(frontier.csv()));
  QVERIFY(frontier.csv().contains(QStringLiteral("\"segmented[retrieval_length=0]\",256,256001,0,,,4")));
  QCOMPARE(frontier.csv().count(u'\n'), 5);
  const auto choose = [&](const QString& control, const QString& value) {
    set_panel_control(lab.panel, control, value);
    lab.panel.catch_up();
  };
  choose(EvaluationPlot::tr("Figure"), EvaluationPlot::tr("By KV bytes, mean of tasks"));
  QVERIFY2(frontier.csv().contains(QStringLiteral(",\"segmented\",512,512000,0.875,")), qPrintable(frontier.csv()));
  choose(EvaluationPlot::tr("Task"), QStringLiteral("passkey"));
  choose(EvaluationPlot::tr("Figure"), EvaluationPlot::tr("By KV bytes"));
  QVERIFY2(frontier.csv().contains(QStringLiteral("\"passkey\",\"segmented\",512,512000,1,")),
           qPrintable(frontier.csv()));
  frontier.request_replot();
  QVERIFY(frontier.view().top() == 0 && frontier.view().bottom() == 1);  // an axis of shares
  QCOMPARE(lab.panel.table().currentIndex().row(), 2);
  choose(EvaluationPlot::tr("Policy"), QStringLiteral("segmented[retrieval_length=0]"));
  QCOMPARE(lab.panel.table().currentIndex().column(), first_policy + 1);
}

void EvaluationsViewTest::the_form_says_what_is_wrong() {
  EvaluationDialog dialog;
  QVERIFY(!dialog.problem().isEmpty() && dialog.command_line().isEmpty());
  EvaluationRequest good{demo_evaluation(), temp_.file("form out"), 0};
  dialog.set_request(good);
  QCOMPARE(dialog.problem(), QString());
  QVERIFY(plan_difference(dialog.request().plan, good.plan).empty());
  QVERIFY2(dialog.command_line().contains(QStringLiteral("form out")), qPrintable(dialog.command_line()));
  const auto wrong = [&](auto change, const QString& part) {
    EvaluationRequest request = good;
    change(request.plan);
    dialog.set_request(request);
    QVERIFY2(dialog.problem().contains(part), qPrintable(dialog.problem()));
    QVERIFY(dialog.command_line().isEmpty());
  };
  wrong([](EvaluationPlan& plan) { plan.tasks.clear(); }, EvaluationDialog::tr("Tasks"));
  wrong([](EvaluationPlan& plan) { plan.policies.clear(); }, EvaluationDialog::tr("Policies"));
  wrong([](EvaluationPlan& plan) { plan.tasks = {"ppl/disjoint"}; }, QStringLiteral("ppl/disjoint"));
  wrong([](EvaluationPlan& plan) { plan.tasks = {"file:/nowhere.jsonl"}; }, QStringLiteral("/nowhere.jsonl"));
  wrong([](EvaluationPlan& plan) { plan.model.clear(); }, EvaluationDialog::tr("open a model first"));
  dialog.set_request(good);
  for (QLineEdit* field : dialog.findChildren<QLineEdit*>())
    if (field->accessibleName() == EvaluationDialog::tr("Lengths")) field->setText(QStringLiteral("4096, x"));
  QVERIFY2(dialog.problem().contains(QStringLiteral("x")), qPrintable(dialog.problem()));
  QSignalSpy wanted(&dialog, &EvaluationDialog::start_wanted);
  dialog.accept();
  QCOMPARE(wanted.count(), 0);
}

/// In the order of a folder that continues, and as they were typed.
void EvaluationsViewTest::the_form_keeps_policies_with_settings() {
  EvaluationDialog dialog;
  EvaluationRequest request{demo_evaluation(), temp_.file("form out"), 0};
  request.plan.policies = {"full", "segmented[retrieval_length=0]", "segmented", "segmented[sink_length=0,bos=true]"};
  dialog.set_request(request);
  QCOMPARE(dialog.problem(), QString());
  QVERIFY(plan_difference(dialog.request().plan, request.plan).empty());
  QVERIFY2(dialog.command_line().contains(QStringLiteral("full,segmented[retrieval_length=0],segmented,")),
           qPrintable(dialog.command_line()));
  QLineEdit* variants = nullptr;
  for (QLineEdit* field : dialog.findChildren<QLineEdit*>())
    if (field->accessibleName() == EvaluationDialog::tr("With settings")) variants = field;
  QVERIFY(variants);
  const auto wrong = [&](const QString& text, const QString& part) {
    variants->setText(text);
    QVERIFY2(dialog.problem().contains(part), qPrintable(dialog.problem()));
    QCOMPARE(variants->text(), text);
  };
  wrong(QStringLiteral("segmented[retrieval_lenght=0]"), QStringLiteral("retrieval_lenght"));
  wrong(QStringLiteral("segmented[retrieval_length=-1]"), QStringLiteral("retrieval_length is -1"));
  wrong(QStringLiteral("streaming[retrieval_length=0]"), QStringLiteral("does not read"));
  variants->setText(QStringLiteral("streaming[sink_length=0] , segmented[retrieval_length=0]"));
  QCOMPARE(dialog.problem(), QString());
  QVERIFY((dialog.request().plan.policies ==
           std::vector<std::string>{"full", "segmented[retrieval_length=0]", "segmented", "streaming[sink_length=0]"}));
  EvaluationPlan other = demo_evaluation();
  dialog.set_model(other);
  QCOMPARE(variants->text(), QStringLiteral("streaming[sink_length=0] , segmented[retrieval_length=0]"));
}

/// The command runs, and evaluation.json has what the form said; then the view has its scores and may go on.
void EvaluationsViewTest::the_form_asks_for_what_the_command_reads() {
  EvaluationWindow lab;
  EvaluationDialog dialog;
  EvaluationRequest request{demo_evaluation(), temp_.file("asked"), 0};
  request.plan.lengths = {1024};
  request.plan.samples = 14;
  request.plan.limit = 2;
  request.plan.seed = 7;
  request.plan.question = QuestionPlace::Outside;
  dialog.set_request(request);
  QCOMPARE(dialog.problem(), QString());
  dialog.forecast().set_program(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli"));
  dialog.check();
  QTRY_VERIFY_WITH_TIMEOUT(!dialog.forecast().running(), patience_ms);
  QVERIFY2(dialog.said().startsWith(QStringLiteral("2 ")), qPrintable(dialog.said()));
  connect(&dialog, &EvaluationDialog::start_wanted, &lab.evaluations, &EvaluationController::start);
  QSignalSpy ended(&lab.evaluations, &EvaluationController::ended);
  dialog.accept();
  QVERIFY(lab.model.work() == EvaluationModel::Work::Running);
  QVERIFY(ended.wait(patience_ms));
  const std::string path = plan_path(request.out);
  const EvaluationPlan written = plan_of(read_json_file(path), path);
  QCOMPARE(plan_difference(written, request.plan), std::string());
  QTRY_VERIFY(lab.model.complete());
  QCOMPARE(lab.cell_rows(), 1);
  QTRY_VERIFY(!button<QToolButton>(lab.panel, FolderPanel::tr("Continue"))->isEnabled());
}

void EvaluationsViewTest::tables_are_written() {
  const DemoFolder folder(temp_.file("written"));
  {
    SampleJournal journal(folder.journal());
    for (std::size_t n = 0; n < 4; ++n) journal.append(folder.entry(n));
  }
  EvaluationWindow lab;
  lab.evaluations.open(QString::fromStdString(folder.out));
  QTRY_COMPARE(lab.cell_rows(), 2);
  for (const auto& [name, format] :
       {std::pair("t.md", TableFormat::Markdown), {"t.csv", TableFormat::Csv}, {"t.tex", TableFormat::Latex}}) {
    const std::string path = temp_.file(name);
    lab.panel.write_table(QString::fromStdString(path));
    const std::string table = evaluation_table(live_results(lab.model.news()), format);
    QVERIFY(table.find("recall") != std::string::npos);
    QCOMPARE(read_bytes(path), table);
  }
}

void EvaluationsViewTest::a_script_opens_it() {
  const DemoFolder folder(temp_.file("script"));
  MainWindow window;
  window.show();
  const auto problem = run_script(window, "open evaluation " + QString::fromStdString(folder.out) + "\nquit\n");
  QVERIFY2(!problem, problem ? qPrintable(problem->problem) : "");
  QCOMPARE(window.lab().evaluations.model().rows(), 2);
  const auto missing = run_script(window, "open evaluation /nowhere\nquit\n");
  QVERIFY(missing && missing->problem.contains(QStringLiteral("evaluation.json")));
}

static const TestFile these_tests{__FILE__, in_window<EvaluationsViewTest>};
#include "evaluations_view_test.moc"
