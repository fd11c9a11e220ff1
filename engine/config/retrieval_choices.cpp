// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/retrieval_choices.h"

#include <algorithm>

namespace carryover {

std::vector<PrefixPart> parts_of(PrefixParts parts) {
  constexpr std::array named{PrefixPart::Sinks, PrefixPart::Retrieved, PrefixPart::Carry};
  std::string_view name = kPrefixPartsNames.at(static_cast<std::size_t>(parts));
  std::vector<PrefixPart> found;
  while (!name.empty()) {
    const std::string_view first = name.substr(0, name.find('+'));
    for (const PrefixPart part : named)
      if (first == kPrefixPartsNames[static_cast<std::size_t>(part) + 1]) found.push_back(part);
    name.remove_prefix(std::min(name.size(), first.size() + 1));
  }
  return found;
}

bool has(PrefixParts parts, PrefixPart part) {
  return std::ranges::count(parts_of(parts), part) > 0;
}

}  // namespace carryover
