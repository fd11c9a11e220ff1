// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/text_half.h"

namespace carryover {

std::optional<std::string> name_in_text_half(std::string_view name) {
  for (const std::string_view before : {"", "model."}) {
    if (!name.starts_with(before)) continue;
    const std::string_view rest = name.substr(before.size());
    if (rest.starts_with("vision_tower.") || rest.starts_with("multi_modal_projector.")) return std::nullopt;
    constexpr std::string_view kTextHalf = "language_model.";
    if (rest.starts_with(kTextHalf)) return std::string(before).append(rest.substr(kTextHalf.size()));
  }
  return std::string(name);
}

}  // namespace carryover
