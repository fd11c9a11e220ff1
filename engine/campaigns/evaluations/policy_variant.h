// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// A policy with settings of its own over those of the whole evaluation. Evaluations know it by its name:
/// "segmented[retrieval_length=0,sink_length=4]"; without own settings "segmented". A plain value.
struct PolicyVariant {
  std::string policy;                                  ///< of policy_table.h
  nlohmann::json settings = nlohmann::json::object();  ///< by field of SegmentConfig

  std::string name() const;  ///< settings in the order of segment_fields(); policy_variant() reads it
  SegmentConfig config(SegmentConfig config) const;  ///< `config` with its own settings
};

/// Parses a variant's name. A part between commas that has no "=" belongs to the value before it:
/// search_heads=18.6,15.6. Throws EngineError{Usage} on another form, an unknown policy or field, a field that the
/// policy does not read or that is named twice, and {BadInput} with the field's own message where the field does not
/// take the value.
PolicyVariant policy_variant(const std::string& name);

/// Splits "segmented,segmented[retrieval_length=0,sink_length=4]" at the commas outside of brackets, without blanks
/// around the parts.
std::vector<std::string> variant_names(std::string_view list);

}  // namespace carryover
