// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

#include "engine/templates/jinja_value.h"

/// Reads literals at the front of `source`, as Jinja spells them.
namespace carryover::jinja {

struct Literal {
  Value value;
  std::size_t size = 0;  ///< number of bytes of `source`
};

Literal read_string(Run& run, std::string_view source);
/// `behind_dot`: true after a dot as in `x.0.5`, where a number is an index and has no fraction.
Literal read_number(Run& run, std::string_view source, bool behind_dot);
std::size_t name_length(std::string_view source);  ///< 0 if no name starts here

}  // namespace carryover::jinja
