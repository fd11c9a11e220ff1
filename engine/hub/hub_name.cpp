// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/hub/hub_name.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"

namespace carryover {

namespace {

constexpr std::size_t kLongestName = 96;  ///< of a hub, for each of the two parts

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns true if `text` has only characters of names, begins and ends with a letter, a digit or an underscore, and
/// has no `..`, so that it is good as a name of a file.
bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName && is_word(text.front()) && is_word(text.back()) &&
         text.find("..") == std::string::npos &&
         std::ranges::all_of(text, [](char c) { return is_word(c) || c == '-' || c == '.'; });
}

/// A repository's folder in the cache separates its parts by two dashes.
bool is_repository(const std::vector<std::string>& parts) {
  return parts.size() == 2 && std::ranges::all_of(parts, [](const std::string& part) {
           return is_name(part) && part.find("--") == std::string::npos;
         });
}

}  // namespace

std::optional<HubName> parse_hub_name(const std::string& text) {
  HubName name;
  const std::size_t at = text.find('@');
  name.repository = text.substr(0, at);
  if (at != std::string::npos) name.revision = text.substr(at + 1);
  const std::vector<std::string> revision = text_parts(name.revision, '/');
  const bool ends_in_name = !name.revision.ends_with('/') && !name.repository.ends_with('/');
  if (!ends_in_name || !is_repository(text_parts(name.repository, '/')) || revision.empty() ||
      !std::ranges::all_of(revision, is_name))
    return std::nullopt;
  for (const char* suffix : {".gguf", ".git", ".safetensors", ".json"})
    if (name.repository.ends_with(suffix)) return std::nullopt;
  return name;
}

HubName require_hub_name(const std::string& text) {
  if (const auto name = parse_hub_name(text)) return *name;
  throw EngineError(Fault::Usage, text, "is no name of a model on a hub", "Write it as ORG/NAME or ORG/NAME@REVISION.");
}

}  // namespace carryover
