// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QWidget>
#include <utility>
#include <vector>

namespace carryover {

/// A panel's own switches, so that a script can set what a hand would: combo boxes and tabs (an item's text, or its
/// number from 0), checkable buttons ("on", "off"), number fields, text fields. A switch is named by its accessible
/// name, or else by its text.
struct PanelControl {
  QString name, value;
  bool operator==(const PanelControl&) const = default;
};
std::vector<PanelControl> panel_controls(const QWidget& panel);

/// Sets a switch as if a hand had set it. Throws EngineError{Usage} naming the panel's switches, or the values that
/// this one takes.
void set_panel_control(QWidget& panel, const QString& name, const QString& value);
/// Clicks a button that has this text or accessible name. Throws EngineError{Usage}, also where it is disabled.
void press_panel_button(QWidget& panel, const QString& name);
/// Returns what the panel shows as text, a line each: labels, then its switches, then its tables' rows, tab-separated.
QString panel_text(const QWidget& panel);

}  // namespace carryover
