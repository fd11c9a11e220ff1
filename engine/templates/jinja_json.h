// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

/// Refuses integers beyond 64 bits, signed, and values nested too deeply.
Value value_from_json(Run& run, const nlohmann::ordered_json& json);

/// Arguments of Python's json.dumps.
struct JsonStyle {
  std::string item = ", ", key = ": ";  ///< separators
  bool lines = false;                   ///< one item a line, each level behind another `indent`
  std::string indent;
  bool ascii = false, sorted = false;
};
std::string to_json(Run& run, const Value& value, const JsonStyle& style);

/// str(), with lists and dicts as repr() has them. Refuses what Python spells with an address in memory.
std::string to_text(Run& run, const Value& value);

}  // namespace carryover::jinja
