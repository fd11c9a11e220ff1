// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/lab_style.h"

#include <QPainter>
#include <QStyleOption>

#include "widgets/look/theme.h"

namespace carryover {

LabStyle::LabStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void LabStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                             const QWidget* widget) const {
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  const bool box = element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck;
  const bool radio = element == PE_IndicatorRadioButton;
  const bool pressed = element == PE_PanelButtonCommand && (option->state & State_On);
  if (current_theme().kind != ThemeKind::Dark || !(box || radio || pressed)) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const Theme& theme = current_theme();
  painter->setPen(pressed ? theme.accent : option->state & State_Enabled ? theme.muted : theme.grid);
  painter->setBrush(Qt::NoBrush);
  const QRectF outline = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
  if (radio)
    painter->drawEllipse(outline);
  else
    painter->drawRoundedRect(outline, 2, 2);
  painter->restore();
}

}  // namespace carryover
