// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

// Pure; any thread.
std::string human_duration(double seconds);     ///< "2 min 5 s"
std::string forecast_duration(double seconds);  ///< the same, and from an hour on "2.5 h"

}  // namespace carryover
