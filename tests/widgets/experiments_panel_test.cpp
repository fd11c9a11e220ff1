// SPDX-License-Identifier: GPL-3.0-or-later
// The view of an experiment: on a real one that the window runs, and on folders that change, break and lie.
#include "widgets/panels/experiments_panel.h"

#include <signal.h>
#include <sys/stat.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <filesystem>
#include <set>

#include "app/window/experiment_dialog.h"
#include "engine/formats/json_file.h"
#include "tests/support/demo_plan.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/temp_dir.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;
using nlohmann::json;
using test::patience_ms;
namespace fs = std::filesystem;

namespace {

const QString cli = QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli");

/// One training, and eight evaluations of it and of the model as it is.
json small_plan(int steps) {
  json plan = test::demo_plan();
  plan["lengths"] = {256};
  plan["seeds"] = {1};
  plan["recipes"].erase("lora");
  plan["recipes"]["all"]["max_steps"] = steps;
  plan["evaluations"].erase("random");
  plan["evaluations"].erase("full");
  return plan;
}

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

template <typename Button>
Button* button(const QWidget& widget, const QString& name) {
  for (Button* each : widget.findChildren<Button*>())
    if (each->text() == name || each->accessibleName() == name) return each;
  return nullptr;
}

/// A window with the panel in front.
struct Window {
  MainWindow window;
  ExperimentController& experiments = window.lab().experiments;
  ExperimentModel& model = experiments.model();
  ExperimentsPanel& panel = *static_cast<ExperimentsPanel*>(window.docks().panel("experiments"));

  explicit Window(const std::string& folder = {}) {
    experiments.process().set_program(cli);
    window.resize(1400, 900);
    window.show();
    window.docks().raise("experiments");
    if (!folder.empty()) experiments.open(text(folder));
  }
  /// The row of the table whose cell is so.
  template <typename Is>
  QModelIndex row_of(const Is& is) const {
    for (int i = 0; i < model.count(); ++i)
      if (is(model.cell(i)))
        for (int row = 0; row < panel_rows(); ++row)
          if (source(row) == i) return index(row, CellColumn::Recipe);
    return {};
  }
  QAbstractItemModel& rows() const { return *panel.table().model(); }
  int panel_rows() const { return rows().rowCount(); }
  int source(int row) const {
    const auto& proxy = static_cast<const QSortFilterProxyModel&>(rows());
    return proxy.mapToSource(proxy.index(row, 0)).row();
  }
  QModelIndex index(int row, CellColumn column) const { return rows().index(row, static_cast<int>(column)); }
  QString cell(int row, CellColumn column) const { return index(row, column).data().toString(); }
  QAction* action(const QString& title) const {
    for (QAction* each : panel.table().actions())
      if (each->text() == title) return each;
    return nullptr;
  }
};

bool lives(qint64 process) {
  return ::kill(static_cast<pid_t>(process), 0) == 0;
}

}  // namespace

class ExperimentsPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init() { test::fail_on_qt_warnings(); }
  void a_folder_is_shown_as_it_is();
  void the_table_follows_the_file();
  void what_is_wrong_is_said_and_the_window_lives_data();
  void what_is_wrong_is_said_and_the_window_lives();
  void results_that_lie_leave_the_cells();
  void cells_are_sorted_and_filtered();
  void cells_open_as_what_they_are();
  void any_two_are_compared();
  void any_column_is_plotted();
  void stop_and_continue();
  void nothing_runs_on_without_its_window();
  void the_dialog_says_what_is_wrong();

 private:
  ExperimentRequest request(const std::string& out, int steps = 4) {
    const std::string plan = temp_.file("plan-" + std::to_string(steps) + ".json");
    test::write_bytes(plan, small_plan(steps).dump());
    return {plan, out, {}};
  }
  /// A copy of the experiment's own files, without its cells.
  std::string copy_of_state(const std::string& name) {
    const fs::path folder = temp_.file(name);
    fs::create_directories(folder / "cells");
    fs::copy(fs::path(out_) / "experiment.json", folder / "experiment.json");
    return folder.string();
  }
  test::TempDir temp_;
  std::string out_;
};

