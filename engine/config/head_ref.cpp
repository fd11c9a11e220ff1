// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/head_ref.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"

namespace carryover {

namespace {

/// Returns the number that is the whole text, if it is one.
std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::vector<HeadRef>> parse_heads(std::string_view text) {
  std::vector<HeadRef> heads;
  text = trimmed(text, " ");
  if (text.empty() || text == "none") return heads;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = trimmed(text.substr(0, comma), " ");
    const std::size_t dot = item.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto layer = number_of(item.substr(0, dot)), head = number_of(item.substr(dot + 1));
    if (!layer || !head) return std::nullopt;
    heads.push_back({*layer, *head});
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::ranges::sort(heads);
  return heads;
}

std::string text_of_heads(const std::vector<HeadRef>& heads) {
  std::string text;
  for (const HeadRef& head : heads)
    text += (text.empty() ? "" : ", ") + std::to_string(head.layer) + "." + std::to_string(head.head);
  return text;
}

void check_head(const ModelConfig& model, HeadRef head) {
  if (head.layer >= 0 && head.layer < model.layers && head.head >= 0 && head.head < model.heads) return;
  throw EngineError(Fault::BadInput, "layer " + std::to_string(head.layer) + ", head " + std::to_string(head.head),
                    "is not in the model",
                    "It has " + std::to_string(model.layers) + " layers of " + std::to_string(model.heads) +
                        " heads, counted from 0.");
}

void to_json(nlohmann::json& json, const HeadRef& head) {
  json = {head.layer, head.head};
}

}  // namespace carryover
