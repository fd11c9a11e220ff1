// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "app/window/main_window.h"
#include "widgets/controls/command_palette.h"

namespace carryover {

/// Returns the commands of a window at this moment: its enabled actions and those of its panels, views to show,
/// groupings, policies, bookmarks, segments that stand out. GUI thread; the commands must not outlive the window.
std::vector<Command> window_commands(MainWindow& window);

/// Returns the command that a query itself spells, if any: "segment 12" or "12", "token 5000", "layer 3 head 1" or "l3
/// h1".
std::vector<Command> commands_of_query(LabContext& lab, const QString& query);

}  // namespace carryover
