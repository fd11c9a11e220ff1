// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// A member of SegmentConfig that takes one of a list of names.
struct Choice {
  const char* type;  ///< placeholder for it in help
  std::span<const std::string_view> names;
  std::size_t (*get)(const SegmentConfig& config);  ///< index in `names`
  void (*set)(SegmentConfig& config, std::size_t place);
  std::string_view name(const SegmentConfig& config) const { return names[get(config)]; }
};

/// A field of SegmentConfig, described once (ADR 0022). This row is the source of its JSON, its bounds, its flag, the
/// settings panel, the fine-tune form, the what-if summary, the guide's table and the manual page.
struct SegmentField {
  using Member =
      std::variant<std::int64_t SegmentConfig::*, std::optional<std::int64_t> SegmentConfig::*, bool SegmentConfig::*,
                   Choice, std::vector<HeadRef> SegmentConfig::*, HeadPatterns SegmentConfig::*,
                   std::optional<RopeConfig> SegmentConfig::*, Grouping SegmentConfig::*>;
  const char* key;     ///< name in JSON; the flag is this name with dashes
  const char* symbol;  ///< the paper's symbol; "" if it has none
  const char* label;   ///< for forms; English, as are `unit` and `help`, and translated by the window
  const char* unit;    ///< text after the number, with its space; "" without a unit
  const char* help;    ///< one sentence, without a full stop
  Member member;
  std::int64_t least = 0;  ///< smallest value of a number

  std::string flag() const;  ///< "--segment-length"
  template <typename Value>
  bool is() const {
    return std::holds_alternative<Value SegmentConfig::*>(member);
  }
  const Choice* choice() const { return std::get_if<Choice>(&member); }  ///< null if it is no choice
  bool is_count() const { return is<std::int64_t>() || is<std::optional<std::int64_t>>(); }
};

/// Returns every field, in the order of forms and documents. Any thread.
std::span<const SegmentField> segment_fields();
/// Returns null if `key` is no field.
const SegmentField* find_segment_field(std::string_view key);

}  // namespace carryover
