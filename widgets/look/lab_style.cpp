// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/lab_style.h"

#include <QLabel>
#include <QPainter>
#include <QStyleOption>
#include <QTabBar>

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

void LabStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                           const QWidget* widget) const {
  QProxyStyle::drawControl(element, option, painter, widget);
  const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
  if (element != CE_TabBarTabShape || tab == nullptr || tab->shape != QTabBar::RoundedNorth) return;
  if (current_theme().kind != ThemeKind::Dark || !(tab->state & State_Selected)) return;
  constexpr int line = 2;
  painter->fillRect(QRect(tab->rect.topLeft(), QSize(tab->rect.width(), line)).adjusted(2, 0, -2, 0),
                    current_theme().accent);
}

/// Texts of labels, message boxes and tooltips (which are labels too) may come from a model, a text or a path. Qt takes
/// what looks like markup for rich text, and loads the files that it names. Where text is rich, its label says so, and
/// set_markup() has escaped what came from outside.
void LabStyle::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  wheel_.guard(*widget);
  auto* label = qobject_cast<QLabel*>(widget);
  if (label != nullptr && label->textFormat() == Qt::AutoText) label->setTextFormat(Qt::PlainText);
}

}  // namespace carryover
