// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>

#include "engine/formats/json_file.h"
#include "engine/formats/npy.h"
#include "tests/support/expect_error.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;

namespace {

const QSizeF size_mm(85, 60);

QByteArray output_of(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  if (!process.waitForFinished() || process.exitCode() != 0) qFatal("%s failed", qPrintable(program));
  return process.readAllStandardOutput();
}

/// A curve that runs far outside the visible part in every direction.
void fill(PlotView& plot) {
  plot.set_title(QStringLiteral("Sine"));
  plot.set_axes(QStringLiteral("x (m)"), QStringLiteral("y (s)"));
  plot.set_provenance(QStringLiteral("model: tiny <1>\nweights: abc"));
  const int curve = plot.add_curve(QStringLiteral("sine, \"tall\""), {series_colour(0)});
  for (int i = 0; i <= 2000; ++i) plot.append(curve, i / 20.0, 10 * std::sin(i / 20.0) / 3);
}

Map gradient_map() {
  Map map{20, 30, {}};
  for (int i = 0; i < 600; ++i) map.values.push_back(static_cast<float>(i));
  return map;
}

bool near(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 60;
}

/// The plotting area in a picture: its axes are the longest horizontal and vertical lines in the axis colour.
QRect axis_area(const QImage& image, const QColor& axis) {
  QRect area;
  int longest_row = 0, longest_column = 0;
  for (int y = 0; y < image.height(); ++y) {
    int first = -1, last = -1, count = 0;
    for (int x = 0; x < image.width(); ++x)
      if (near(image.pixelColor(x, y), axis)) first = first < 0 ? x : first, last = x, ++count;
    if (count > longest_row) longest_row = count, area.setLeft(first), area.setRight(last);
  }
  for (int x = 0; x < image.width(); ++x) {
    int first = -1, last = -1, count = 0;
    for (int y = 0; y < image.height(); ++y)
      if (near(image.pixelColor(x, y), axis)) first = first < 0 ? y : first, last = y, ++count;
    if (count > longest_column) longest_column = count, area.setTop(first), area.setBottom(last);
  }
  return area;
}

}  // namespace

class PlotExportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Dark);  // figures must come out light all the same
  }

  void pdf_has_the_size_asked_for() {
    PlotView plot(QStringLiteral("sine"));
    fill(plot);
    for (const QSizeF& size : {size_mm, QSizeF(180, 101.5), QSizeF(40, 30)}) {
      plot.export_to(file("size.pdf"), PlotView::Format::Pdf, size);
      const QString info = QString::fromUtf8(output_of(QStringLiteral("pdfinfo"), {file("size.pdf")}));
      const auto match = QRegularExpression(QStringLiteral("Page size:\\s+([\\d.]+) x ([\\d.]+) pts")).match(info);
      QVERIFY2(match.hasMatch(), qPrintable(info));
      QVERIFY(std::abs(match.captured(1).toDouble() / 72 * 25.4 - size.width()) < 0.2);
      QVERIFY(std::abs(match.captured(2).toDouble() / 72 * 25.4 - size.height()) < 0.2);
      QVERIFY(info.contains(QStringLiteral("Sine")));
    }
  }

  void no_ink_outside_the_axes_when_zoomed() {
    PlotView plot(QStringLiteral("sine"));
    fill(plot);
    plot.zoom_to(40, 60, -1, 1);
    plot.export_to(file("zoom.pdf"), PlotView::Format::Pdf, size_mm);
    output_of(QStringLiteral("pdftoppm"), {QStringLiteral("-r"), QStringLiteral("200"), QStringLiteral("-png"),
                                           QStringLiteral("-singlefile"), file("zoom.pdf"), file("zoom")});
    const QImage image(file("zoom.png"));
    const Theme theme = theme_of(ThemeKind::Light);
    const QRect area = axis_area(image, theme.muted);
    QVERIFY2(area.width() > image.width() / 2 && area.height() > image.height() / 2, "axes not found");
    int ink = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (near(image.pixelColor(x, y), theme.series[0])) {
          QVERIFY2(area.adjusted(-2, -2, 2, 2).contains(x, y),
                   qPrintable(QStringLiteral("ink at %1, %2").arg(x).arg(y)));
          ++ink;
        }
    QVERIFY(ink > 500);
  }

  void svg_clips_the_curve() {
    PlotView plot(QStringLiteral("sine"));
    fill(plot);
    plot.zoom_to(40, 60, -1, 1);
    plot.export_to(file("zoom.svg"), PlotView::Format::Svg, size_mm);
    QFile svg(file("zoom.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    const QByteArray text = svg.readAll();
    QVERIFY(text.contains("model: tiny &lt;1&gt;"));
    QXmlStreamReader reader(text);
    QVector<bool> clipped{false};
    int curves = 0;
    while (!reader.atEnd()) {
      reader.readNext();
      if (reader.isStartElement()) {
        clipped.push_back(clipped.last() || reader.attributes().hasAttribute(QStringLiteral("clip-path")));
        const QString stroke = reader.attributes().value(QStringLiteral("stroke")).toString() +
                               reader.attributes().value(QStringLiteral("style")).toString();
        const auto rgb =
            QRegularExpression(QStringLiteral("rgb\\(([\\d.]+)%, ?([\\d.]+)%, ?([\\d.]+)%\\)")).match(stroke);
        if (!rgb.hasMatch()) continue;
        const auto channel = [&](int i) { return static_cast<int>(std::lround(rgb.captured(i).toDouble() * 2.55)); };
        if (!near(QColor(channel(1), channel(2), channel(3)), theme_of(ThemeKind::Light).series[0])) continue;
        ++curves;
        QVERIFY2(clipped.last(), "the curve has no clip path");
      } else if (reader.isEndElement()) {
        clipped.pop_back();
      }
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QVERIFY(curves > 0);
  }

  void maps_stay_lossless_in_pdf() {
    PlotView plot(QStringLiteral("map"));
    plot.set_map(gradient_map(), 0, 30, 0, 20, QStringLiteral("value"), PlotView::Gradient::Viridis);
    plot.export_to(file("map.pdf"), PlotView::Format::Pdf, size_mm);
    const QByteArray images = output_of(QStringLiteral("pdfimages"), {QStringLiteral("-list"), file("map.pdf")});
    QVERIFY2(images.contains("image") && !images.contains("jpeg"), images.constData());
  }

  void png_has_its_pixels_density_and_origin() {
    PlotView plot(QStringLiteral("sine"));
    fill(plot);
    for (const int dpi : {72, 300, 600}) {
      plot.export_to(file("sine.png"), PlotView::Format::Png, size_mm, dpi);
      const QImage image(file("sine.png"));
      QCOMPARE(image.width(), static_cast<int>(std::lround(85 * dpi / 25.4)));
      QCOMPARE(image.height(), static_cast<int>(std::lround(60 * dpi / 25.4)));
      QVERIFY(std::abs(image.dotsPerMeterX() * 0.0254 - dpi) < 0.1);
      QCOMPARE(image.text(QStringLiteral("Source")), QStringLiteral("model: tiny <1>\nweights: abc"));
      QCOMPARE(image.pixelColor(1, 1), theme_of(ThemeKind::Light).surface);
    }
  }

  void csv_reads_back_exactly() {
    PlotView plot(QStringLiteral("csv"));
    plot.set_axes(QStringLiteral("x"), QStringLiteral("y"));
    plot.set_provenance(QStringLiteral("model: tiny\nweights: abc"));
    const int a = plot.add_curve(QStringLiteral("a, first"), {series_colour(0), false, true, true});
    const int b = plot.add_curve(QStringLiteral("b"), {series_colour(1), false, true, true});
    std::vector<double> xs, as, bs;
    for (int i = 0; i < 50; ++i) {
      xs.push_back(i / 3.0);
      as.push_back(std::exp(i / 7.0));
      bs.push_back(1 / (1 + i * 0.1));
    }
    plot.append(a, xs, as);
    plot.append(b, xs, bs);
    plot.export_to(file("data.csv"), PlotView::Format::Csv, size_mm);
    QFile csv(file("data.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const QStringList lines = QString::fromUtf8(csv.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QStringList head, rows;
    for (const QString& line : lines) (line.startsWith(QLatin1String("# ")) ? head : rows) += line;
    QVERIFY(head.contains(QStringLiteral("# weights: abc")));
    QCOMPARE(rows[0], QStringLiteral("x,\"a, first\",b"));
    QCOMPARE(rows.size(), 51);
    for (int i = 0; i < 50; ++i) {
      const QStringList cells = rows[i + 1].split(QLatin1Char(','));
      const auto index = static_cast<std::size_t>(i);
      QVERIFY(cells[0].toDouble() == xs[index] && cells[1].toDouble() == as[index] && cells[2].toDouble() == bs[index]);
    }
  }

  /// A low one: a figure is higher, and has more ticks.
  void the_plot_on_the_screen_stays_as_it_was() {
    PlotView plot(QStringLiteral("sine"));
    fill(plot);
    plot.resize(400, 140);
    plot.show();
    plot.request_replot();
    test::settle();
    const QImage before = plot.grab().toImage();
    plot.export_to(file("stays.png"), PlotView::Format::Png, size_mm);
    plot.export_to(file("stays.pdf"), PlotView::Format::Pdf, size_mm);
    test::settle();
    QCOMPARE(plot.grab().toImage(), before);
  }

  void paper_has_small_text_and_leaves_the_title_to_its_caption() {
    PlotView plot(QStringLiteral("sine"));
    fill(plot);
    for (const FigureStyle& style : figure_styles()) {
      plot.export_to(file("style.pdf"), PlotView::Format::Pdf, size_mm, 300, style);
      const QString words = QString::fromUtf8(
          output_of(QStringLiteral("pdftotext"), {QStringLiteral("-bbox"), file("style.pdf"), QStringLiteral("-")}));
      QCOMPARE(words.contains(QStringLiteral(">Sine</word>")), style.titled);
      const auto label =
          QRegularExpression(QStringLiteral("yMin=\"([\\d.]+)\" xMax=\"[\\d.]+\" yMax=\"([\\d.]+)\">\\(m\\)<"))
              .match(words);
      QVERIFY2(label.hasMatch(), qPrintable(words));
      const double height = label.captured(2).toDouble() - label.captured(1).toDouble();  // of a line: 1.2 to 1.5 em
      const double points = style.text_points > 0 ? style.text_points : QApplication::font().pointSizeF();
      QVERIFY2(height > points && height < 1.6 * points, qPrintable(QString::number(height)));
    }
    QCOMPARE(current_theme().kind, ThemeKind::Dark);  // and the window is as it was
  }

  void origin_and_command_are_metadata_of_a_pdf() {
    PlotView plot(QStringLiteral("sine"));
    fill(plot);
    plot.set_remake([] { return QStringList{QStringLiteral("carryover"), QStringLiteral("my run")}; });
    plot.export_to(file("meta.pdf"), PlotView::Format::Pdf, size_mm, 300, figure_style(QStringLiteral("paper")));
    const QString meta =
        QString::fromUtf8(output_of(QStringLiteral("pdfinfo"), {QStringLiteral("-meta"), file("meta.pdf")}));
    QVERIFY2(meta.contains(QStringLiteral("model: tiny &lt;1&gt;")), qPrintable(meta));
    QVERIFY2(meta.contains(QStringLiteral("remade by: carryover 'my run' --size 85x60mm --style paper -o meta.pdf")),
             qPrintable(meta));
  }

  void arrays_read_back_exactly() {
    PlotView plot(QStringLiteral("map"));
    plot.set_axes(QStringLiteral("slot"), QStringLiteral("layer"));
    plot.set_provenance(QStringLiteral("model: tiny"));
    const Map map = gradient_map();
    plot.set_map(map, -0.5, 29.5, 0, 20, QStringLiteral("value"), PlotView::Gradient::Viridis);
    plot.export_to(file("map.npy"), PlotView::Format::Npy, size_mm);
    const NpyArray array = read_npy(file("map.npy").toStdString());
    QCOMPARE(array.shape, (std::vector<std::int64_t>{20, 30}));
    QCOMPARE(npy_floats(array, "map.npy"), map.values);
    const nlohmann::json about = read_json_file(file("map.npy.json").toStdString());
    QVERIFY(about.at("columns").at("from") == -0.5 && about.at("columns").at("label") == "slot");
    QVERIFY(about.at("value") == "value" && about.at("provenance") == "model: tiny");

    PlotView curves(QStringLiteral("curves"));
    fill(curves);
    curves.export_to(file("curves.npy"), PlotView::Format::Npy, size_mm);
    QCOMPARE(read_npy(file("curves.npy").toStdString()).shape, (std::vector<std::int64_t>{2001, 2}));
  }

  void sizes_are_read_and_refused() {
    QCOMPARE(parse_figure_size(QStringLiteral("85x60mm")), QSizeF(85, 60));
    QCOMPARE(parse_figure_size(figure_size_text(QSizeF(120.5, 75))), QSizeF(120.5, 75));
    for (const char* wrong : {"85", "85x", "x60", "85x60x5", "10x60", "85x2000", "85x-60", "wide", "nanxnan"})
      QVERIFY2(test::error_of([&] { parse_figure_size(QString::fromLatin1(wrong)); }).has_value(), wrong);
  }

  void failures_say_what_to_do_and_leave_nothing() {
    PlotView empty(QStringLiteral("empty"));
    const auto nothing = test::error_of([&] { empty.export_to(file("none.pdf"), PlotView::Format::Pdf, size_mm); });
    QVERIFY(nothing && nothing->fault() == Fault::Usage && !nothing->advice().empty());
    QVERIFY(!QFile::exists(file("none.pdf")));

    PlotView plot(QStringLiteral("sine"));
    fill(plot);
    const QString nowhere = folder_.filePath(QStringLiteral("missing/figure"));
    for (const auto format :
         {PlotView::Format::Pdf, PlotView::Format::Png, PlotView::Format::Csv, PlotView::Format::Svg}) {
      const auto error = test::error_of([&] { plot.export_to(nowhere, format, size_mm); });
      QVERIFY(error && error->fault() == Fault::Io && error->where() == nowhere.toStdString() &&
              !error->advice().empty());
    }
  }

  void a_missing_converter_is_named() {
    PlotView plot(QStringLiteral("sine"));
    fill(plot);
    QFile before(file("kept.svg"));
    QVERIFY(before.open(QIODevice::WriteOnly));
    before.write("kept");
    before.close();
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", folder_.path().toLocal8Bit());
    const auto error = test::error_of([&] { plot.export_to(file("kept.svg"), PlotView::Format::Svg, size_mm); });
    qputenv("PATH", path);
    QVERIFY(error && error->fault() == Fault::Io);
    QVERIFY(error->advice().find("poppler-utils") != std::string::npos);
    QVERIFY(before.open(QIODevice::ReadOnly));
    QCOMPARE(before.readAll(), QByteArray("kept"));
  }

 private:
  QString file(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
  QTemporaryDir folder_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PlotExportTest>};
#include "plot_export_test.moc"
