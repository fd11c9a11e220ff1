// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <compare>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/families/model_config.h"

namespace carryover {

/// A query head of a layer, both counted from 0.
struct HeadRef {
  int layer = 0, head = 0;
  auto operator<=>(const HeadRef&) const = default;  // NOLINT(modernize-use-nullptr): for the code that it makes
};

/// Reads heads as people write them: "18.6, 15.6". The result ascends. An empty text or "none" is the empty list;
/// returns nothing if the text is not such a list.
std::optional<std::vector<HeadRef>> parse_heads(std::string_view text);
std::string text_of_heads(const std::vector<HeadRef>& heads);
/// Throws EngineError{BadInput} if the model has no such head.
void check_head(const ModelConfig& model, HeadRef head);
void to_json(nlohmann::json& json, const HeadRef& head);  ///< [layer, head]

}  // namespace carryover
