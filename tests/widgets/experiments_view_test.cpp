// SPDX-License-Identifier: GPL-3.0-or-later
// The view of an experiment: on a real one, and on folders that change, break and lie.
#include <sys/stat.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include "engine/formats/folder_lock.h"
#include "engine/formats/json_file.h"
#include "tests/support/cli_process.h"
#include "tests/support/experiment_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Sets a choice of the plot to a column, and returns it.
QComboBox* choice(const ExperimentWindow& lab, const QString& name, CellColumn column) {
  for (QComboBox* box : lab.panel.findChildren<QComboBox*>()) {
    if (box->accessibleName() != name) continue;
    box->setCurrentIndex(box->findData(static_cast<int>(column)));
    return box;
  }
  return nullptr;
}

std::multiset<double> drawn_values(PlotView& plot) {
  std::multiset<double> values;
  QStringList lines = plot.csv().split(u'\n', Qt::SkipEmptyParts);
  lines.removeIf([](const QString& line) { return line.startsWith(u'#'); });
  for (const QString& line : lines.mid(1)) values.insert(line.section(u',', -1).toDouble());
  return values;
}

}  // namespace

class ExperimentsViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init() { fail_on_qt_warnings(); }
  void a_folder_is_shown_as_it_is();
  void what_was_left_out_counts_for_no_progress();
  void the_table_follows_the_file();
  void what_is_wrong_is_said_and_the_window_lives_data();
  void what_is_wrong_is_said_and_the_window_lives();
  void results_that_lie_leave_the_cells();
  void cells_are_sorted_and_filtered();
  void cells_open_as_what_they_are();
  void any_two_are_compared();
  void any_column_is_plotted();
  void the_plot_follows_the_filter();
  void positive_values_have_a_logarithmic_axis();
  void the_frontier_follows_the_filter_and_the_length();
  void a_comparison_is_chosen();
  void the_program_with_the_window_draws_the_figures();

 private:
  /// A copy of the experiment's own files, without its cells.
  std::string copy_of_state(const std::string& name) {
    const fs::path folder = temp_.file(name);
    fs::create_directories(folder / "cells");
    fs::copy(fs::path(out_) / "experiment.json", folder / "experiment.json");
    return folder.string();
  }
  TempDir temp_;
  std::string out_;
};

/// Runs the experiment that the tests look at.
void ExperimentsViewTest::initTestCase() {
  qputenv("CARRYOVER_CACHE", QByteArray::fromStdString(temp_.file("cache")));
  out_ = temp_.file("out");
  const ExperimentRequest request = small_request(temp_, out_);
  const CliResult result = run_cli({"experiment", text(request.plan), "--out", text(out_), "--quiet"});
  QVERIFY2(result.code == 0, result.err);
}

void ExperimentsViewTest::a_folder_is_shown_as_it_is() {
  ExperimentWindow lab(out_);
  QTRY_COMPARE(lab.panel_rows(), 9);
  settle();
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
  QVERIFY(!button<QToolButton>(lab.panel, FolderPanel::tr("Continue"))->isEnabled());
}

void ExperimentsViewTest::what_was_left_out_counts_for_no_progress() {
  const std::string folder = copy_of_state("some");
  ExperimentState state = read_experiment_state(folder);
  state.status = CellStatus::Pending;
  for (std::size_t i = 4; i < 9; ++i) {
    state.cells[i].status = CellStatus::Pending;
    state.cells[i].left_out = i != 4;
  }
  write_experiment_state(folder, state);
  ExperimentWindow lab(folder);
  const auto says = [&](std::size_t done) {
    const QString counted = ExperimentsPanel::tr("%1 of %2 cells").arg(done).arg(5);
    return QTest::qWaitFor([&] { return lab.panel.said().contains(counted); }) &&
           lab.panel.said().contains(ExperimentsPanel::tr("%1 left out").arg(4));
  };
  const auto* go_on = button<QToolButton>(lab.panel, FolderPanel::tr("Continue"));
  QVERIFY2(says(4), qPrintable(lab.panel.said()));
  QVERIFY(lab.panel.said().contains(ExperimentsPanel::tr("stopped")) && go_on->isEnabled());
  state.cells[4].status = CellStatus::Done;
  write_experiment_state(folder, state);
  QVERIFY2(says(5), qPrintable(lab.panel.said()));
  QVERIFY(lab.panel.said().contains(cell_status_text(CellStatus::Done)) && !go_on->isEnabled());
}

