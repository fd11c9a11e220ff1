// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <cmath>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "widgets/controls/page_parts.h"
#include "widgets/inspection/carry_panel.h"
#include "widgets/inspection/hits_panel.h"
#include "widgets/inspection/retrieval_map_panel.h"
#include "widgets/inspection/sinks_panel.h"
#include "widgets/lab/lab_context.h"
#include "widgets/look/theme.h"
#include "widgets/panels/log_panel.h"
#include "widgets/runs/loss_panel.h"
#include "widgets/runs/memory_panel.h"
#include "widgets/runs/time_panel.h"

using namespace carryover;

namespace {

void show(Panel& panel, const QSize& size = {900, 500}) {
  panel.resize(size);
  panel.show();
  test::settle();
}

QColor kind_colour(HitKind kind) {
  const Theme& theme = current_theme();
  return kind == HitKind::Anchor ? theme.anchor : kind == HitKind::Expanded ? theme.expanded : theme.padding;
}

/// The pixel of a plot at (x, y), found by asking the plot itself; (-1, -1) where it isn't visible.
QPoint pixel_at(PlotView& plot, double x, double y) {
  QPoint best(-1, -1);
  double column_error = 1e300, row_error = 1e300;
  const int middle_x = plot.width() / 2, middle_y = plot.height() / 2;
  for (int px = 0; px < plot.width(); ++px) {
    const double error = std::abs(test::plot_coordinates(plot, {px, middle_y}).x() - x);
    if (error < column_error) column_error = error, best.setX(px);
  }
  for (int py = 0; py < plot.height(); ++py) {
    const double error = std::abs(test::plot_coordinates(plot, {middle_x, py}).y() - y);
    if (error < row_error) row_error = error, best.setY(py);
  }
  return best;
}

}  // namespace

class PanelsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void say_that_a_run_has_begun() {
    LabContext lab;
    RunModel& run = lab.run();
    QVERIFY(no_run_text(run).contains(QLatin1String("Run")));
    run.begin(test::synthetic_model(), test::synthetic_request(2), nullptr);
    QVERIFY(!no_run_text(run).contains(QLatin1String("Run")));
    LossPanel loss(lab);
    show(loss);
    const auto labels = loss.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [&run](const QLabel* label) { return label->text() == no_run_text(run); }));
    run.finish({});
    QVERIFY(no_run_text(run).contains(QLatin1String("Run")));
  }

  void say_that_there_is_no_run() {
    LabContext context;
    RetrievalMapPanel map(context);
    CarryPanel carry(context);
    MemoryPanel memory(context);
    LossPanel loss(context);
    TimePanel time(context);
    SinksPanel sinks(context);
    for (Panel* panel : std::initializer_list<Panel*>{&map, &carry, &memory, &loss, &time, &sinks}) {
      show(*panel);
      for (PlotView* plot : panel->plots()) {
        QVERIFY(plot->is_empty());
        const auto labels = plot->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(),
                            [](const QLabel* label) { return label->text().contains(QLatin1String("Run")); }));
      }
    }
  }

  void one_token_has_no_loss() {
    LabContext context;
    RunRequest request = test::synthetic_request(1, 64);
    request.ids = std::make_shared<const std::vector<std::int32_t>>(1, 7);
    test::synthetic_run(context.run(), 1, 1, request);
    LossPanel panel(context);
    show(panel);
    QVERIFY(panel.plots()[0]->is_empty());
    QStringList texts;
    for (const QLabel* label : panel.findChildren<QLabel*>()) texts += label->text();
    QVERIFY(texts.contains(LossPanel::tr("A single token has no loss: no token follows it")));
    QVERIFY2(texts.contains(QStringLiteral("segment 0")), qPrintable(texts.join(u'|')));
  }

  void the_cumulative_mean_is_that_of_the_run_whatever_range_is_on_show() {
    LabContext context;
    test::synthetic_run(context.run(), 12, 10, test::synthetic_request(12));
    LossPanel panel(context);
    show(panel);
    const PlotView& plot = *panel.plots()[0];
    const auto all = plot.drawn_points(1);
    QCOMPARE(all.size(), std::size_t{10});
    QVERIFY(all[4].second != all[5].second);
    context.set_range({4, 7});
    test::settle();
    const auto shown = plot.drawn_points(1);
    QVERIFY(shown == decltype(shown)(all.begin() + 4, all.begin() + 8));
    context.set_range({8, 11});
    test::settle();
    context.run().append(test::synthetic_snapshot(context.run(), 10));  // and where the run goes on
    test::settle();
    const auto grown = plot.drawn_points(1);
    QCOMPARE(grown.size(), std::size_t{3});
    QCOMPARE(grown[1], all[9]);
    context.set_range({});
    test::settle();
    QCOMPARE(plot.drawn_points(1).back(), grown[2]);
  }

  // At a zoom of less than a position a cell, each painted pixel is what the record says about its segment and
  // position.
  void the_map_paints_the_record() {
    LabContext context;
    test::synthetic_run(context.run(), 12, 12, test::synthetic_request(12, 64, 16));
    RetrievalMapPanel panel(context);
    context.select_head(8, 1);
    context.select_segment(-1);
    show(panel);
    PlotView& plot = *panel.plots()[0];
    plot.zoom_to(100.5, 200.5, 1.5, 9.5);
    test::settle();
    const QImage image = plot.grab().toImage();
    int checked[4] = {0, 0, 0, 0};
    for (int px = 0; px < plot.width(); px += 3)
      for (int py = 0; py < plot.height(); py += 11) {
        const QPointF at = test::plot_coordinates(plot, {px, py});
        const double dx = std::abs(at.x() - std::round(at.x())), dy = std::abs(at.y() - std::round(at.y()));
        if (std::isnan(at.x()) || dx > 0.3 || dy > 0.4 || dy < 0.1) continue;
        const auto position = std::llround(at.x());
        const HeadHits* head = context.run().hits(static_cast<int>(std::llround(at.y())), 8, 1);
        QVERIFY(head);
        const auto hit =
            std::find_if(head->hits.begin(), head->hits.end(), [&](const Hit& h) { return h.position == position; });
        const bool is_hit = hit != head->hits.end();
        const QColor painted = plot.map_colour(at.x(), at.y());
        QCOMPARE(painted.isValid(), is_hit);
        if (is_hit) QCOMPARE(image.pixelColor(px, py), kind_colour(hit->kind));
        ++checked[is_hit ? static_cast<int>(hit->kind) : 3];
      }
    QVERIFY(checked[0] > 0 && checked[1] > 0 && checked[3] > 100);
  }

  void a_click_in_the_map_selects() {
    LabContext context;
    test::synthetic_run(context.run(), 12, 12, test::synthetic_request(12));
    RetrievalMapPanel panel(context);
    context.select({5, 3, 2, -1});
    show(panel);
    PlotView& plot = *panel.plots()[0];
    const HeadHits& head = *context.run().hits(7, 3, 2);
    const auto anchor =
        std::find_if(head.hits.begin(), head.hits.end(), [](const Hit& hit) { return hit.kind == HitKind::Anchor; });
    const QPoint pixel = pixel_at(plot, static_cast<double>(anchor->position), 7);
    QTest::mouseClick(plot.childAt(pixel), Qt::LeftButton, Qt::NoModifier, plot.childAt(pixel)->mapFrom(&plot, pixel));
    QCOMPARE(context.selected().segment, 7);
    QCOMPARE(context.selected().layer, 3);
    QCOMPARE(context.selected().head, 2);
    QVERIFY(std::any_of(head.hits.begin(), head.hits.end(), [&](const Hit& hit) {
      return hit.kind == HitKind::Anchor && hit.position == context.selected().token;
    }));
    QVERIFY(std::abs(context.selected().token - anchor->position) < 16);
  }

  void padding_can_be_left_out() {
    LabContext context;
    test::synthetic_run(context.run(), 4, 4, test::synthetic_request(4));
    RetrievalMapPanel panel(context);
    panel.findChild<QComboBox*>()->setCurrentIndex(1);
    show(panel);
    PlotView& plot = *panel.plots()[0];
    const HeadHits& head = context.run().snapshot(3).hits[0];
    const auto padding =
        std::find_if(head.hits.begin(), head.hits.end(), [](const Hit& hit) { return hit.kind == HitKind::Padding; });
    plot.zoom_to(-0.5, 63.5, -0.5, 5.5);
    test::settle();
    QCOMPARE(plot.map_colour(static_cast<double>(padding->position), 0), current_theme().padding);
    panel.findChild<QCheckBox*>()->setChecked(false);
    test::settle();
    QVERIFY(!plot.map_colour(static_cast<double>(padding->position), 0).isValid());
  }

  void loss_and_memory_draw_the_records_and_grow() {
    LabContext context;
    LossPanel loss(context);
    MemoryPanel memory(context);
    show(loss);
    show(memory);
    test::synthetic_run(context.run(), 20, 7, test::synthetic_request(20));
    test::settle();
    check_curves(context.run(), loss, memory);
    loss.plots()[0]->zoom_to(1, 3, 2, 5);
    const QRectF zoomed = loss.plots()[0]->view();
    for (int segment = 7; segment < 20; ++segment)
      context.run().append(test::synthetic_snapshot(context.run(), segment));
    test::settle();
    check_curves(context.run(), loss, memory);
    QCOMPARE(loss.plots()[0]->view(), zoomed);
    // A new run starts from nothing.
    test::synthetic_run(context.run(), 5, 2, test::synthetic_request(5));
    test::settle();
    check_curves(context.run(), loss, memory);
  }

  void time_stacks_its_parts_a_token() {
    LabContext context;
    TimePanel panel(context);
    show(panel);
    test::synthetic_run(context.run(), 20, 7, test::synthetic_request(20));
    test::settle();
    const auto top = panel.plots()[0]->drawn_points(kTimeParts.size() - 1);
    QCOMPARE(top.size(), std::size_t{7});
    for (int i = 0; i < 7; ++i) {
      const SegmentRecord& record = context.run().record(i);
      const auto [tokens, milliseconds] = top[static_cast<std::size_t>(i)];
      QCOMPARE(tokens, static_cast<double>(context.run().tokens_after(i)));
      QVERIFY(std::abs(milliseconds - 1e3 * record.time->sum() / static_cast<double>(record.length)) < 1e-9);
    }
  }

  void the_carry_map_follows_the_segment() {
    LabContext context;
    test::synthetic_run(context.run(), 6, 6, test::synthetic_request(6));
    CarryPanel panel(context);
    context.select_segment(2);
    show(panel);
    PlotView& plot = *panel.plots()[0];
    const QColor before = plot.map_colour(4, 3);
    QVERIFY(before.isValid());
    QVERIFY(!plot.map_colour(4, 5).isValid());  // a layer that carries nothing
    context.select_segment(4);
    test::settle();
    QVERIFY(plot.map_colour(4, 3) != before);
    panel.findChild<QComboBox*>()->setCurrentIndex(2);
    context.select_segment(0);
    test::settle();
    QVERIFY(plot.is_empty());  // the first tail has nothing to drift from
    context.select_segment(3);
    test::settle();
    const QPoint pixel = pixel_at(plot, 10, 7);
    QTest::mouseClick(plot.childAt(pixel), Qt::LeftButton, Qt::NoModifier, plot.childAt(pixel)->mapFrom(&plot, pixel));
    QCOMPARE(context.selected().layer, 7);
    QCOMPARE(context.selected().token, 4 * 256 - 32 + 10);
  }

  void the_map_of_sinks_follows_quantity_range_and_selection() {
    LabContext context;
    test::synthetic_run(context.run(), 9, 9, test::synthetic_request(9));
    SinksPanel panel(context);
    show(panel);
    PlotView &map = *panel.plots()[0], &curves = *panel.plots()[1];
    QVERIFY(map.map_colour(3, 4).isValid());
    QVERIFY(map.map_colour(3, 4) != map.map_colour(4, 4));  // 3 has lost its sink
    QCOMPARE(map.map_colour(4, 4), map.map_colour(5, 4));
    const auto choose = [&](const char* name, int index) {
      for (auto* box : panel.findChildren<QComboBox*>())
        if (box->accessibleName() == QLatin1String(name)) box->setCurrentIndex(index);
      test::settle();
    };
    const auto drawn = [&](int curve) { return curves.drawn_points(curve); };
    context.select_segment(4);
    test::settle();
    QCOMPARE(drawn(0).size(), std::size_t{12});  // by layer
    QVERIFY(std::abs(drawn(0)[7].second - 0.53) < 1e-6 && std::abs(drawn(3)[7].second - 0.5) < 1e-6);
    choose("What the curves show", 1);
    QCOMPARE(drawn(0).size(), std::size_t{9});
    QVERIFY(std::abs(drawn(0)[3].second - 0.13) < 1e-6);
    QCOMPARE(drawn(7).size(), std::size_t{2});  // lost: 3 and 6
    QCOMPARE(drawn(7)[1].first, 6.0);
    choose("What the map shows", 5);
    QVERIFY(std::abs(drawn(5)[4].second - 101.0 / 2) < 1e-6);  // the largest ratio of any layer
    context.set_range({2, 4});
    test::settle();
    QCOMPARE(drawn(5).size(), std::size_t{3});
    QVERIFY(!map.map_colour(6, 4).isValid());
    QVERIFY2(map.csv().contains(QStringLiteral("50.5")), qPrintable(map.csv()));
    const QPoint pixel = pixel_at(map, 3, 7);
    QTest::mouseClick(map.childAt(pixel), Qt::LeftButton, Qt::NoModifier, map.childAt(pixel)->mapFrom(&map, pixel));
    QCOMPARE(context.selected().segment, 3);
    QCOMPARE(context.selected().layer, 7);
    const auto labels = panel.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->text().contains(QStringLiteral("lost in 1 of 3 segments")) &&
             label->toolTip().contains(QStringLiteral("Set Sinks to 4"));
    }));
  }

  void sinks_that_are_not_judged_are_not_called_kept() {
    const auto says = [](const RunRequest& request, float share_of_sinks) {
      LabContext context;
      context.run().begin(test::synthetic_model(), request, nullptr);
      for (int segment = 0; segment < 2; ++segment) {
        auto snapshot = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(context.run(), segment));
        for (float& value : snapshot->sinks.values) value *= share_of_sinks;
        snapshot->record.sinks = summarize_sinks(snapshot->sinks);
        context.run().append(snapshot);
      }
      SinksPanel panel(context);
      show(panel);
      for (const QLabel* label : panel.findChildren<QLabel*>())
        if (label->accessibleName() == SinksPanel::tr("Lost sinks")) return label->text();
      return QString();
    };
    QCOMPARE(says(test::synthetic_request(2), 1), SinksPanel::tr("no sink lost in %1 segments").arg(2));
    QVERIFY(says(test::synthetic_request(2, 63, 16), 1).contains(QStringLiteral("not assessed: fewer than 64 tokens")));
    QVERIFY(says(test::synthetic_request(2), 0.2F).contains(QStringLiteral("not assessed: only 11 %")));
  }

  /// A folder of an earlier version.
  void a_run_without_sinks_says_so() {
    LabContext context;
    context.run().begin(test::synthetic_model(), test::synthetic_request(3), nullptr);
    auto segment = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(context.run(), 0));
    segment->sinks = {};
    segment->record.sinks.reset();
    context.run().append(segment);
    SinksPanel panel(context);
    show(panel);
    for (const PlotView* plot : panel.plots()) QVERIFY(plot->is_empty());
  }

  void a_hit_is_jumped_to_and_its_reader_stays() {
    LabContext context;
    test::synthetic_run(context.run(), 8, 8, test::synthetic_request(8));
    HitsPanel panel(context);
    context.select({6, 8, 1, -1});
    show(panel);
    auto* table = panel.findChild<QTableView*>();
    QCOMPARE(table->model()->rowCount(), 6 * 32);
    const QModelIndex index = table->model()->index(40, HitsModel::Position);
    const auto position = index.data().toLongLong();
    QSignalSpy resets(table->model(), &QAbstractItemModel::modelReset);
    Q_EMIT table->activated(index);
    test::settle();
    QCOMPARE(context.selected().token, position);
    QCOMPARE(context.selected().segment, 6);
    QCOMPARE(resets.count(), 0);
    panel.findChild<QComboBox*>()->setCurrentIndex(2);
    test::settle();
    QCOMPARE(table->model()->rowCount(), 7 * 32);  // one head, each segment but the first
  }

  void the_log_filters_and_keeps_all() {
    LabContext context;
    LogPanel panel(context);
    panel.append_line(LogLevel::Info, QStringLiteral("loaded"));
    panel.append_line(LogLevel::Error, QStringLiteral("broken"));
    show(panel);
    auto* view = panel.findChild<QPlainTextEdit*>();
    QVERIFY(view->toPlainText().contains(QLatin1String("loaded")));
    panel.findChild<QComboBox*>()->setCurrentIndex(2);
    test::settle();
    QVERIFY(!view->toPlainText().contains(QLatin1String("loaded")));
    QVERIFY(view->toPlainText().contains(QLatin1String("error: broken")));
    QVERIFY(panel.text().contains(QLatin1String("loaded")));
  }

 private:
  static void check_curves(const RunModel& run, LossPanel& loss, MemoryPanel& memory) {
    const auto segment = loss.plots()[0]->drawn_points(0), running = loss.plots()[0]->drawn_points(1);
    QCOMPARE(segment.size(), static_cast<std::size_t>(run.segment_count()));
    double nll = 0, targets = 0;
    for (int i = 0; i < run.segment_count(); ++i) {
      const SegmentRecord& record = run.record(i);
      const auto at = static_cast<std::size_t>(i);
      nll += record.nll_sum;
      targets += static_cast<double>(record.targets);
      QCOMPARE(segment[at], std::pair(static_cast<double>(i), record.nll_sum / static_cast<double>(record.targets)));
      QCOMPARE(running[at].second, nll / targets);
      const QString values = loss.plots()[0]->values_at(static_cast<double>(i));
      QVERIFY2(values.contains(loss.tr("PPL") + u' ' + QString::number(std::exp(nll / targets), 'g', 4)),
               qPrintable(values));  // the second axis
      const MemoryBytes& bytes = record.memory;
      const auto stacked = static_cast<double>(bytes.attention_kv + bytes.carry + bytes.pool + bytes.activations) / 1e6;
      const auto top = memory.plots()[0]->drawn_points(4);
      QVERIFY(std::abs(top.at(at).second - stacked) < 1e-9);
      QCOMPARE(top.at(at).first, static_cast<double>(record.first_token + record.length));
    }
    QCOMPARE(memory.plots()[0]->y_unit(), QStringLiteral("MB"));
    QCOMPARE(loss.plots()[0]->y_unit(), loss.tr("nats"));
    const auto full = memory.plots()[0]->drawn_points(6);
    QCOMPARE(full.size(), static_cast<std::size_t>(run.expected_segments()));
    QCOMPARE(full.back().second, static_cast<double>(run.cost().full_attention_bytes(run.token_count())) / 1e6);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PanelsTest>};
#include "panels_test.moc"
