// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <vector>

namespace carryover {

class PanelDocks;

/// A way to arrange the window's panels for one kind of work.
struct LayoutPreset {
  QString id;     ///< "inspect", "train", "measure", "compare", "figure"
  QString title;  ///< translated
};
const std::vector<LayoutPreset>& layout_presets();

/// Moves, shows and hides the panels; none is lost: each can be shown again. GUI thread.
void apply_layout(PanelDocks& docks, const QString& id);

}  // namespace carryover
