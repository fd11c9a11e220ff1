// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSizeF>
#include <QString>
#include <vector>

#include "widgets/look/theme.h"

namespace carryover {

/// How a figure's text and lines look. A plain value.
struct FigureStyle {
  QString name = QStringLiteral("screen");  ///< for --style and scripts
  QString title;                            ///< for people, translated
  double text_points = 0;                   ///< of labels; ticks and legends are a point smaller. 0: as on the screen
  double pen = 1;                           ///< line widths are multiplied by it
  bool titled = true;                       ///< off: the title is the caption's, as journals want it
};

/// "screen", "paper", "slide".
const std::vector<FigureStyle>& figure_styles();
/// Throws EngineError{Usage} naming the styles.
const FigureStyle& figure_style(const QString& name);
/// The light theme with a style's text and lines.
Theme figure_theme(const FigureStyle& style);

/// A usual size of a figure.
struct FigureSize {
  QString title;  ///< translated
  QSizeF mm;
};
/// Columns of papers, slides.
const std::vector<FigureSize>& figure_sizes();
/// "85x60mm", "85x60"; 20 to 1000 mm each. Throws EngineError{Usage}.
QSizeF parse_figure_size(const QString& text);
QString figure_size_text(const QSizeF& size_mm);  ///< as parse_figure_size reads it

}  // namespace carryover
