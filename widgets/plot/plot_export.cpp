// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_export.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QPixmap>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QWidget>
#include <cmath>

#include "engine/base/csv_cell.h"
#include "engine/base/error.h"
#include "engine/formats/output_file.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

constexpr double mm_per_inch = 25.4;
constexpr int layout_dpi = 96;
constexpr int convert_timeout_ms = 60'000;

[[noreturn]] void fail(const QString& path, const QString& problem, const QString& advice) {
  throw EngineError(Fault::Io, path.toStdString(), problem.toStdString(), advice.toStdString());
}

void write_whole(const QString& path, const QByteArray& contents) {
  write_file_atomically(path.toStdString(), {contents.constData(), static_cast<std::size_t>(contents.size())});
}

/// Metadata that any PDF reader and `pdfinfo -meta` show.
QByteArray xmp_packet(const FigureInfo& info) {
  return QStringLiteral(
             "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?>"
             "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
             "<rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
             "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>%1</rdf:li></rdf:Alt></dc:title>"
             "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>%2</rdf:li></rdf:Alt></dc:description>"
             "</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>")
      .arg(info.title.toHtmlEscaped(), info.provenance.toHtmlEscaped())
      .toUtf8();
}

QByteArray pdf_bytes(QCustomPlot& plot, const QSizeF& size_mm, const FigureInfo& info) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setTitle(info.title);
    writer.setCreator(QStringLiteral("Carryover"));
    writer.setPageSize(QPageSize(size_mm, QPageSize::Millimeter, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    writer.setResolution(layout_dpi);
    writer.setDocumentXmpMetadata(xmp_packet(info));
    writer.addFileAttachment(QStringLiteral("provenance.txt"), info.provenance.toUtf8(), QStringLiteral("text/plain"));
    QCPPainter painter;
    painter.begin(&writer);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    plot.toPainter(&painter, layout_pixels(size_mm.width()), layout_pixels(size_mm.height()));
    painter.end();
  }
  return buffer.data();
}

}  // namespace

int layout_pixels(double mm) {
  return static_cast<int>(std::lround(mm * layout_dpi / mm_per_inch));
}

void write_png(QCustomPlot& plot, const QString& path, const QSizeF& size_mm, int dpi, const FigureInfo& info) {
  const QSize pixels(static_cast<int>(std::lround(size_mm.width() * dpi / mm_per_inch)),
                     static_cast<int>(std::lround(size_mm.height() * dpi / mm_per_inch)));
  QImage image(pixels, QImage::Format_RGB32);
  if (image.isNull())
    fail(path,
         filled(QObject::tr("a picture of %1 × %2 pixels doesn't fit in memory"), pixels.width(), pixels.height()),
         QObject::tr("choose a smaller size or fewer dots per inch"));
  // Fonts take their size from the image's resolution: the layout's while drawing, the file's after.
  image.setDotsPerMeterX(static_cast<int>(std::lround(layout_dpi * 1000 / mm_per_inch)));
  image.setDotsPerMeterY(image.dotsPerMeterX());
  image.fill(Qt::white);
  const QSize layout(layout_pixels(size_mm.width()), layout_pixels(size_mm.height()));
  QCPPainter painter;
  painter.begin(&image);
  painter.setMode(QCPPainter::pmNoCaching);
  painter.scale(static_cast<double>(pixels.width()) / layout.width(),
                static_cast<double>(pixels.height()) / layout.height());
  plot.toPainter(&painter, layout.width(), layout.height());
  painter.end();
  image.setDotsPerMeterX(static_cast<int>(std::lround(dpi * 1000 / mm_per_inch)));
  image.setDotsPerMeterY(image.dotsPerMeterX());
  image.setText(QStringLiteral("Title"), info.title);
  image.setText(QStringLiteral("Source"), info.provenance);
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG")) fail(path, QObject::tr("the picture can't be encoded"), {});
  write_whole(path, buffer.data());
}

void write_pdf(QCustomPlot& plot, const QString& path, const QSizeF& size_mm, const FigureInfo& info) {
  write_whole(path, pdf_bytes(plot, size_mm, info));
}

void write_svg(QCustomPlot& plot, const QString& path, const QSizeF& size_mm, const FigureInfo& info) {
  const QString advice = QObject::tr("install poppler-utils (apt-get install poppler-utils), or export a PDF");
  const QString converter = QStandardPaths::findExecutable(QStringLiteral("pdftocairo"));
  if (converter.isEmpty()) fail(path, QObject::tr("SVG needs the program pdftocairo, which isn't installed"), advice);
  const QTemporaryDir folder;
  if (!folder.isValid()) fail(path, QObject::tr("no temporary folder: %1").arg(folder.errorString()), {});
  const QString pdf = folder.filePath(QStringLiteral("figure.pdf")),
                svg = folder.filePath(QStringLiteral("figure.svg"));
  write_whole(pdf, pdf_bytes(plot, size_mm, info));
  QProcess process;
  process.start(converter, {QStringLiteral("-svg"), pdf, svg});
  const bool ended = process.waitForFinished(convert_timeout_ms);
  QFile file(svg);
  if (!ended || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0 ||
      !file.open(QIODevice::ReadOnly))
    fail(path, QObject::tr("pdftocairo failed: %1").arg(QString::fromUtf8(process.readAllStandardError()).trimmed()),
         advice);
  QByteArray text = file.readAll();
  const qsizetype root_end = text.indexOf('>', text.indexOf("<svg"));
  const QString metadata = QStringLiteral("\n<title>%1</title>\n<metadata>%2</metadata>")
                               .arg(info.title.toHtmlEscaped(), info.provenance.toHtmlEscaped());
  text.insert(root_end + 1, metadata.toUtf8());
  write_whole(path, text);
}

void write_csv(const QString& path, const QString& rows, const FigureInfo& info) {
  QString text;
  for (const QString& line :
       (info.title + QLatin1Char('\n') + info.provenance).split(QLatin1Char('\n'), Qt::SkipEmptyParts))
    text += QString::fromStdString(csv_comment(line.toStdString()));
  write_whole(path, (text + rows).toUtf8());
}

void write_picture(QWidget& widget, const QString& path) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!widget.grab().save(&buffer, QFileInfo(path).suffix().toLatin1().constData()))
    throw EngineError(Fault::Io, path.toStdString(), "can't be written in the format of its suffix",
                      "Name a .png in a folder that you may write to.");
  write_whole(path, bytes);
}

}  // namespace carryover
