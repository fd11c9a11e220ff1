// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/core/config/segment_fields.h"

namespace carryover {

/// Values of SegmentConfig's fields as people write them, in place of JSON. Pure; any thread. All throw
/// EngineError{Usage} naming `where`.
nlohmann::json json_of_indices(const std::string& text, const std::string& where);  ///< "6,8,11"; "none" or nothing: []
nlohmann::json json_of_heads(const std::string& text, const std::string& where);    ///< "18.6,15.6", or none

/// What the field's JSON is: a list as above, else a number, true, false or a name, which update_from_json() reads or
/// refuses. Throws also for a field that no such text says: head_patterns and rope.
nlohmann::json json_of_field(const SegmentField& field, const std::string& text, const std::string& where);
/// The text that json_of_field() reads as this value.
std::string text_of_field(const nlohmann::json& value);

}  // namespace carryover
