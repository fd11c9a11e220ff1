// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

/// Returns true if Python's type has such a method, whether or not call_method() supports it.
bool has_method(const Value& value, const std::string& name);

/// Calls a method of str, dict or list. Methods that would change a list or a dict are refused, as in transformers'
/// sandbox.
Value call_method(Run& run, const Value& self, const std::string& name, const Arguments& arguments);

/// Return arguments of filters and methods in the types that these take.
const std::string& text_argument(Run& run, const Value& value, const std::string& callee);
const std::string& characters_argument(Run& run, const Value& value, const std::string& callee);  ///< a set of
                                                                                                  ///< characters
std::int64_t integer_argument(Run& run, const Value* value, std::int64_t absent, const std::string& callee);
bool flag_argument(const Value* value);  ///< false if absent

/// Returns `text` with the first `most` occurrences of `old` replaced (all if `most` is below 0).
std::string replaced(Run& run, const std::string& text, const std::string& old, const std::string& by,
                     std::int64_t most);

}  // namespace carryover::jinja
