// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "fuzz/support/fuzz.h"

namespace carryover::fuzz {

/// Changes one place of a JSON value, so that what comes out is still JSON: a number to one at an edge, an entry
/// removed, doubled, moved, or put in the place of another, and bytes of texts and of binary values.
void mutate_json(nlohmann::json& value, Random& random);

/// Changes JSON text in the same way. Text that is no JSON is mutated as bytes.
std::string mutate_json_text(std::string_view text, Random& random, std::size_t most);

/// One line of a file of JSON lines: its value changed, or the line removed, doubled or swapped with another.
std::string mutate_json_lines(std::string_view text, Random& random, std::size_t most);

}  // namespace carryover::fuzz