void ExperimentsViewTest::the_table_follows_the_file() {
  const std::string folder = copy_of_state("live");
  ExperimentState state = read_experiment_state(folder);
  for (CellState& cell : state.cells) {
    cell.status = CellStatus::Pending;
    cell.loss.reset();
    cell.seconds = 0;
    cell.expected_seconds = 100;
  }
  state.status = CellStatus::Running;
  auto process = std::make_unique<const FolderLock>(folder);
  write_experiment_state(folder, state);
  ExperimentWindow lab(folder);
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
  const std::string metrics = read_bytes(cell + "/metrics.jsonl");
  const std::size_t two = metrics.find('\n', metrics.find('\n') + 1) + 1;
  write_bytes(cell + "/metrics.jsonl", metrics.substr(0, two + 20));  // and half a line
  write_experiment_state(folder, state);
  QTRY_COMPARE(lab.cell(row, CellColumn::Progress), ExperimentModel::tr("%1 %").arg(50));
  QCOMPARE(lab.model.expected_seconds_left(), 850.0);
  write_bytes(cell + "/metrics.jsonl", metrics);
  QTRY_COMPARE(lab.cell(row, CellColumn::Progress), ExperimentModel::tr("%1 %").arg(100));

  training->status = CellStatus::Failed;
  training->error = "the loss is not a number";
  state.cells[0].loss = 0.5;
  write_experiment_state(folder, state);
  QTRY_COMPARE(lab.cell(row, CellColumn::Status), cell_status_text(CellStatus::Failed));
  QCOMPARE(lab.index(row, CellColumn::Status).data(Qt::ToolTipRole).toString(), text(training->error));
  QCOMPARE(lab.model.number(0, CellColumn::Loss), 0.5);
  QCOMPARE(lab.panel.table().selectionModel()->selectedRows().front().row(), 3);
  settle();
  QVERIFY2(lab.panel.said().contains(ExperimentsPanel::tr("running in another process")), qPrintable(lab.panel.said()));
  process.reset();  // killed: what it wrote stays
  QTRY_VERIFY2(lab.panel.said().contains(ExperimentsPanel::tr("stopped")), qPrintable(lab.panel.said()));
}

