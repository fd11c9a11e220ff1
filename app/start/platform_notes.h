// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover {

/// Keeps from standard error what Qt's platforms without a display say of themselves ("This plugin does not support
/// propagateSizeHints()"), and which fonts Qt passed over for a script before it found one ("OpenType support missing
/// for "Noto Sans", script 11"): nobody who starts the program can do anything about it. All other messages pass. GUI
/// thread, once.
void drop_platform_notes();

}  // namespace carryover
