// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

/// Computes str.format() with fields that are empty, a number or a name. Other fields and formats are not supported.
std::string formatted(Run& run, const std::string& format, const Arguments& arguments);

}  // namespace carryover::jinja