void ExperimentsViewTest::what_is_wrong_is_said_and_the_window_lives_data() {
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

void ExperimentsViewTest::what_is_wrong_is_said_and_the_window_lives() {
  QFETCH(QByteArray, file);
  const TempDir temp;
  const std::string path = temp.file("experiment.json");
  if (file == "fifo") {
    QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
  } else if (!file.isEmpty()) {
    write_bytes(path, file == "huge" ? std::string_view() : std::string_view(file.constData(), file.size()));
    if (file == "huge") fs::resize_file(path, std::uintmax_t{65} << 20);
  }
  ExperimentWindow lab(temp.path().string());
  QTRY_VERIFY2(lab.panel.said().contains(QStringLiteral("experiment.json")), qPrintable(lab.panel.said()));
  QCOMPARE(lab.panel_rows(), 0);
  QVERIFY(!lab.panel.grab().isNull());
  fs::remove(path);
  fs::copy(out_ + "/experiment.json", path);
  QTRY_COMPARE(lab.panel_rows(), 9);
  QTRY_VERIFY2(!lab.panel.said().contains(QStringLiteral("experiment.json")), qPrintable(lab.panel.said()));
  write_bytes(path, "{");  // what was read stays
  QTRY_VERIFY(lab.panel.said().contains(QStringLiteral("experiment.json")));
  QCOMPARE(lab.panel_rows(), 9);
}

void ExperimentsViewTest::results_that_lie_leave_the_cells() {
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
  write_bytes(running + "/config.json", R"({"tokens": 10})");
  write_bytes(running + "/segments.jsonl", "{\"first_token\": 9223372036854775807, \"length\": 2}\n");
  write_bytes(folder + "/experiment.json", file.dump());
  write_bytes(folder + "/results.json", R"({"runs": [{"config": 3}]})");
  const FolderLock process(folder);
  ExperimentWindow lab(folder);
  QTRY_VERIFY2(lab.panel.said().contains(QStringLiteral("results.json")), qPrintable(lab.panel.said().right(500)));
  QCOMPARE(lab.panel_rows(), 9);
  QVERIFY(lab.cell(0, CellColumn::Seconds).isEmpty() && lab.cell(0, CellColumn::Expected).isEmpty());
  QCOMPARE(lab.cell(0, CellColumn::Progress), ExperimentModel::tr("%1 %").arg(0));
  QVERIFY(!lab.panel.grab().isNull());
}

void ExperimentsViewTest::cells_are_sorted_and_filtered() {
  ExperimentWindow lab(out_);
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

void ExperimentsViewTest::cells_open_as_what_they_are() {
  ExperimentWindow lab(out_);
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

  const RunLibrary& library = lab.window.lab().context.library();
  const std::map<QString, ListedKind> listed = {{text(out_), ListedKind::Experiment},
                                                {text(pending), ListedKind::Experiment},
                                                {folder, ListedKind::Run},
                                                {runs.run(0).directory(), ListedKind::Training}};
  QCOMPARE(library.count(), 4);
  for (const auto& [place, kind] : listed) QVERIFY(library.run(library.index_of(place)).kind == kind);
  lab.window.lab().library.open(text(out_));
  QTRY_COMPARE(lab.model.folder(), text(out_));
}

void ExperimentsViewTest::any_two_are_compared() {
  ExperimentWindow lab(out_);
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

void ExperimentsViewTest::any_column_is_plotted() {
  ExperimentWindow lab(out_);
  QTRY_COMPARE(lab.panel_rows(), 9);
  settle();
  PlotView& plot = *lab.panel.plots()[0];
  const auto boxes = lab.panel.findChildren<QComboBox*>();
  QComboBox *x = nullptr, *y = nullptr;
  for (QComboBox* box : boxes) {
    if (box->accessibleName() == QStringLiteral("Horizontal axis")) x = box;
    if (box->accessibleName() == QStringLiteral("Vertical axis")) y = box;
  }
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
      settle();
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
  settle();
  const std::string figure = temp_.file("figure.pdf");
  plot.export_to(text(figure), PlotView::Format::Pdf, {120, 80});
  QVERIFY(read_bytes(figure).starts_with("%PDF"));
}

void ExperimentsViewTest::the_plot_follows_the_filter() {
  ExperimentWindow lab(out_);
  QTRY_COMPARE(lab.panel_rows(), 9);
  settle();
  PlotView& plot = *lab.panel.plots()[0];
  QCOMPARE(drawn_values(plot).size(), std::size_t{8});
  const auto both = plot.drawn_points(0), other = plot.drawn_points(1);
  auto* words = lab.panel.findChild<QLineEdit*>();
  for (const QString& shown : {QStringLiteral("none"), QStringLiteral("segmented"), QStringLiteral("story_1 all")}) {
    words->setText(shown);
    settle();
    std::multiset<double> expected;
    for (int row = 0; row < lab.panel_rows(); ++row)
      if (!lab.model.cell(lab.source(row)).training)
        expected.insert(lab.model.number(lab.source(row), CellColumn::Perplexity));
    QVERIFY(!expected.empty() && expected.size() < 8);
    const std::multiset<double> drawn = drawn_values(plot);
    QVERIFY2(drawn == expected, qPrintable(plot.csv()));
    QVERIFY(plot.view().top() < *drawn.begin() && plot.view().bottom() > *drawn.rbegin());
  }
  words->setText(QStringLiteral("segmented"));  // a curve keeps its colour: it is the same one
  settle();
  QVERIFY(plot.drawn_points(0).empty() != plot.drawn_points(1).empty());
  QVERIFY(plot.drawn_points(0) == both || plot.drawn_points(1) == other);
  words->setText(QStringLiteral("nowhere"));
  settle();
  QVERIFY(plot.is_empty());
  words->clear();
  settle();
  QVERIFY(plot.drawn_points(0) == both && plot.drawn_points(1) == other);
}

void ExperimentsViewTest::positive_values_have_a_logarithmic_axis() {
  const std::string folder = copy_of_state("losses");
  ExperimentState state = read_experiment_state(folder);
  for (std::size_t i = 0; i < state.cells.size(); ++i) state.cells[i].loss = std::pow(10.0, static_cast<double>(i));
  write_experiment_state(folder, state);
  ExperimentWindow lab(folder);
  QTRY_COMPARE(lab.panel_rows(), 9);
  settle();
  PlotView& plot = *lab.panel.plots()[0];
  QVERIFY(choice(lab, QStringLiteral("Vertical axis"), CellColumn::Loss) != nullptr);
  auto* log = lab.panel.findChild<QCheckBox*>();
  QVERIFY(log != nullptr && log->isEnabled() && !log->isChecked());
  settle();
  QVERIFY(plot.view().top() < 0);  // the room below 1 of an axis to 10⁸
  log->setChecked(true);
  settle();
  QVERIFY2(plot.view().top() > 0.1 && plot.view().top() < 1, qPrintable(QString::number(plot.view().top())));
  QVERIFY(plot.view().bottom() > 1e8 && plot.view().bottom() < 1e9);
  QCOMPARE(drawn_values(plot).size(), std::size_t{9});  // the values themselves

  state.cells[3].loss = -0.5;
  write_experiment_state(folder, state);
  QTRY_VERIFY(!log->isEnabled());
  settle();
  QVERIFY(plot.view().top() < -0.5);  // all of them are seen
  state.cells[3].loss = 0.5;
  write_experiment_state(folder, state);
  QTRY_VERIFY(log->isEnabled());
  settle();
  QVERIFY(plot.view().top() > 0 && log->isChecked());
}

/// The rows of a figure's data, without what stands above them.
static QStringList rows_of(const PlotView& plot) {
  QStringList lines = plot.csv().split(u'\n', Qt::SkipEmptyParts);
  lines.removeIf([](const QString& line) { return line.startsWith(u'#'); });
  return lines.mid(1);
}

static QComboBox* box_of(const ExperimentWindow& lab, const char* name) {
  for (QComboBox* box : lab.panel.findChildren<QComboBox*>())
    if (box->accessibleName() == QLatin1String(name)) return box;
  return nullptr;
}

/// Chooses as a hand does.
static void choose(QComboBox& box, int index) {
  box.setCurrentIndex(index);
  Q_EMIT box.activated(index);
  settle();
}

void ExperimentsViewTest::the_frontier_follows_the_filter_and_the_length() {
  const std::string folder = copy_of_state("lengths");
  json results = read_json_file(out_ + "/results.json");
  results["lengths"] = {128, 256};
  for (json& run : results["runs"])
    for (json& each : run["texts"]) {
      json shorter = each["lengths"][0];
      shorter["tokens"] = 128;
      shorter["nll_sum"] = 2 * shorter["nll_sum"].get<double>();
      each["lengths"].insert(each["lengths"].begin(), shorter);
    }
  write_bytes(folder + "/results.json", results.dump());
  ExperimentWindow lab(folder);
  QTRY_COMPARE(lab.panel_rows(), 9);
  settle();
  PlotView& plot = *lab.panel.plots()[1];
  QComboBox *figure = box_of(lab, "Figure"), *length = box_of(lab, "Length (tokens)");
  QVERIFY(figure != nullptr && length != nullptr && !length->isVisible());
  figure->setCurrentIndex(1);
  QVERIFY(plot.isVisible() && length->isVisible());
  QVERIFY(!lab.panel.findChild<QCheckBox*>()->isVisible());
  QCOMPARE(length->currentData().toLongLong(), 256);
  const auto perplexities = [&] {
    std::multiset<double> values;
    for (const QString& row : rows_of(plot)) values.insert(row.section(u',', -2, -2).toDouble());
    return values;
  };
  std::multiset<double> expected;
  for (const char* recipe : {"base", "all"})
    for (const char* evaluation : {"segmented", "none"}) {
      double sum = 0;
      int texts = 0;
      for (int row = 0; row < 9; ++row) {
        const CellState& cell = lab.model.cell(row);
        if (cell.recipe != recipe || cell.evaluation != evaluation) continue;
        sum += lab.model.number(row, CellColumn::Loss);
        ++texts;
      }
      QCOMPARE(texts, 2);
      expected.insert(std::exp(sum / 2));
    }
  const std::multiset<double> all = perplexities();
  QVERIFY2(std::ranges::equal(all, expected, [](double a, double b) { return std::abs(a - b) < 1e-9 * b; }),
           qPrintable(plot.csv()));
  auto* words = lab.panel.findChild<QLineEdit*>();
  words->setText(QStringLiteral("base"));
  settle();
  QCOMPARE(rows_of(plot).size(), 2);
  words->setText(QStringLiteral("nowhere"));
  settle();
  QVERIFY(rows_of(plot).isEmpty());
  words->clear();
  settle();
  QCOMPARE(rows_of(plot).size(), 4);
  const auto by_length = lab.panel.plots()[2]->drawn_points(0);
  QVERIFY(by_length.size() == 2 && by_length[0].first == 0 && by_length[1].first == 1);
  choose(*length, 0);
  for (const double value : perplexities()) QVERIFY(!all.contains(value));
  write_bytes(folder + "/results.json", results.dump(1));  // written again: what was chosen stays
  QTest::qWait(700);
  settle();
  QCOMPARE(length->currentIndex(), 0);
  QCOMPARE(rows_of(plot).size(), 4);
  json lying = results;  // losses that no axis can show
  for (std::size_t i = 0; i < lying["runs"].size(); ++i)
    for (json& each : lying["runs"][i]["texts"])
      for (json& one : each["lengths"]) one["nll_sum"] = i % 2 == 0 ? 1e15 : -1e15;
  write_bytes(folder + "/results.json", lying.dump());
  QTRY_VERIFY(rows_of(plot).isEmpty());
  QVERIFY(!lab.panel.grab().isNull());
  write_bytes(folder + "/results.json", results.dump());
  QTRY_COMPARE(rows_of(plot).size(), 4);
  write_bytes(folder + "/results.json", "{");
  QTRY_VERIFY(plot.is_empty());
  QVERIFY(!length->isVisible());

  // A choice made for this experiment does not apply to another one.
  const std::string longer = copy_of_state("longer");
  json more = results;
  more["lengths"] = {128, 256, 512};
  write_bytes(longer + "/results.json", more.dump());
  lab.experiments.open(text(longer));
  QTRY_COMPARE(lab.model.folder(), text(longer));
  QTRY_COMPARE(length->count(), 3);
  QCOMPARE(length->currentData().toLongLong(), 256);  // the longest that all have
}

void ExperimentsViewTest::a_comparison_is_chosen() {
  const std::string folder = copy_of_state("comparisons");
  json results = read_json_file(out_ + "/results.json");
  json other = results["comparisons"][0];
  other["title"] = "the other way";
  std::swap(other["of"], other["against"]);
  results["comparisons"].push_back(other);
  write_bytes(folder + "/results.json", results.dump());
  ExperimentWindow lab(folder);
  QTRY_COMPARE(lab.panel_rows(), 9);
  settle();
  PlotView& plot = *lab.panel.plots()[2];
  box_of(lab, "Figure")->setCurrentIndex(2);
  QComboBox* comparison = box_of(lab, "Comparison");
  QVERIFY(comparison != nullptr && comparison->isVisible() && plot.isVisible());
  const QStringList both = rows_of(plot);
  QCOMPARE(both.size(), 2);
  QCOMPARE(both[0].section(u',', 2, 2).toDouble(), -both[1].section(u',', 2, 2).toDouble());
  for (int row = 0; row < 2; ++row) {  // of one length: a row each; of so few books, without an interval
    const double mean = both[row].section(u',', 2, 2).toDouble();
    QVERIFY(both[row].section(u',', 3, 4) == QStringLiteral(","));
    QCOMPARE(plot.drawn_points(2 * row), (std::vector<std::pair<double, double>>{{mean, row}}));
    QVERIFY(plot.drawn_points(2 * row + 1).empty());
  }
  choose(*comparison, 2);
  QCOMPARE(rows_of(plot), both.mid(1));
  QVERIFY(both[1].startsWith(QStringLiteral("\"the other way\",256,")));
}

/// The command line alone, which ran the experiment, draws none.
void ExperimentsViewTest::the_program_with_the_window_draws_the_figures() {
  QVERIFY(!fs::exists(out_ + "/frontier.pdf"));
  const ExperimentRequest request = small_request(temp_, out_);
  QProcess program;
  program.start(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover"),
                {"experiment", text(request.plan), "--out", text(out_), "--report", "--quiet"});
  const CliResult result = finish_cli(program);
  QVERIFY2(result.code == 0, result.err);
  QVERIFY2(result.out.contains("results.json, frontier.pdf, comparisons.pdf"), result.out);
  for (const char* name : {"/frontier.pdf", "/comparisons.pdf"}) QVERIFY(read_bytes(out_ + name).starts_with("%PDF"));

  fs::remove(out_ + "/frontier.pdf");  // the experiment is done, whether a figure can be written or not
  fs::create_directories(out_ + "/frontier.pdf/in the way");
  QProcess again;
  again.start(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover"),
              {"experiment", text(request.plan), "--out", text(out_), "--report"});
  const CliResult without = finish_cli(again);
  QVERIFY2(without.code == 0 && without.err.contains("frontier.pdf was not drawn"), without.err);
  QVERIFY2(without.out.contains("9 of 9 cells are done") && without.out.contains("results.json, comparisons.pdf"),
           without.out);
}

static const TestFile these_tests{__FILE__, in_window<ExperimentsViewTest>};
#include "experiments_view_test.moc"
