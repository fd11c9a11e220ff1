// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/gguf_part_name.h"

#include <algorithm>
#include <string_view>

namespace carryover {

namespace {

constexpr std::size_t kDigits = 5, kTail = 2 * kDigits + 5;  // "-00002-of-00003"

/// Returns −1 if the text has something other than digits.
std::int64_t number_of(std::string_view digits) {
  const bool all = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return all ? std::stoll(std::string(digits)) : -1;
}

std::string five_digits(std::int64_t number) {
  const std::string text = std::to_string(number);
  return std::string(kDigits - std::min(kDigits, text.size()), '0') + text;
}

}  // namespace

std::optional<GgufPartName> GgufPartName::of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot <= kTail) return std::nullopt;
  const std::string_view tail = std::string_view(path).substr(dot - kTail, kTail);
  GgufPartName name{path.substr(0, dot - kTail), number_of(tail.substr(1, kDigits)),
                    number_of(tail.substr(kTail - kDigits)), path.substr(dot)};
  const bool named = tail.front() == '-' && tail.substr(1 + kDigits, 4) == "-of-";
  if (!named || name.number < 1 || name.count < name.number) return std::nullopt;
  return name;
}

std::string GgufPartName::path(std::int64_t which) const {
  return stem + "-" + five_digits(which) + "-of-" + five_digits(count) + extension;
}

}  // namespace carryover
