// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/settings_presets.h"

#include "engine/base/translated_text.h"
#include "engine/config/recall_preset.h"

namespace carryover {

std::vector<SettingsPreset> settings_presets(const ModelConfig& model, const std::vector<HeadRef>& searchers) {
  const SegmentConfig paper = SegmentConfig::defaults_for(model), sinks = SegmentConfig::untrained_defaults_for(model);
  SegmentConfig recall = sinks;
  recall.search_heads = searchers;
  return {
      {"paper", TEXT("The paper's method, with sizes for the model's context length"), paper},
      {"sinks", TEXT("The same with 4 attention sinks (beyond the paper), for models not trained in segments"), sinks},
      {"recall",
       TEXT("Every head reads sinks, windows retrieved by one shared search, and the carry; a question is run twice "
            "(beyond the paper)"),
       recall_preset(model, recall)}};
}

}  // namespace carryover
