// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

/// Whether Python's type has such a method, be it one that call_method() has or not.
bool has_method(const Value& value, const std::string& name);

/// Methods of str, dict and list. Those that would change a list or a dict are refused, as in transformers' sandbox.
Value call_method(Run& run, const Value& self, const std::string& name, const Arguments& arguments);

/// Arguments of filters and methods, of the types that they take.
const std::string& text_argument(Run& run, const Value& value, const std::string& callee);
const std::string& characters_argument(Run& run, const Value& value, const std::string& callee);  ///< a set of them
std::int64_t integer_argument(Run& run, const Value* value, std::int64_t absent, const std::string& callee);
bool flag_argument(const Value* value);  ///< false where it is absent

/// `text` with the first `most` of `old` (all, below 0) replaced.
std::string replaced(Run& run, const std::string& text, const std::string& old, const std::string& by,
                     std::int64_t most);

}  // namespace carryover::jinja
