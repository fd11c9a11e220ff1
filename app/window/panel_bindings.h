// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/controllers/lab.h"

namespace carryover {

class LabDialogs;
class PanelDocks;

/// Ties the panels that ask the engine for something to who does it, and the log to what is said. Once a window, on the
/// GUI thread; the panels live shorter than the lab.
void bind_panels(Lab& lab, PanelDocks& docks, LabDialogs& dialogs);

}  // namespace carryover