/// Run by the window, from its dialog: what the other tests look at.
void ExperimentsPanelTest::initTestCase() {
  qputenv("CARRYOVER_CACHE", QByteArray::fromStdString(temp_.file("cache")));
  out_ = temp_.file("out");
  Window lab;
  QTRY_VERIFY(lab.panel.said().contains(ExperimentsPanel::tr("No experiment is open")));
  button<QToolButton>(lab.panel, ExperimentsPanel::tr("Run…"))->click();
  ExperimentDialog* dialog = lab.window.dialogs().open_experiment(request(out_));
  QCOMPARE(dialog->problem(), QString());
  QCOMPARE(dialog->command_line(),
           QStringLiteral("carryover experiment %1 --out %2").arg(text(temp_.file("plan-4.json")), text(out_)));
  QSignalSpy ended(&lab.experiments, &ExperimentController::ended);
  QSignalSpy failed(&lab.experiments, &ExperimentController::failed);
  QSignalSpy changed(&lab.model, &ExperimentModel::cells_changed);
  dialog->accept();
  QVERIFY(lab.experiments.process().running());
  test::settle();
  QVERIFY(!button<QToolButton>(lab.panel, ExperimentsPanel::tr("Continue"))->isEnabled());
  QVERIFY(button<QToolButton>(lab.panel, ExperimentsPanel::tr("Stop"))->isEnabled());
  QVERIFY(ended.wait(patience_ms));
  QVERIFY2(failed.isEmpty(), qPrintable(lab.window.message_bar().text()));
  QTRY_COMPARE_WITH_TIMEOUT(lab.model.state().status, CellStatus::Done, patience_ms);
  QVERIFY(changed.count() >= 2);
}

void ExperimentsPanelTest::a_folder_is_shown_as_it_is() {
  Window lab(out_);
  QTRY_COMPARE(lab.panel_rows(), 9);
  test::settle();
  const ExperimentState state = read_experiment_state(out_);
  for (int row = 0; row < 9; ++row) {
    const CellState& cell = state.cells[static_cast<std::size_t>(row)];
    QCOMPARE(lab.cell(row, CellColumn::Recipe), text(cell.recipe));
    QCOMPARE(lab.cell(row, CellColumn::Text), text(cell.text));
    QCOMPARE(lab.cell(row, CellColumn::Status), cell_status_text(CellStatus::Done));
    QCOMPARE(lab.model.number(row, CellColumn::Loss), *cell.loss);
    const double perplexity = lab.model.number(row, CellColumn::Perplexity);
    QVERIFY(cell.training ? std::isnan(perplexity) : std::abs(perplexity - std::exp(*cell.loss)) < 1e-9);
    QCOMPARE(std::isnan(lab.model.number(row, CellColumn::AttentionKv)), cell.training);  // results.json has it
    QCOMPARE(lab.cell(row, CellColumn::SinksLost).isEmpty(), cell.training);
  }
  QVERIFY2(lab.panel.said().startsWith(QStringLiteral("Demo · ")), qPrintable(lab.panel.said()));
  QVERIFY(lab.panel.said().contains(ExperimentsPanel::tr("%1 of %2 cells").arg(9).arg(9)));
  QVERIFY(!button<QToolButton>(lab.panel, ExperimentsPanel::tr("Continue"))->isEnabled());
}

