// SPDX-License-Identifier: GPL-3.0-or-later
// Comparing runs in the window, on the real engine and the demo.
#include "widgets/compare/compare_panel.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <cmath>

#include "app/window/main_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temp_dir.h"
#include "widgets/compare/state/comparison_rows.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;

namespace {

constexpr int patience_ms = 240'000;

void open_demo(MainWindow& window, std::int64_t tokens) {
  const QString demo = QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
  RunOptions options;
  options.token_limit = tokens;
  options.dtype = DType::Float32;
  window.lab().context.set_run_options(options);
  window.lab().loader.open_model(demo);
  window.lab().loader.open_text(demo + QStringLiteral("/text.txt"));
}

void run_to_the_end(MainWindow& window) {
  QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
  window.lab().runs.run_when_ready();
  QVERIFY(ended.wait(patience_ms));
}

PlotView* plot(Panel& panel, const char* id) {
  for (PlotView* each : panel.plots())
    if (each->id() == QLatin1String(id)) return each;
  return nullptr;
}

QString cell(const QTableView& table, const QString& name, int column) {
  for (int row = 0; row < table.model()->rowCount(); ++row)
    if (table.model()->index(row, ComparisonTable::Name).data() == name)
      return table.model()->index(row, column).data().toString();
  return {};
}

}  // namespace

class ComparePanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void nothing_is_compared_before_a_run_is_pinned() {
    LabContext lab;
    lab.pin_run();
    QVERIFY(!lab.comparison());
    ComparePanel panel(lab);
    panel.resize(700, 400);
    panel.show();
    test::settle();
    for (PlotView* each : panel.plots()) QVERIFY(each->is_empty());
  }

  // The same run twice is the same; another grouping retrieves with other heads; full attention predicts differently
  // and retrieves nothing.
  void runs_of_the_demo_side_by_side() {
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    run_to_the_end(window);
    LabContext& lab = window.lab().context;
    lab.pin_run();
    run_to_the_end(window);
    check_equal(lab, window);
    RunOptions options = lab.run_options();
    options.policy = "full";
    lab.set_run_options(options);
    run_to_the_end(window);
    check_against_full(lab, window);
    options.policy = "segmented";
    lab.set_run_options(options);
    SegmentConfig config = lab.config();
    config.retrieval_length = config.retrieval_length / 2;
    lab.edit_config(config, QStringLiteral("half of R"));
    run_to_the_end(window);
    check_less_retrieved(lab, window);
  }

  /// B is read first, and A, which was on show, comes back as it was looked at.
  void what_is_selected_stays_when_another_run_is_pinned() {
    const test::TempDir folder;
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    run_to_the_end(window);
    RunController& runs = window.lab().runs;
    QSignalSpy saved(&runs, &RunController::saved), opened(&runs, &RunController::run_opened);
    const QString a = QString::fromStdString(folder.file("a")), b = QString::fromStdString(folder.file("b"));
    for (const QString& path : {a, b}) {
      runs.save_run(path);
      QVERIFY(saved.wait(patience_ms));
    }
    runs.open_run(a);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, patience_ms);
    LabContext& lab = window.lab().context;
    const Selection selected{3, 3, 2, lab.run().record(3).first_token + 5};
    lab.select(selected);
    runs.open_pair(a, b);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 3, patience_ms);
    QCOMPARE(runs.place(), a);
    QVERIFY(lab.comparison() != nullptr);
    QVERIFY(lab.selected() == selected);
  }

  /// A difference is of what both retrieve.
  void a_head_of_one_run_alone_is_not_subtracted() {
    LabContext lab;
    RunRequest fewer = test::synthetic_request(4);
    fewer.config.grouping = Grouping({3}, {{0, 1}});
    lab.run().begin(test::synthetic_model(), fewer, nullptr);
    for (int segment = 0; segment < 4; ++segment) {
      auto snapshot = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(lab.run(), segment));
      std::erase_if(snapshot->hits, [](const HeadHits& head) { return head.layer != 3 || head.head > 1; });
      lab.run().append(snapshot);
    }
    lab.pin_run();
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4));
    ComparePanel panel(lab);
    panel.resize(700, 400);
    panel.show();
    panel.findChild<QTabWidget*>()->setCurrentIndex(1);
    lab.select_head(3, 1);
    test::settle();
    PlotView& map = *plot(panel, "compare_map");
    QVERIFY(!map.is_empty());
    lab.select_head(8, 2);
    test::settle();
    QVERIFY(map.is_empty());
    lab.select_head(-1, -1);
    test::settle();
    QVERIFY(!map.is_empty());  // of the first head of both
  }

  /// The mean of all targets so far is of the run: at a segment it is the same in every range.
  void a_range_leaves_the_running_mean_as_it_is() {
    LabContext lab;
    test::synthetic_run(lab.run(), 10, 10, test::synthetic_request(10));
    lab.pin_run();
    lab.run().begin(test::synthetic_model(), test::synthetic_request(10), nullptr);
    for (int segment = 0; segment < 10; ++segment) {
      auto snapshot = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(lab.run(), segment));
      for (float& nll : snapshot->target_nll) nll += 0.1F * static_cast<float>(segment);
      lab.run().append(snapshot);
    }
    ComparePanel panel(lab);
    panel.resize(700, 400);
    panel.show();
    test::settle();
    constexpr int running = 2;  // after the curves of either side
    const auto all = plot(panel, "compare_loss")->drawn_points(running);
    QCOMPARE(all.size(), std::size_t{10});
    QVERIFY(all[4].second < all[5].second);
    lab.set_range({4, 6});
    test::settle();
    const auto shown = plot(panel, "compare_loss")->drawn_points(running);
    QVERIFY(shown == decltype(shown)(all.begin() + 4, all.begin() + 7));
  }

  void a_run_pinned_in_progress_is_compared_whole_once_it_has_ended() {
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    LabContext& lab = window.lab().context;
    window.lab().runs.run(2);  // stops by itself in the middle of segment 2
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.engine_paused() && lab.run().segment_count() == 2, patience_ms);
    lab.pin_run();
    QCOMPARE(lab.pinned_run()->segment_count(), 2);
    QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
    window.lab().runs.resume();
    QVERIFY(ended.wait(patience_ms));
    QVERIFY(lab.pinned_run()->finished());
    QCOMPARE(lab.pinned_run()->segment_count(), lab.run().segment_count());
    run_to_the_end(window);
    check_equal(lab, window);
  }

  void a_comparison_is_exported_whatever_page_is_in_front() {
    const test::TempDir folder;
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    run_to_the_end(window);
    window.lab().context.pin_run();
    SegmentConfig config = window.lab().context.config();
    config.top_k = 1;
    window.lab().context.edit_config(config, QStringLiteral("k"));
    run_to_the_end(window);
    const QString directory = QString::fromStdString(folder.file("plots"));
    window.exports().export_plots(directory);
    for (const char* id : {"compare_map", "compare_jaccard", "compare_jaccard_heads", "compare_loss",
                           "compare_loss_tokens", "distance_heads", "distance_runs"}) {
      QFile file(QStringLiteral("%1/%2.csv").arg(directory, QLatin1String(id)));
      QVERIFY2(file.open(QIODevice::ReadOnly), id);
      QVERIFY2(file.readAll().count('\n') > 5, id);
    }
  }

 private:
  static QTableView* table_of(MainWindow& window) {
    window.docks().raise(QStringLiteral("compare"));
    window.docks().panel(QStringLiteral("compare"))->catch_up();
    test::settle();
    return window.docks().panel(QStringLiteral("compare"))->findChild<QTableView*>();
  }

  static void check_equal(LabContext& lab, MainWindow& window) {
    QVERIFY(lab.comparison());
    const RunComparison& comparison = *lab.comparison();
    QCOMPARE(comparison.common_tokens(), lab.run().token_count());
    QCOMPARE(comparison.total_overlap().jaccard(), std::optional(1.0));
    for (int segment = 0; segment < lab.run().segment_count(); ++segment) {
      QCOMPARE(comparison.segment_loss_change(segment).mean().value_or(0), 0.0);
      QVERIFY(comparison.segment_overlap(segment).jaccard().value_or(1) == 1.0);
    }
    const QTableView* table = table_of(window);
    QCOMPARE(cell(*table, QStringLiteral("Hits in common (Jaccard)"), ComparisonTable::Change),
             QLocale().toString(1.0, 'f', 3));
    QCOMPARE(cell(*table, QStringLiteral("Perplexity of these targets"), ComparisonTable::RunA),
             cell(*table, QStringLiteral("Perplexity of these targets"), ComparisonTable::RunB));
    for (const auto& [x, jaccard] :
         plot(*window.docks().panel(QStringLiteral("compare")), "compare_jaccard")->drawn_points(0))
      QCOMPARE(jaccard, 1.0);
  }

  static void check_against_full(LabContext& lab, MainWindow& window) {
    const RunComparison& comparison = *lab.comparison();
    QCOMPARE(comparison.total_overlap().either, std::int64_t{0});
    // The first segment has no past: both policies are plain attention there. Later ones differ.
    const LossChange first = comparison.segment_loss_change(0);
    QVERIFY(std::abs(*first.mean()) < 1e-4);
    float most = 0;
    for (std::int64_t token = lab.run().record(1).first_token; token < lab.run().token_count(); ++token)
      if (const float change = comparison.loss_change(token); !std::isnan(change))
        most = std::max(most, std::abs(change));
    QVERIFY(most > 1e-3F);
    double nll = 0;
    for (int segment = 0; segment < lab.run().segment_count(); ++segment)
      nll += lab.run().record(segment).nll_sum - lab.pinned_run()->record(segment).nll_sum;
    const LossChange all = comparison.total_loss_change();
    QVERIFY(std::abs((all.a - all.b) - nll) < 1e-2);
    const QTableView* table = table_of(window);
    QCOMPARE(cell(*table, QStringLiteral("policy"), ComparisonTable::RunA), QStringLiteral("full"));
    QCOMPARE(cell(*table, QStringLiteral("policy"), ComparisonTable::RunB), QStringLiteral("segmented"));
    Panel& panel = *window.docks().panel(QStringLiteral("compare"));
    QVERIFY(plot(panel, "compare_map")->is_empty());
    const auto labels = plot(panel, "compare_map")->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [](const QLabel* label) { return label->text().contains(QLatin1String("policy full")); }));
    QVERIFY(!plot(panel, "compare_loss")->is_empty());
  }

  // Half of R keeps the better anchors: what is retrieved is a part of what was.
  static void check_less_retrieved(LabContext& lab, MainWindow& window) {
    const auto jaccard = lab.comparison()->total_overlap().jaccard();
    QVERIFY(jaccard && *jaccard > 0.05 && *jaccard < 0.95);
    Panel& panel = *window.docks().panel(QStringLiteral("compare"));
    table_of(window);
    lab.select_head(-1, -1);
    panel.findChild<QTabWidget*>()->setCurrentIndex(1);
    test::settle();
    PlotView& map = *plot(panel, "compare_map");
    QVERIFY(!map.is_empty());
    const QTableView* table = panel.findChild<QTableView*>();
    QVERIFY(!cell(*table, QStringLiteral("retrieval_length"), ComparisonTable::RunA).isEmpty());
    QVERIFY(cell(*table, QStringLiteral("policy"), ComparisonTable::RunA).isEmpty());
    lab.unpin_run();
    test::settle();
    QVERIFY(!lab.comparison());
    QVERIFY(!panel.grab().isNull());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<ComparePanelTest>};
#include "compare_panel_test.moc"
