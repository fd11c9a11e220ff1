// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/config/segment_fields.h"

namespace carryover {

/// Convert values of SegmentConfig's fields from and to text as people write it, in place of JSON. Pure; any thread.
/// All throw EngineError{Usage}, which names `where`.
nlohmann::json json_of_indices(const std::string& text, const std::string& where);  ///< "6,8,11"; "none" or empty: []
nlohmann::json json_of_heads(const std::string& text, const std::string& where);    ///< "18.6,15.6", or none

/// Returns the JSON value of a field: a list as above, else a number, true, false or a name, which update_from_json()
/// accepts or refuses. Throws also for the fields that have no such text: head_patterns and rope.
nlohmann::json json_of_field(const SegmentField& field, const std::string& text, const std::string& where);
/// Returns the text that json_of_field() reads as this value.
std::string text_of_field(const nlohmann::json& value);

}  // namespace carryover