void ExperimentsPanelTest::the_table_follows_the_file() {
  const std::string folder = copy_of_state("live");
  ExperimentState state = read_experiment_state(folder);
  for (CellState& cell : state.cells) {
    cell.status = CellStatus::Pending;
    cell.loss.reset();
    cell.seconds = 0;
    cell.expected_seconds = 100;
  }
  state.status = CellStatus::Running;
  write_experiment_state(folder, state);
  Window lab(folder);
  QTRY_COMPARE(lab.panel_rows(), 9);
  QCOMPARE(lab.model.expected_seconds_left(), 900.0);
  lab.panel.table().selectRow(3);

  const auto training = std::ranges::find(state.cells, true, &CellState::training);
  QVERIFY(training != state.cells.end());
  const int row = static_cast<int>(training - state.cells.begin());
  training->status = CellStatus::Running;
  const std::string cell = cell_folder(folder, training->id);
  fs::create_directories(cell);
  for (const char* name : {"config.json", "metrics.jsonl"})
    fs::copy(cell_folder(out_, training->id) + "/" + name, cell + "/" + name);
  const std::string metrics = test::read_bytes(cell + "/metrics.jsonl");
  const std::size_t two = metrics.find('\n', metrics.find('\n') + 1) + 1;
  test::write_bytes(cell + "/metrics.jsonl", metrics.substr(0, two + 20));  // and half a line
  write_experiment_state(folder, state);
  QTRY_COMPARE(lab.cell(row, CellColumn::Progress), ExperimentModel::tr("%1 %").arg(50));
  QCOMPARE(lab.model.expected_seconds_left(), 850.0);
  test::write_bytes(cell + "/metrics.jsonl", metrics);
  QTRY_COMPARE(lab.cell(row, CellColumn::Progress), ExperimentModel::tr("%1 %").arg(100));

  training->status = CellStatus::Failed;
  training->error = "the loss is not a number";
  state.cells[0].loss = 0.5;
  write_experiment_state(folder, state);
  QTRY_COMPARE(lab.cell(row, CellColumn::Status), cell_status_text(CellStatus::Failed));
  QCOMPARE(lab.index(row, CellColumn::Status).data(Qt::ToolTipRole).toString(), text(training->error));
  QCOMPARE(lab.model.number(0, CellColumn::Loss), 0.5);
  QCOMPARE(lab.panel.table().selectionModel()->selectedRows().front().row(), 3);
}

void ExperimentsPanelTest::what_is_wrong_is_said_and_the_window_lives_data() {
  QTest::addColumn<QByteArray>("file");
  const auto with = [this](const char* key, const json& value) {
    json file = read_json_file(out_ + "/experiment.json");
    file["cells"][1][key] = value;
    return QByteArray::fromStdString(file.dump());
  };
  QTest::newRow("missing") << QByteArray();
  QTest::newRow("half a file") << with("recipe", "all").first(700);
  QTest::newRow("no object") << QByteArray("[]");
  QTest::newRow("no cells") << QByteArray(R"({"format": 1, "status": "done", "cells": 7})");
  QTest::newRow("another version") << QByteArray(R"({"format": 2, "status": "done", "cells": []})");
  QTest::newRow("bytes") << QByteArray("\xff\x00{\"", 4);
  QTest::newRow("deep") << QByteArray(1 << 20, '[');
  QTest::newRow("an id that leaves the folder") << with("id", "../../../../etc/p");
  QTest::newRow("a status that is none") << with("status", "asleep");
  QTest::newRow("a seed that is none") << with("seed", -1);
  QTest::newRow("a loss that is a list") << with("loss", json::array());
  QTest::newRow("a fifo") << QByteArray("fifo");
  QTest::newRow("huge") << QByteArray("huge");
}

void ExperimentsPanelTest::what_is_wrong_is_said_and_the_window_lives() {
  QFETCH(QByteArray, file);
  const test::TempDir temp;
  const std::string path = temp.file("experiment.json");
  if (file == "fifo") {
    QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
  } else if (!file.isEmpty()) {
    test::write_bytes(path, file == "huge" ? std::string_view() : std::string_view(file.constData(), file.size()));
    if (file == "huge") fs::resize_file(path, std::uintmax_t{65} << 20);
  }
  Window lab(temp.path().string());
  QTRY_VERIFY2(lab.panel.said().contains(QStringLiteral("experiment.json")), qPrintable(lab.panel.said()));
  QCOMPARE(lab.panel_rows(), 0);
  QVERIFY(!lab.panel.grab().isNull());
  fs::remove(path);
  fs::copy(out_ + "/experiment.json", path);
  QTRY_COMPARE(lab.panel_rows(), 9);
  QTRY_VERIFY2(!lab.panel.said().contains(QStringLiteral("experiment.json")), qPrintable(lab.panel.said()));
  test::write_bytes(path, "{");  // what was read stays
  QTRY_VERIFY(lab.panel.said().contains(QStringLiteral("experiment.json")));
  QCOMPARE(lab.panel_rows(), 9);
}

