// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// A named set of values for all settings. A plain value.
struct SettingsPreset {
  std::string name;
  const char* description = "";  ///< a translatable phrase
  SegmentConfig config;
};

/// Returns the presets "paper", "sinks" and "recall" for a model. `searchers`: the search heads to use if none are
/// known for a model of this shape; without any, the preset for recall is not valid.
std::vector<SettingsPreset> settings_presets(const ModelConfig& model, const std::vector<HeadRef>& searchers = {});

}  // namespace carryover
