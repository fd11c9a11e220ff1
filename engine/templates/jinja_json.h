// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

/// Converts a JSON value. Refuses integers that do not fit in signed 64 bits, and values that are nested too deeply.
Value value_from_json(Run& run, const nlohmann::ordered_json& json);

/// The arguments of Python's json.dumps.
struct JsonStyle {
  std::string item = ", ", key = ": ";  ///< separators
  bool lines = false;                   ///< one item per line, each level indented by another `indent`
  std::string indent;
  bool ascii = false, sorted = false;
};
std::string to_json(Run& run, const Value& value, const JsonStyle& style);

/// Computes str(), with lists and dicts as in repr(). Refuses values that Python spells with an address in memory.
std::string to_text(Run& run, const Value& value);

}  // namespace carryover::jinja