void ExperimentsPanelTest::results_that_lie_leave_the_cells() {
  const std::string folder = copy_of_state("lie");
  json file = read_json_file(folder + "/experiment.json");
  for (json& cell : file["cells"]) {
    cell["seconds"] = 1e308;
    cell["expected_seconds"] = -1e308;
    cell["loss"] = 1e300;
    cell["recipe"] = std::string(100'000, 'x');
  }
  file["cells"][0]["status"] = "running";
  const std::string running = cell_folder(folder, file["cells"][0]["id"].get<std::string>());
  fs::create_directories(running);
  test::write_bytes(running + "/config.json", R"({"tokens": 10})");
  test::write_bytes(running + "/segments.jsonl", "{\"first_token\": 9223372036854775807, \"length\": 2}\n");
  test::write_bytes(folder + "/experiment.json", file.dump());
  test::write_bytes(folder + "/results.json", R"({"runs": [{"config": 3}]})");
  Window lab(folder);
  QTRY_VERIFY2(lab.panel.said().contains(QStringLiteral("results.json")), qPrintable(lab.panel.said().right(500)));
  QCOMPARE(lab.panel_rows(), 9);
  QVERIFY(lab.cell(0, CellColumn::Seconds).isEmpty() && lab.cell(0, CellColumn::Expected).isEmpty());
  QCOMPARE(lab.cell(0, CellColumn::Progress), ExperimentModel::tr("%1 %").arg(0));
  QVERIFY(!lab.panel.grab().isNull());
}

void ExperimentsPanelTest::cells_are_sorted_and_filtered() {
  Window lab(out_);
  QTRY_COMPARE(lab.panel_rows(), 9);
  for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
    lab.panel.table().sortByColumn(static_cast<int>(CellColumn::Perplexity), order);
    double last = order == Qt::AscendingOrder ? 0 : 1e300;
    for (int row = 0; row < 8; ++row) {
      const double now = lab.model.number(lab.source(row), CellColumn::Perplexity);
      QVERIFY(order == Qt::AscendingOrder ? now >= last : now <= last);
      last = now;
    }
    QVERIFY(lab.model.cell(lab.source(8)).training);  // what has none comes last
  }
  auto* words = lab.panel.findChild<QLineEdit*>();
  words->setText(QStringLiteral("STORY_1 none"));
  QCOMPARE(lab.panel_rows(), 2);
  for (int row = 0; row < 2; ++row) {
    const CellState& cell = lab.model.cell(lab.source(row));
    QVERIFY(cell.text == "story_1.txt" && cell.evaluation == "none");
  }
  words->setText(QStringLiteral("nowhere"));
  QCOMPARE(lab.panel_rows(), 0);
  words->clear();
  QCOMPARE(lab.panel_rows(), 9);
}

