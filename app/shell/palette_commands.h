// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "app/window/main_window.h"
#include "widgets/controls/command_palette.h"

namespace carryover {

/// What can be done in a window now: its enabled actions and those of its panels, views to show, groupings, policies,
/// bookmarks, segments that stand out. GUI thread; the commands live no longer than the window.
std::vector<Command> window_commands(MainWindow& window);

/// What a query spells itself: "segment 12" or "12", "token 5000", "layer 3 head 1" or "l3 h1", where there is one.
std::vector<Command> commands_of_query(LabContext& lab, const QString& query);

}  // namespace carryover
