// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSizeF>
#include <QString>

class QCustomPlot;
class QWidget;

namespace carryover {

/// The texts that a figure's file contains beside the figure.
struct FigureInfo {
  QString title;
  QString provenance;  ///< lines: run, model hash, configuration
};

/// Writers of figures: all of them render in memory and put the file in place whole. `size_mm` is the page's size; text
/// keeps its point size. The plot's own size on screen plays no part. GUI thread.
/// All throw EngineError{Io} naming the path.
void write_png(QCustomPlot& plot, const QString& path, const QSizeF& size_mm, int dpi, const FigureInfo& info);
void write_pdf(QCustomPlot& plot, const QString& path, const QSizeF& size_mm, const FigureInfo& info);
/// By way of the PDF and pdftocairo, since Qt's own SVG writer does not clip.
void write_svg(QCustomPlot& plot, const QString& path, const QSizeF& size_mm, const FigureInfo& info);
/// Writes `rows` with the provenance above them as lines that start with "# ".
void write_csv(const QString& path, const QString& rows, const FigureInfo& info);
/// Writes a picture of the widget, in the format that the path's suffix names.
void write_picture(QWidget& widget, const QString& path);

/// Returns a figure's width at 96 dots per inch, the width that a plot lays itself out in.
int layout_pixels(double mm);

}  // namespace carryover