void ExperimentsPanelTest::cells_open_as_what_they_are() {
  Window lab(out_);
  QTRY_COMPARE(lab.panel_rows(), 9);
  QTableView& table = lab.panel.table();
  const QModelIndex evaluation = lab.row_of([](const CellState& cell) { return cell.evaluation == "none"; });
  const QString folder = lab.model.cell_folder(lab.source(evaluation.row()));
  table.setFocus();
  table.setCurrentIndex(evaluation);
  QSignalSpy opened(&lab.window.lab().runs, &RunController::run_opened);
  QTest::keyClick(&table, Qt::Key_Return);
  QVERIFY(opened.wait(patience_ms));
  const RunModel& run = lab.window.lab().context.run();
  QCOMPARE(text(run.origin().folder), folder);
  QCOMPARE(run.token_count(), std::int64_t{256});
  QVERIFY(!lab.window.lab().context.pinned_run());

  const QModelIndex training = lab.row_of([](const CellState& cell) { return cell.training; });
  table.setCurrentIndex(training);
  QVERIFY(!lab.action(ExperimentsPanel::tr("Pin for &Compare"))->isEnabled());
  lab.action(ExperimentsPanel::tr("&Open"))->trigger();
  TrainingRuns& runs = lab.window.lab().context.training();
  QTRY_COMPARE_WITH_TIMEOUT(runs.count(), 1, patience_ms);
  QCOMPARE(runs.run(0).directory(), lab.model.cell_folder(lab.source(training.row())));
  QTRY_COMPARE_WITH_TIMEOUT(runs.run(0).step_count(), std::size_t{4}, patience_ms);

  const std::string pending = copy_of_state("no-cells");
  lab.experiments.open(text(pending));
  QTRY_COMPARE(lab.model.folder(), text(pending));
  QTRY_COMPARE(lab.model.count(), 9);
  lab.experiments.open_cell(text(lab.model.cell(0).id));
  QVERIFY(lab.window.message_bar().text().contains(text(lab.model.cell(0).id)));
}

