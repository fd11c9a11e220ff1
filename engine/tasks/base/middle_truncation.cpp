// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/middle_truncation.h"

#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/utf8.h"

namespace carryover {

namespace {

std::string decode_text(const Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
  std::string bytes = tokenizer.decode(ids);
  return take_utf8(bytes, true);
}

}  // namespace

std::optional<TextHalves> truncate_middle(std::string_view text, std::int64_t most, const Tokenizer& tokenizer) {
  CARRYOVER_CHECK(most >= 2);
  const std::vector<std::int32_t> ids = tokenizer.encode(text);
  if (std::ssize(ids) <= most) return std::nullopt;
  const auto half = static_cast<std::size_t>(most / 2);
  const std::span<const std::int32_t> all(ids);
  return TextHalves{decode_text(tokenizer, all.first(half)), decode_text(tokenizer, all.last(half))};
}

std::optional<std::string> truncate_middle_joined(std::string_view text, std::int64_t most,
                                                  const Tokenizer& tokenizer) {
  CARRYOVER_CHECK(most >= 2);
  std::vector<std::int32_t> ids = tokenizer.encode(text);
  if (std::ssize(ids) <= most) return std::nullopt;
  ids.erase(ids.begin() + most / 2, ids.end() - (most - most / 2));
  return decode_text(tokenizer, ids);
}

PromptParts truncated_parts(const TextHalves& halves, const std::string& question) {
  if (!halves.last.ends_with(question)) return {halves.first, halves.last};
  return {halves.first + halves.last.substr(0, halves.last.size() - question.size()), question};
}

}  // namespace carryover
