// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QString>
#include <functional>
#include <vector>

#include "widgets/lab/panel.h"

namespace carryover {

class Lab;
class LabDialogs;
class PanelDocks;

/// The area of the window in which a panel stands by default.
enum class PanelArea { Left, Centre, Right, Bottom };

/// The kind of work that a panel is for. Panels of Inspect stand in the window by default.
enum class PanelGroup { Inspect, Train, Measure };

/// The parts of a window that a panel is bound to if it asks the engine for something. Panels live shorter than them.
struct WindowParts {
  Lab& lab;
  PanelDocks& docks;
  LabDialogs& dialogs;
};

/// One row a panel: a new panel is one pair of files and one row in panel_registry.cpp. Menus, docks, layouts,
/// commands, scripts and the guide follow from the row; the title is the panel's own. GUI thread.
struct PanelEntry {
  QString id;  ///< stable: object name, layouts, `--figure`
  PanelArea area;
  PanelGroup group;
  QString guide;      ///< heading of its section in the English guide
  QString former_id;  ///< of earlier versions; empty: it has always had this one
  std::function<Panel*(LabContext&, QWidget*)> create;
  std::function<void(Panel*, const WindowParts&)> bind;  ///< once, after all panels exist
};
const std::vector<PanelEntry>& panel_registry();

/// Returns the current id of a panel or plot that a script names, perhaps by its id of an earlier version.
QString current_panel_id(const QString& id);
/// Returns a layout of QMainWindow::saveState(), perhaps of an earlier version, with the current ids.
QByteArray with_current_panel_ids(QByteArray layout);

}  // namespace carryover
