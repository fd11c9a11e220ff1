// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace carryover {

/// Returns the path of a folder of share/carryover beside the program's folder, where builds, installations and
/// archives have it; empty if it is not there. GUI thread, behind the application's start.
QString shared_folder(const QString& name);

}  // namespace carryover
