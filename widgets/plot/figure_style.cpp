// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/figure_style.h"

#include <QCoreApplication>
#include <QStringList>

#include "engine/base/error.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

constexpr double least_mm = 20, most_mm = 1000;

QString tr(const char* text) {
  return QCoreApplication::translate("FigureStyle", text);
}

}  // namespace

const std::vector<FigureStyle>& figure_styles() {
  static const std::vector<FigureStyle> styles = {
      {QStringLiteral("screen"), tr("As on the screen"), 0, 1, true},
      {QStringLiteral("paper"), tr("Paper: 8 pt, thin lines, no title"), 8, 0.7, false},
      {QStringLiteral("slide"), tr("Slide: 14 pt, thick lines"), 14, 1.8, true},
  };
  return styles;
}

const FigureStyle& figure_style(const QString& name) {
  QStringList names;
  for (const FigureStyle& style : figure_styles()) {
    if (style.name == name) return style;
    names += style.name;
  }
  throw EngineError(Fault::Usage, "style", tr("“%1” is not known").arg(name).toStdString(),
                    tr("Use %1.").arg(names.join(QStringLiteral(", "))).toStdString());
}

Theme figure_theme(const FigureStyle& style) {
  Theme theme = theme_of(ThemeKind::Light);
  theme.text_points = style.text_points;
  theme.pen = style.pen;
  return theme;
}

const std::vector<FigureSize>& figure_sizes() {
  static const std::vector<FigureSize> sizes = {
      {tr("One column"), {85, 60}},
      {tr("One and a half columns"), {120, 75}},
      {tr("Two columns"), {178, 90}},
      {tr("Slide"), {240, 135}},
  };
  return sizes;
}

QSizeF parse_figure_size(const QString& text) {
  const QStringList parts = QString(text).remove(QStringLiteral("mm")).split(QLatin1Char('x'));
  bool wide = false, high = false;
  const QSizeF size(parts.value(0).toDouble(&wide), parts.value(1).toDouble(&high));
  const auto fits = [](double mm) { return mm >= least_mm && mm <= most_mm; };
  if (parts.size() == 2 && wide && high && fits(size.width()) && fits(size.height())) return size;
  throw EngineError(Fault::Usage, "size", tr("“%1” is not a size of a figure").arg(text).toStdString(),
                    tr("Give millimetres from 20 to 1000, such as 85x60mm.").toStdString());
}

QString figure_size_text(const QSizeF& size_mm) {
  return filled(QStringLiteral("%1x%2mm"), QString::number(size_mm.width()), QString::number(size_mm.height()));
}

}  // namespace carryover
