// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

/// The functions that transformers gives a template: dict, namespace, raise_exception, range, and strftime_now where
/// the caller sets it.
bool is_function(const std::string& name);
/// All but `namespace`, which is the interpreter's.
Value call_function(Run& run, const Callable& function, const Arguments& given);
/// `strftime_now` of a fixed local time, as wall_clock() gives it.
Value make_clock(std::int64_t seconds);

}  // namespace carryover::jinja
