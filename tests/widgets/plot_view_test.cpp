// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_view.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <cmath>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"

using namespace carryover;

namespace {

using Points = std::vector<std::pair<double, double>>;

bool shows(const QImage& image, const QColor& colour) {
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixelColor(x, y) == colour) return true;
  return false;
}

QImage picture(PlotView& plot) {
  test::settle();
  return plot.grab().toImage();
}

}  // namespace

class PlotViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void outlines_frame_their_cells() {
    PlotView plot(QStringLiteral("frames"));
    plot.resize(400, 300);
    plot.set_map({2, 2, {0, 1, 2, 3}}, -0.5, 1.5, -0.5, 1.5, QStringLiteral("value"), PlotView::Gradient::Viridis);
    const QColor colour(255, 0, 255);
    const int outline = plot.add_outline({[colour](const Theme&) { return colour; }, false, 0.1});
    plot.show();
    plot.request_replot();
    QVERIFY(!shows(picture(plot), colour));
    plot.set_outline(outline, QStringLiteral("one"), {{0, 1}});
    plot.request_replot();
    const QImage framed = picture(plot);
    QVERIFY(shows(framed, colour));
    QVERIFY(!shows(framed.copy(framed.width() / 2, 0, framed.width() / 2, framed.height()), colour));  // the left one
    plot.set_outline(outline, {}, {});
    plot.request_replot();
    QVERIFY(!shows(picture(plot), colour));
  }

  void a_right_click_opens_the_menu() {
    PlotView plot(QStringLiteral("menu"));
    plot.resize(400, 300);
    const int curve = plot.add_curve(QStringLiteral("loss"), {series_colour(0)});
    for (int x = 0; x < 5; ++x) plot.append(curve, x, x);
    plot.show();
    plot.request_replot();
    test::settle();
    qsizetype entries = 0;
    QTimer closer;
    connect(&closer, &QTimer::timeout, this, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (menu == nullptr) return;
      entries = menu->actions().size();
      menu->close();
    });
    closer.start(10);
    QWidget* canvas = plot.childAt(plot.rect().center());
    const QPoint at = canvas->rect().center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, canvas->mapToGlobal(at));
    QApplication::sendEvent(canvas, &event);  // as a right click on X11 does
    QCOMPARE(entries, plot.actions().size());
  }

  void stacks_what_is_visible() {
    PlotView plot(QStringLiteral("stack"));
    int curves[3];
    for (std::size_t i = 0; i < 3; ++i)
      curves[i] = plot.add_curve(QString::number(i), {series_colour(i), false, true, true});
    for (int x = 0; x < 5; ++x)
      for (int i = 0; i < 3; ++i) plot.append(curves[i], x, 10.0 * i + x);
    QCOMPARE(plot.drawn_points(curves[2])[4], std::pair(4.0, 4.0 + 14 + 24));
    plot.set_curve_visible(curves[1], false);
    QCOMPARE(plot.drawn_points(curves[2])[4], std::pair(4.0, 4.0 + 24));
    plot.append(curves[0], 5, 5);
    plot.append(curves[1], 5, 15);
    plot.append(curves[2], 5, 25);
    QCOMPARE(plot.drawn_points(curves[2])[5], std::pair(5.0, 30.0));
    plot.set_curve_visible(curves[1], true);
    QCOMPARE(plot.drawn_points(curves[2])[5], std::pair(5.0, 45.0));
    plot.set_log_y(true);
    QCOMPARE(plot.drawn_points(curves[2])[5], std::pair(5.0, 25.0));
  }

  void points_that_share_an_x_keep_their_order() {
    PlotView plot(QStringLiteral("stairs"));
    const int curve = plot.add_curve(QStringLiteral("stairs"), {series_colour(0)});
    Points stairs;
    for (int i = 0; i < 20; ++i)
      for (const double y : {i - 0.5, i + 0.5}) stairs.emplace_back(i * 100, y);
    for (const auto& [x, y] : stairs) plot.append(curve, x, y);
    QCOMPARE(plot.drawn_points(curve), stairs);
  }

  void follows_the_data_until_zoomed() {
    PlotView plot(QStringLiteral("follow"));
    const int curve = plot.add_curve(QStringLiteral("line"), {series_colour(0)});
    plot.append(curve, {0, 10}, {1, 2});
    plot.request_replot();
    QVERIFY(plot.view().contains(QRectF(0, 1, 10, 1)));
    plot.append(curve, 100, 5);
    plot.request_replot();
    QVERIFY(plot.view().right() >= 100);
    plot.zoom_to(2, 4, 1, 2);
    const QRectF zoomed = plot.view();
    plot.append(curve, 200, 9);
    plot.request_replot();
    QCOMPARE(plot.view(), zoomed);
    plot.fit();
    QVERIFY(plot.view().right() >= 200 && plot.view().bottom() >= 9);
  }

  void an_axis_of_shares_runs_from_0_to_1() {
    PlotView plot(QStringLiteral("share"));
    plot.set_y_range(0, 1);
    const int curve = plot.add_curve(QStringLiteral("score"), {series_colour(0)});
    plot.append(curve, {0, 10}, {0.5, 1});
    plot.request_replot();
    QCOMPARE(plot.view().top(), 0.0);
    QCOMPARE(plot.view().bottom(), 1.0);
    plot.append(curve, 11, 3);  // what goes beyond is seen
    plot.request_replot();
    QVERIFY(plot.view().top() == 0 && plot.view().bottom() >= 3);
    plot.set_y_range(NAN, NAN);
    plot.clear_curves();
    plot.append(curve, {0, 10}, {0.5, 0.75});
    plot.request_replot();
    QVERIFY(plot.view().top() > 0.4 && plot.view().bottom() < 0.8);
  }

  void an_empty_plot_says_so() {
    PlotView plot(QStringLiteral("empty"));
    plot.resize(300, 200);
    plot.set_empty_text(QStringLiteral("No run yet"));
    const int curve = plot.add_curve(QStringLiteral("line"), {series_colour(0)});
    plot.request_replot();
    plot.show();
    QVERIFY(plot.is_empty());
    QVERIFY(!shows(picture(plot), current_theme().series[0]));
    plot.append(curve, {0, 1, 2}, {1, 1, 1});
    plot.request_replot();
    QVERIFY(shows(picture(plot), current_theme().series[0]));
    plot.clear_curves();
    plot.request_replot();
    QVERIFY(!shows(picture(plot), current_theme().series[0]));
  }

  void a_change_of_theme_repaints() {
    PlotView plot(QStringLiteral("theme"));
    plot.resize(300, 200);
    const int curve = plot.add_curve(QStringLiteral("line"), {series_colour(0)});
    plot.append(curve, {0, 1, 2}, {1, 1, 1});
    plot.request_replot();
    plot.show();
    const QColor light_line = current_theme().series[0];
    QVERIFY(shows(picture(plot), light_line));
    apply_theme(*qApp, ThemeKind::Dark);
    const QImage dark = picture(plot);
    QVERIFY(shows(dark, current_theme().surface));
    QVERIFY(shows(dark, current_theme().series[0]));
    QVERIFY(!shows(dark, light_line));
  }

  void map_cells_are_painted_where_they_are() {
    PlotView plot(QStringLiteral("map"));
    plot.resize(500, 300);
    Map map{4, 7, {}};
    for (int i = 0; i < 28; ++i) map.values.push_back(i % 5 == 0 ? NAN : static_cast<float>(i));
    plot.set_map(map, -0.5, 6.5, -0.5, 3.5, QStringLiteral("value"), PlotView::Gradient::Viridis);
    plot.request_replot();
    plot.show();
    const QImage image = picture(plot);
    int blank = 0, painted = 0;
    for (int px = 0; px < 500; px += 7)
      for (int py = 0; py < 300; py += 7) {
        const QPointF at = test::plot_coordinates(plot, {px, py});
        const double dx = std::abs(at.x() - std::round(at.x())), dy = std::abs(at.y() - std::round(at.y()));
        if (std::isnan(at.x()) || dx > 0.4 || dy > 0.4 || dx < 0.05 || dy < 0.05)
          continue;  // edges; grid lines in blanks
        const QColor colour = plot.map_colour(at.x(), at.y());
        QCOMPARE(image.pixelColor(px, py), colour.isValid() ? colour : current_theme().surface);
        ++(colour.isValid() ? painted : blank);
      }
    QVERIFY(blank > 20 && painted > 200);
  }

  void one_row_or_column_has_its_full_size() {
    PlotView plot(QStringLiteral("thin"));
    plot.resize(400, 300);
    plot.set_map({1, 1, {2.F}}, -0.5, 0.5, -0.5, 0.5, QStringLiteral("value"), PlotView::Gradient::Cividis);
    plot.request_replot();
    plot.show();
    const QImage image = picture(plot);
    int painted = 0;
    for (int px = 0; px < 400; px += 9)
      for (int py = 0; py < 300; py += 9) {
        const QPointF at = test::plot_coordinates(plot, {px, py});
        if (std::isnan(at.x()) || std::abs(at.x()) > 0.47 || std::abs(at.y()) > 0.47) continue;
        QCOMPARE(image.pixelColor(px, py), plot.map_colour(0, 0));
        ++painted;
      }
    QVERIFY(painted > 100);
  }

  void the_cursor_comes_and_goes() {
    PlotView plot(QStringLiteral("cursor"));
    plot.resize(300, 200);
    const int curve = plot.add_curve(QStringLiteral("line"), {series_colour(1)});
    plot.append(curve, {0, 1, 2}, {1, 1, 1});
    plot.request_replot();
    plot.show();
    QVERIFY(!shows(picture(plot), current_theme().accent));
    plot.set_cursor(1);
    QVERIFY(shows(picture(plot), current_theme().accent));
    plot.set_cursor(NAN);
    QVERIFY(!shows(picture(plot), current_theme().accent));
  }

  void a_low_plot_has_no_title_that_is_cut_to_nothing() {
    const auto drawn = [](const QString& label, int height) {
      PlotView plot(QStringLiteral("label"));
      plot.resize(400, height);
      const int curve = plot.add_curve(QStringLiteral("line"), {series_colour(0)});
      plot.append(curve, {0, 1, 2}, {1, 2, 1});
      plot.set_axes(QStringLiteral("x"), label);
      plot.show();
      plot.request_replot();
      return picture(plot);
    };
    const QString label = QStringLiteral("Share of the attention");
    QVERIFY(drawn(label, 300) != drawn({}, 300));
    QCOMPARE(drawn(label, 100), drawn({}, 100));
    QVERIFY(drawn(QStringLiteral("Share (%)"), 100) != drawn({}, 100));  // its unit has room
  }

  /// "2.2E+04" in English as it is spoken in America, where a power of ten is meant.
  void powers_of_ten_are_drawn_alike_in_all_languages() {
    const auto drawn = [](const QLocale& locale) {
      const QLocale before;
      QLocale::setDefault(locale);
      PlotView plot(QStringLiteral("powers"));
      plot.resize(400, 240);
      plot.set_second_axis(QStringLiteral("PPL"), [](double nats) { return std::exp(nats); });
      plot.append(plot.add_curve(QStringLiteral("line"), {series_colour(0)}), {0, 1, 2}, {30, 31, 32});
      plot.show();
      plot.request_replot();
      const QImage image = picture(plot);
      QLocale::setDefault(before);
      return image;
    };
    QCOMPARE(drawn(QLocale(QLocale::English, QLocale::UnitedStates)), drawn(QLocale::c()));
  }

  void a_label_stays_beside_its_axis() {
    const auto drawn = [](const QString& label, int& axis) {
      PlotView plot(QStringLiteral("label"));
      plot.resize(200, 260);
      for (const char* name : {"the first curve", "the second curve", "the third curve", "the fourth curve"})
        plot.append(plot.add_curve(QLatin1String(name), {series_colour(0)}), {0, 1, 2}, {1, 2, 1});
      plot.set_axes(QStringLiteral("x"), label);
      plot.show();
      plot.request_replot();
      const QImage image = picture(plot);
      axis = plot.map_pixels().height();
      return image.copy(0, 0, 14, image.height());  // where the label stands, left of the ticks
    };
    int axis = 0;
    const QImage with = drawn(QStringLiteral("Share of the attention on all tokens of the text"), axis);
    const QImage without = drawn({}, axis);
    int first = with.height(), last = -1;
    for (int y = 0; y < with.height(); ++y)
      for (int x = 0; x < with.width(); ++x)
        if (with.pixel(x, y) != without.pixel(x, y)) first = std::min(first, y), last = y;
    QVERIFY(last > first);
    QVERIFY2(last - first <= axis + 16, qPrintable(QStringLiteral("%1 over %2").arg(last - first).arg(axis)));
  }

  void a_title_that_is_too_long_keeps_its_beginning() {
    const auto drawn = [](const QString& end, int width) {
      PlotView plot(QStringLiteral("title"));
      plot.resize(width, 240);
      plot.append(plot.add_curve(QStringLiteral("line"), {series_colour(0)}), {0, 1, 2}, {1, 2, 1});
      plot.set_title(QStringLiteral("What layer 3, head 2 of a model retrieves for ") + end);
      plot.show();
      plot.request_replot();
      return picture(plot);
    };
    const QString one = QStringLiteral("segment 15"), other = QStringLiteral("the selected segment, and the next");
    QCOMPARE(drawn(one, 200), drawn(other, 200));
    QVERIFY(drawn(one, 900) != drawn(other, 900));
  }

  void clicks_drags_and_keys() {
    PlotView plot(QStringLiteral("mouse"));
    plot.resize(300, 200);
    const int curve = plot.add_curve(QStringLiteral("line"), {series_colour(0)});
    plot.append(curve, {0, 100}, {0, 100});
    plot.request_replot();
    plot.show();
    test::settle();
    QSignalSpy clicked(&plot, &PlotView::clicked), stepped(&plot, &PlotView::stepped);
    const QPoint centre(170, 90);
    QWidget* canvas = plot.childAt(centre);
    QTest::mouseClick(canvas, Qt::LeftButton, Qt::NoModifier, centre);
    QCOMPARE(clicked.count(), 1);
    const QPointF expected = test::plot_coordinates(plot, centre);
    QCOMPARE(clicked[0][0].toDouble(), expected.x());
    QCOMPARE(clicked[0][1].toDouble(), expected.y());
    QTest::mousePress(canvas, Qt::LeftButton, Qt::NoModifier, centre);
    QTest::mouseMove(canvas, centre + QPoint(40, 0));
    QTest::mouseRelease(canvas, Qt::LeftButton, Qt::NoModifier, centre + QPoint(40, 0));
    QCOMPARE(clicked.count(), 1);
    QTest::keyClick(&plot, Qt::Key_Right);
    QCOMPARE(stepped.count(), 1);
    QCOMPARE(stepped[0][0].toInt(), 1);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PlotViewTest>};
#include "plot_view_test.moc"
