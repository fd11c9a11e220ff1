// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QString>
#include <functional>
#include <vector>

#include "widgets/lab/panel.h"

namespace carryover {

/// The area of the window in which a panel stands by default.
enum class PanelArea { Left, Centre, Right, Bottom };

/// The kind of work that a panel is for. Panels of Inspect stand in the window by default.
enum class PanelGroup { Inspect, Train, Measure };

/// One row a panel: a new panel is one pair of files and one row in panel_registry.cpp.
struct PanelEntry {
  QString id;     ///< stable: object name, layouts, `--figure`
  QString title;  ///< translated
  PanelArea area;
  PanelGroup group;
  std::function<Panel*(LabContext&, QWidget*)> create;
};
const std::vector<PanelEntry>& panel_registry();

/// Returns the current id of a panel or plot that a script names, perhaps by its id of an earlier version.
QString current_panel_id(const QString& id);
/// Returns a layout of QMainWindow::saveState(), perhaps of an earlier version, with the current ids.
QByteArray with_current_panel_ids(QByteArray layout);

}  // namespace carryover
