// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QString>
#include <functional>
#include <vector>

#include "widgets/panels/panel.h"

namespace carryover {

/// Where a panel stands in the window by default.
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

/// The id of today of a panel or plot that a script names, perhaps by its id of an earlier version.
QString current_panel_id(const QString& id);
/// A layout of QMainWindow::saveState(), perhaps of an earlier version, with the ids of today.
QByteArray with_current_panel_ids(QByteArray layout);

}  // namespace carryover
