// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

/// Returns true for the functions that transformers gives a template: dict, namespace, raise_exception, range, and
/// strftime_now if the caller sets it.
bool is_function(const std::string& name);
/// Calls any of these functions but `namespace`, which the interpreter handles.
Value call_function(Run& run, const Callable& function, const Arguments& given);
/// Makes a `strftime_now` that tells a fixed local time, as wall_clock() gives it.
Value make_clock(std::int64_t seconds);

}  // namespace carryover::jinja
