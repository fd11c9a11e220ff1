// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/head_pattern_file.h"

#include <nlohmann/json.hpp>

#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

// A head that is named twice has two patterns: a reader that keeps the last one would hide that.

HeadPatterns head_patterns_from_text(std::string_view text, const std::string& where) {
  return head_patterns_from_json(parse_json(text, where, JsonKind::Settings, JsonKeys::Unique), where, {});
}

HeadPatterns read_head_patterns(const std::string& path) {
  return head_patterns_from_json(read_json_file(path, JsonKind::Settings, JsonKeys::Unique), path, {});
}

void write_head_patterns(const HeadPatterns& patterns, const std::string& path) {
  write_file_atomically(path, json_text(patterns) + "\n");
}

}  // namespace carryover