void ExperimentsPanelTest::any_two_are_compared() {
  Window lab(out_);
  QTRY_COMPARE(lab.panel_rows(), 9);
  LabContext& context = lab.window.lab().context;
  QItemSelectionModel& selection = *lab.panel.table().selectionModel();
  const QModelIndex one = lab.row_of([](const CellState& cell) { return cell.evaluation == "none"; });
  const QModelIndex other = lab.row_of([](const CellState& cell) { return cell.evaluation == "segmented"; });
  selection.select(one, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  QVERIFY(!lab.action(ExperimentsPanel::tr("Compare the &two"))->isEnabled());
  selection.select(other, QItemSelectionModel::Select | QItemSelectionModel::Rows);
  lab.action(ExperimentsPanel::tr("Compare the &two"))->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(context.pinned_run() && context.run().finished() &&
                               context.run().origin().folder != context.pinned_run()->origin().folder,
                           patience_ms);
  const QString first = lab.model.cell_folder(lab.source(one.row())),
                second = lab.model.cell_folder(lab.source(other.row()));
  const std::set<QString> both{text(context.run().origin().folder), text(context.pinned_run()->origin().folder)};
  QCOMPARE(both, (std::set<QString>{first, second}));
  QVERIFY(context.comparison() != nullptr);
  QTRY_VERIFY(lab.window.docks().panel("compare")->isVisible());

  // Another one becomes B, and the run on show stays.
  const std::string shown = context.run().origin().folder;
  const QModelIndex third = lab.row_of([](const CellState& cell) { return cell.recipe == "all" && !cell.training; });
  const QString third_folder = lab.model.cell_folder(lab.source(third.row()));
  lab.experiments.pin_cell(text(lab.model.cell(lab.source(third.row())).id));
  QTRY_COMPARE_WITH_TIMEOUT(text(context.pinned_run()->origin().folder), third_folder, patience_ms);
  QTRY_COMPARE_WITH_TIMEOUT(context.run().origin().folder, shown, patience_ms);
}

void ExperimentsPanelTest::any_column_is_plotted() {
  Window lab(out_);
  QTRY_COMPARE(lab.panel_rows(), 9);
  test::settle();
  PlotView& plot = *lab.panel.plots()[0];
  const auto boxes = lab.panel.findChildren<QComboBox*>();
  QComboBox *x = nullptr, *y = nullptr;
  for (QComboBox* box : boxes) (box->accessibleName() == QStringLiteral("Across") ? x : y) = box;
  QVERIFY(x != nullptr && y != nullptr);
  std::multiset<double> drawn, expected;
  for (int curve = 0; curve < 2; ++curve)  // an evaluation each, across two recipes and two texts
    for (const auto& [at, value] : plot.drawn_points(curve)) {
      drawn.insert(value);
      QVERIFY(at == 0 || at == 1);
    }
  for (int row = 0; row < 9; ++row)
    if (!lab.model.cell(row).training) expected.insert(lab.model.number(row, CellColumn::Perplexity));
  QVERIFY(drawn == expected && drawn.size() == 8);

  for (int column = 0; column < y->count(); ++column) {
    y->setCurrentIndex(column);
    for (int across = 0; across < x->count(); ++across) {
      x->setCurrentIndex(across);
      test::settle();
      int rows = -1;  // the header
      for (const QString& line : plot.csv().split(u'\n', Qt::SkipEmptyParts)) rows += line.startsWith(u'#') ? 0 : 1;
      int both = 0;
      const auto of_y = static_cast<CellColumn>(y->currentData().toInt()),
                 of_x = static_cast<CellColumn>(x->currentData().toInt());
      for (int row = 0; row < 9; ++row)
        both += !std::isnan(lab.model.number(row, of_y)) && !lab.model.text(row, of_x).isEmpty() ? 1 : 0;
      QCOMPARE(rows, both);
      QCOMPARE(plot.is_empty(), both == 0);
    }
  }
  y->setCurrentIndex(y->findData(static_cast<int>(CellColumn::Loss)));
  x->setCurrentIndex(x->findData(static_cast<int>(CellColumn::AttentionKv)));
  test::settle();
  const std::string figure = temp_.file("figure.pdf");
  plot.export_to(text(figure), PlotView::Format::Pdf, {120, 80});
  QVERIFY(test::read_bytes(figure).starts_with("%PDF"));
}

void ExperimentsPanelTest::stop_and_continue() {
  const std::string out = temp_.file("stopped");
  Window lab;
  QSignalSpy ended(&lab.experiments, &ExperimentController::ended);
  lab.experiments.start(request(out, 400));
  QTRY_VERIFY_WITH_TIMEOUT(
      std::ranges::any_of(lab.model.state().cells,
                          [](const CellState& cell) { return cell.training && cell.status == CellStatus::Running; }),
      patience_ms);
  const qint64 process = lab.experiments.process().process_id();
  test::settle();
  button<QToolButton>(lab.panel, ExperimentsPanel::tr("Stop"))->click();
  QVERIFY(ended.wait(patience_ms));
  QVERIFY(!lives(process));
  QTRY_COMPARE(lab.model.state().status, CellStatus::Pending);
  const std::size_t done = lab.model.state().count(CellStatus::Done);
  QVERIFY(done > 0 && done < 9);
  test::settle();
  QVERIFY2(lab.panel.said().contains(ExperimentsPanel::tr("stopped")), qPrintable(lab.panel.said()));

  // Another window does not know what it was started with, and asks.
  Window second(out);
  QSignalSpy wanted(&second.experiments, &ExperimentController::request_wanted);
  QTRY_COMPARE(second.panel_rows(), 9);
  button<QToolButton>(second.panel, ExperimentsPanel::tr("Continue"))->click();
  QCOMPARE(wanted.count(), 1);
  const auto asked = wanted.front().front().value<ExperimentRequest>();
  QCOMPARE(asked.out, out);
  QCOMPARE(asked.plan, temp_.file("plan-400.json"));

  button<QToolButton>(lab.panel, ExperimentsPanel::tr("Continue"))->click();
  QVERIFY(lab.experiments.process().running());
  QVERIFY(ended.wait(patience_ms));
  QTRY_COMPARE(lab.model.state().status, CellStatus::Done);
  QTRY_COMPARE(second.model.state().status, CellStatus::Done);  // it watches the same folder
}

void ExperimentsPanelTest::nothing_runs_on_without_its_window() {
  qint64 process = 0;
  {
    Window lab;
    lab.experiments.start(request(temp_.file("left"), 5000));
    QTRY_VERIFY_WITH_TIMEOUT(lab.model.count() == 9, patience_ms);
    process = lab.experiments.process().process_id();
    QVERIFY(process > 0 && lives(process));
    QSignalSpy failed(&lab.experiments, &ExperimentController::failed);
    lab.experiments.open(text(out_));  // one at a time
    QCOMPARE(failed.count(), 1);
  }
  QVERIFY(!lives(process));
  Window lab;
  QSignalSpy failed(&lab.experiments, &ExperimentController::failed);
  QSignalSpy ended(&lab.experiments, &ExperimentController::ended);
  ExperimentRequest wrong = request(temp_.file("wrong"));
  wrong.plan = temp_.file("nowhere.json");
  lab.experiments.start(wrong);
  QVERIFY(ended.wait(patience_ms));
  QCOMPARE(failed.count(), 1);
  QVERIFY(failed.front().front().value<ErrorReport>().problem.contains(QStringLiteral("nowhere.json")));
  lab.experiments.process().set_program(QStringLiteral("/nowhere/carryover"));
  lab.experiments.start(request(temp_.file("wrong")));
  QTRY_COMPARE(failed.count(), 2);
  QCOMPARE(lab.model.work(), ExperimentModel::Work::None);
}

void ExperimentsPanelTest::the_dialog_says_what_is_wrong() {
  ExperimentDialog dialog;
  QSignalSpy wanted(&dialog, &ExperimentDialog::start_wanted);
  QVERIFY(!dialog.problem().isEmpty() && dialog.command_line().isEmpty());
  ExperimentRequest good = request(temp_.file("new out"));
  good.overrides = {{{"demo", test::demo_folder().toStdString()}}, {temp_.file("a"), temp_.file("b")}, {}, {"all"}, 2};
  dialog.set_request(good);
  QCOMPARE(dialog.problem(), QString());
  const QString command = dialog.command_line();
  QVERIFY2(command.contains(QStringLiteral("--model demo=")) && command.count(QStringLiteral("--data")) == 2 &&
               command.contains(QStringLiteral("--only all")) && command.contains(QStringLiteral("--threads 2")) &&
               command.endsWith(QStringLiteral("new out'")),
           qPrintable(command));
  ExperimentRequest bad = good;
  bad.overrides.models[0].path = "/nowhere/model.gguf";
  dialog.set_request(bad);
  QVERIFY2(dialog.problem().contains(QStringLiteral("/nowhere/model.gguf")), qPrintable(dialog.problem()));
  bad = good;
  bad.overrides.only = {"al"};
  dialog.set_request(bad);
  QVERIFY2(dialog.problem().contains(QStringLiteral("al")), qPrintable(dialog.problem()));
  bad = good;
  bad.out = good.plan;
  dialog.set_request(bad);
  QVERIFY(!dialog.problem().isEmpty());
  test::write_bytes(temp_.file("broken.json"), R"({"name": "x"})");
  bad = good;
  bad.plan = temp_.file("broken.json");
  dialog.set_request(bad);
  QVERIFY2(dialog.problem().contains(QStringLiteral("broken.json")), qPrintable(dialog.problem()));
  dialog.accept();
  QCOMPARE(wanted.count(), 0);
  dialog.set_request(good);
  dialog.accept();
  QCOMPARE(wanted.count(), 1);
  QCOMPARE(wanted.front().front().value<ExperimentRequest>().overrides.data, good.overrides.data);
  for (const QString& plan : ExperimentDialog::example_plans()) {
    dialog.set_request({plan.toStdString(), {}, {}});
    QVERIFY2(!dialog.problem().contains(QStringLiteral(".json")), qPrintable(dialog.problem()));  // a model may lack
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<ExperimentsPanelTest>};
#include "experiments_panel_test.moc"
