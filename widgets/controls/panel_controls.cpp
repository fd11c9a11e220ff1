// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/panel_controls.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QStringList>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>

#include "engine/base/error.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/markup.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("PanelControls", text);
}

[[noreturn]] void refuse(const QWidget& panel, const QString& problem, const QString& advice) {
  const QString where = panel.objectName().isEmpty() ? panel.accessibleName() : panel.objectName();
  throw EngineError(Fault::Usage, where.toStdString(), problem.toStdString(), advice.toStdString());
}

QString name_of(const QWidget& widget) {
  if (!widget.accessibleName().isEmpty()) return widget.accessibleName();
  const auto* button = qobject_cast<const QAbstractButton*>(&widget);
  return button ? QString(button->text()).remove(QLatin1Char('&')) : QString();
}

bool is_part_of_another(const QWidget& widget) {
  const QWidget* parent = widget.parentWidget();
  return qobject_cast<const QComboBox*>(parent) || qobject_cast<const QAbstractSpinBox*>(parent);
}

/// Returns the value that the widget shows if it is a switch; null otherwise.
QString value_of(const QWidget& widget) {
  if (const auto* box = qobject_cast<const QComboBox*>(&widget)) return box->currentText();
  if (const auto* pages = qobject_cast<const QTabWidget*>(&widget)) return pages->tabText(pages->currentIndex());
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
    return !button->isCheckable() ? QString() : button->isChecked() ? QStringLiteral("on") : QStringLiteral("off");
  if (const auto* number = qobject_cast<const QSpinBox*>(&widget)) return QString::number(number->value());
  if (const auto* number = qobject_cast<const QDoubleSpinBox*>(&widget)) return QString::number(number->value());
  const auto* line = qobject_cast<const QLineEdit*>(&widget);
  return line && !is_part_of_another(widget) ? QLatin1String("") + line->text() : QString();
}

bool is_switch(const QWidget& widget) {
  return !name_of(widget).isEmpty() && !value_of(widget).isNull();
}

int item_of(const QWidget& panel, const QWidget& box, const QStringList& items, const QString& value) {
  bool is_number = false;
  int index = items.indexOf(value);
  if (index < 0) index = value.toInt(&is_number);
  const bool known = items.contains(value) || (is_number && index >= 0 && index < items.size());
  if (!known)
    refuse(panel, tr("“%1” has no “%2”").arg(name_of(box), value),
           tr("Choose one of: %1.").arg(items.join(QStringLiteral("; "))));
  return index;
}

void choose_item(const QWidget& panel, QComboBox& box, const QString& value) {
  QStringList items;
  for (int i = 0; i < box.count(); ++i) items += box.itemText(i);
  box.setCurrentIndex(item_of(panel, box, items, value));
  Q_EMIT box.activated(box.currentIndex());
}

void choose_page(const QWidget& panel, QTabWidget& pages, const QString& value) {
  QStringList items;
  for (int i = 0; i < pages.count(); ++i) items += pages.tabText(i);
  pages.setCurrentIndex(item_of(panel, pages, items, value));
}

void switch_button(QWidget& panel, QAbstractButton& button, const QString& value) {
  if (value != QStringLiteral("on") && value != QStringLiteral("off"))
    refuse(panel, tr("“%1” can't be “%2”").arg(name_of(button), value), tr("Use on or off."));
  if (button.isChecked() != (value == QStringLiteral("on"))) button.click();
}

template <typename Box, typename Number>
void set_number(QWidget& panel, Box& box, Number value, bool is_number) {
  if (!is_number || value < box.minimum() || value > box.maximum())
    refuse(panel, tr("“%1” does not take this value: it needs a number within its range").arg(name_of(box)),
           filled(tr("Give one from %1 to %2."), QString::number(box.minimum()), QString::number(box.maximum())));
  box.setValue(value);
}

void append_table(QStringList& lines, const QTableView& table) {
  const QAbstractItemModel* model = table.model();
  for (int row = 0; model && row < model->rowCount(); ++row) {
    QStringList cells;
    for (int column = 0; column < model->columnCount(); ++column)
      if (!table.isColumnHidden(column)) cells += model->index(row, column).data().toString();
    lines += cells.join(QLatin1Char('\t'));
  }
}

}  // namespace

std::vector<PanelControl> panel_controls(const QWidget& panel) {
  std::vector<PanelControl> controls;
  for (const QWidget* widget : panel.findChildren<QWidget*>())
    if (is_switch(*widget)) controls.push_back({name_of(*widget), value_of(*widget)});
  return controls;
}

void set_panel_control(QWidget& panel, const QString& name, const QString& value) {
  QStringList names;
  for (QWidget* widget : panel.findChildren<QWidget*>()) {
    if (!is_switch(*widget)) continue;
    names += name_of(*widget);
    if (names.back() != name) continue;
    if (!widget->isEnabled())
      refuse(panel, tr("“%1” can't be changed now").arg(name), tr("Open or run what it needs first."));
    bool is_number = false;
    if (auto* box = qobject_cast<QComboBox*>(widget)) return choose_item(panel, *box, value);
    if (auto* pages = qobject_cast<QTabWidget*>(widget)) return choose_page(panel, *pages, value);
    if (auto* button = qobject_cast<QAbstractButton*>(widget)) return switch_button(panel, *button, value);
    if (auto* box = qobject_cast<QSpinBox*>(widget)) {
      const int number = value.toInt(&is_number);
      return set_number(panel, *box, number, is_number);
    }
    if (auto* box = qobject_cast<QDoubleSpinBox*>(widget)) {
      const double number = value.toDouble(&is_number);
      return set_number(panel, *box, number, is_number);
    }
    return static_cast<QLineEdit*>(widget)->setText(value);
  }
  refuse(panel, tr("has no “%1”").arg(name),
         names.isEmpty() ? tr("This panel has no settings to choose.")
                         : tr("It has: %1.").arg(names.join(QStringLiteral("; "))));
}

void press_panel_button(QWidget& panel, const QString& name) {
  QStringList names;
  for (auto* button : panel.findChildren<QAbstractButton*>()) {
    const QString text = QString(button->text()).remove(QLatin1Char('&'));
    if (name_of(*button).isEmpty() || qobject_cast<QTabBar*>(button->parentWidget())) continue;
    names += name_of(*button);
    if (name != name_of(*button) && name != text) continue;
    if (!button->isEnabled()) refuse(panel, tr("“%1” can't be pressed now").arg(name), button->toolTip());
    return button->click();
  }
  refuse(panel, tr("has no button “%1”").arg(name),
         names.isEmpty() ? tr("It has none.") : tr("It has: %1.").arg(names.join(QStringLiteral("; "))));
}

QString panel_text(const QWidget& panel) {
  QStringList lines;
  for (const auto* label : panel.findChildren<QLabel*>())
    if (label->isVisibleTo(&panel) && !label->text().isEmpty()) lines += plain_text(*label);
  for (const PanelControl& control : panel_controls(panel))
    lines += control.name + QStringLiteral(": ") + control.value;
  for (const auto* table : panel.findChildren<QTableView*>())
    if (table->isVisibleTo(&panel)) append_table(lines, *table);
  return lines.join(QLatin1Char('\n'));
}

}  // namespace carryover
