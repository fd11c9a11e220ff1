// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/config/head_patterns.h"
#include "engine/config/segment_config.h"
#include "engine/config/setting.h"

namespace carryover {

/// A value of a SegmentConfig: a member of it, or of a policy's own settings.
template <typename Value>
using SettingOf = Setting<SegmentConfig, Value>;

/// Returns the value that `member` points to: &SegmentConfig::carry_length, or &InfLlmSettings::memory_blocks.
template <auto member>
constexpr auto setting() {
  using Owner = decltype(detail::owner_of(member));
  using Value = decltype(detail::value_of(member));
  if constexpr (std::is_same_v<Owner, SegmentConfig>)
    return setting_at<member>();
  else
    return SettingOf<Value>{[](const SegmentConfig& config) -> const Value& { return config.of<Owner>().*member; },
                            [](SegmentConfig& config) -> Value& { return config.of<Owner>().*member; }};
}

/// A member of SegmentConfig that takes one of a list of names.
struct Choice : NamedSetting<SegmentConfig> {
  const char* type;  ///< placeholder for it in help
};

/// A field of SegmentConfig, described once (ADR 0022). This row is the source of its JSON, its bounds, its flag, the
/// settings panel, the fine-tune form, the what-if summary, the guide's table and the manual page.
struct SegmentField {
  using Member = std::variant<SettingOf<std::int64_t>, SettingOf<std::optional<std::int64_t>>, SettingOf<bool>, Choice,
                              SettingOf<std::vector<HeadRef>>, SettingOf<HeadPatterns>,
                              SettingOf<std::optional<RopeConfig>>, SettingOf<Grouping>>;
  const char* key;     ///< name in JSON; the flag is this name with dashes
  const char* symbol;  ///< the paper's symbol; "" if it has none
  const char* label;   ///< for forms; English, as are `unit` and `help`, and translated by the window
  const char* unit;    ///< text after the number, with its space; "" without a unit
  const char* help;    ///< one sentence, without a full stop
  Member member;
  std::int64_t least = 0;  ///< smallest value of a number

  std::string flag() const;  ///< "--segment-length"
  /// Returns null if its value is of another type.
  template <typename Value>
  const SettingOf<Value>* as() const {
    return std::get_if<SettingOf<Value>>(&member);
  }
  template <typename Value>
  bool is() const {
    return as<Value>() != nullptr;
  }
  const Choice* choice() const { return std::get_if<Choice>(&member); }  ///< null if it is no choice
  bool is_count() const { return is<std::int64_t>() || is<std::optional<std::int64_t>>(); }
  bool of_policy() const;  ///< true for a value of a policy's own settings
};

/// The fields of a policy's own settings.
struct PolicyFields {
  std::span<const SegmentField> fields;
  /// Throws EngineError{BadInput} if values that are in their bounds do not fit each other or the model; may be null.
  void (*check)(const SegmentConfig& config, const ModelConfig& model, const std::string& where) = nullptr;
};
/// Returns those of all policies, in the order of forms and documents. Defined in engine/policies, which knows them.
/// Any thread.
std::span<const PolicyFields* const> policy_fields();

/// Returns every field, in the order of forms and documents. Any thread.
std::span<const SegmentField> segment_fields();
/// Returns null if `key` is no field.
const SegmentField* find_segment_field(std::string_view key);

}  // namespace carryover
