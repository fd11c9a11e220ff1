// SPDX-License-Identifier: GPL-3.0-or-later
// The table and the plots of a bench.
#include "widgets/bench/bench_results.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QTableView>
#include <QTest>
#include <cmath>

#include "engine/base/error.h"
#include "tests/support/gui_test.h"
#include "tests/support/synthetic_bench.h"
#include "tests/support/temp_dir.h"
#include "widgets/look/theme.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;

namespace {

BenchReport report() {
  return read_bench(test::synthetic_bench(), "bench.json");
}

QString cell(const QAbstractItemModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

}  // namespace

class BenchResultsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    QLocale::setDefault(QLocale::c());
    apply_theme(*qApp, ThemeKind::Light);
  }

  void the_table_keeps_the_rules_of_item_models() {
    BenchTable table;
    NumberSort sorted;
    sorted.setSourceModel(&table);
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester sorted_tester(&sorted, QAbstractItemModelTester::FailureReportingMode::QtTest);
    table.set_rows(report().measurements);
    sorted.sort(BenchTable::Peak, Qt::DescendingOrder);
    table.set_rows({});
    QCOMPARE(sorted.rowCount(), 0);
  }

  void rows_say_what_was_measured() {
    BenchTable table;
    table.set_rows(report().measurements);
    QCOMPARE(table.rowCount(), 14);
    QCOMPARE(cell(table, 0, BenchTable::Work), bench_kind_title(BenchKind::Prefill));
    QCOMPARE(cell(table, 0, BenchTable::Who), QStringLiteral("segmented"));
    QCOMPARE(cell(table, 6, BenchTable::Tokens), QStringLiteral("2048"));
    QCOMPARE(cell(table, 0, BenchTable::Repeats), QStringLiteral("3"));
    QCOMPARE(cell(table, 0, BenchTable::Time), QStringLiteral("512.00 ms"));
    QCOMPARE(cell(table, 6, BenchTable::Time), QStringLiteral("2.048 s"));
    QCOMPARE(cell(table, 0, BenchTable::Rate), QStringLiteral("1000"));
    QCOMPARE(cell(table, 0, BenchTable::Share), QStringLiteral("25 %"));
    QCOMPARE(cell(table, 0, BenchTable::Peak), QStringLiteral("1.5 MB"));
    QCOMPARE(cell(table, 0, BenchTable::Deviation), QStringLiteral("+51 %"));
    for (const int column : {BenchTable::Peak, BenchTable::Deviation}) QCOMPARE(cell(table, 2, column), QString());
    QVERIFY(cell(table, 12, BenchTable::Who) != cell(table, 13, BenchTable::Who));  // recomputed
  }

  void every_column_sorts_and_unknowns_come_last() {
    BenchTable table;
    NumberSort sorted;
    sorted.setSourceModel(&table);
    table.set_rows(report().measurements);
    for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder})
      for (int column = 0; column < BenchTable::ColumnCount; ++column) {
        sorted.sort(column, order);
        for (int row = 1; row < sorted.rowCount(); ++row) {
          const double a = sorted.index(row - 1, column).data(number_role).toDouble(),
                       b = sorted.index(row, column).data(number_role).toDouble();
          QVERIFY(std::isnan(b) || (!std::isnan(a) && (order == Qt::AscendingOrder ? a <= b : a >= b)));
        }
      }
    sorted.sort(BenchTable::Who, Qt::AscendingOrder);
    QCOMPARE(cell(sorted, 0, BenchTable::Who), QStringLiteral("full"));
    QCOMPARE(cell(sorted, 13, BenchTable::Who), QStringLiteral("transformers"));
  }

  void plots_have_a_curve_for_each_who() {
    BenchResults view;
    QVERIFY(view.plots().size() == 2 && view.plots()[0]->is_empty());
    view.show_report(report(), QStringLiteral("/a bench"));
    const PlotView &time = *view.plots()[0], &memory = *view.plots()[1];
    using Points = std::vector<std::pair<double, double>>;
    QVERIFY(time.drawn_points(0) == (Points{{512, 0.512}, {2048, 2.048}}));
    QVERIFY(time.drawn_points(2) == (Points{{512, 2.048}, {2048, 8.192}}));
    QVERIFY(memory.drawn_points(1) == (Points{{512, 0.001512}, {2048, 0.003048}}));
    QVERIFY(time.csv().contains(QStringLiteral("segmented,full,transformers")));
    QVERIFY(!memory.csv().contains(QStringLiteral("transformers")));  // whose memory is not known
  }

  void the_switches_choose_work_and_axis() {
    BenchResults view;
    view.show_report(report(), {});
    const auto boxes = view.findChildren<QComboBox*>();
    QCOMPARE(boxes.size(), 2);
    boxes[1]->setCurrentIndex(1);
    QCOMPARE(view.plots()[1]->id(), QStringLiteral("latency-memory"));
    QVERIFY(view.plots()[1]->drawn_points(0).front() == std::pair(0.512, 0.001512));
    boxes[0]->setCurrentIndex(static_cast<int>(BenchKind::Decode));
    QCOMPARE(view.plots()[0]->id(), QStringLiteral("decode-scaling"));
    QVERIFY(view.plots()[0]->drawn_points(0).front() == std::pair(512.0, 512.0));  // milliseconds
    boxes[0]->setCurrentIndex(static_cast<int>(BenchKind::Train));
    for (const int curve : {0, 1}) QCOMPARE(view.plots()[0]->drawn_points(curve).size(), std::size_t{1});
    BenchReport decoding = report();
    std::erase_if(decoding.measurements, [](const auto& row) { return row.kind != BenchKind::Decode; });
    view.show_report(decoding, {});  // what there is to see is chosen
    QVERIFY(!view.plots()[0]->is_empty());
  }

  void figures_are_written_and_say_where_they_come_from() {
    const test::TempDir temp;
    BenchResults view;
    view.show_report(report(), QStringLiteral("/a bench"));
    for (const char* name : {"time.csv", "time.png", "time.pdf"}) {
      const QString path = QString::fromStdString(temp.file(name));
      view.plots()[0]->export_to(path, PlotView::format_of(path), QSizeF(85, 60));
    }
    const std::string csv = test::read_bytes(temp.file("time.csv"));
    for (const char* part : {"a model, weights abcdef", "a processor", "carryover bench a model.gguf",
                             "carryover export '/a bench' --figure prefill-scaling"})
      QVERIFY2(csv.find(part) != std::string::npos, csv.c_str());
    QVERIFY(!QImage(QString::fromStdString(temp.file("time.png"))).isNull());
  }

  void names_of_figures_are_one_to_one() {
    const QStringList names = bench_figure_names();
    QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), 9);
    for (const QString& name : names) QCOMPARE(bench_figure_name(bench_figure(name)), name);
    QVERIFY_THROWS_EXCEPTION(EngineError, bench_figure(QStringLiteral("loss")));
  }

  void what_is_missing_is_said() {
    BenchResults view;
    BenchReport bench = report();
    bench.interrupted = true;
    view.show_report(bench, {});
    for (const char* part :
         {"a processor", "transformers 4", "LibTorch 2", "200.0 GFLOP/s", "15.0 GB/s", "llama-bench: it is not here"})
      QVERIFY2(view.said().contains(QLatin1String(part)), qPrintable(view.said()));
    QVERIFY(view.said().contains(BenchResults::tr("Stopped: the rest was not measured")));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<BenchResultsTest>};
#include "bench_results_test.moc"
