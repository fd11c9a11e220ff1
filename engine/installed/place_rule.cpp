// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/installed/place_rule.h"

#include <cstdlib>
#include <filesystem>

namespace carryover {

std::string place_path(const std::vector<PlaceRule>& rules) {
  for (const PlaceRule& rule : rules) {
    const char* value = rule.variable == nullptr ? "/" : std::getenv(rule.variable);
    if (value == nullptr || *value == '\0') continue;
    const std::filesystem::path path = (std::filesystem::path(value) / rule.below).lexically_normal();
    return (path.has_filename() ? path : path.parent_path()).string();
  }
  return {};
}

const std::vector<PlaceRule>& hub_cache_rules() {
  static const std::vector<PlaceRule> rules{{"HF_HUB_CACHE", ""},
                                            {"HUGGINGFACE_HUB_CACHE", ""},
                                            {"HF_HOME", "hub"},
                                            {"XDG_CACHE_HOME", "huggingface/hub"},
                                            {"HOME", ".cache/huggingface/hub"}};
  return rules;
}

}  // namespace carryover
