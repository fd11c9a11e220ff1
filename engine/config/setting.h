// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/field_json.h"

/// The values that the rows of a configuration's fields name. Pure; any thread.
namespace carryover {

/// A value of a configuration.
template <typename Config, typename Value>
struct Setting {
  const Value& (*get)(const Config& config);
  Value& (*in)(Config& config);
};

/// A value of a configuration that takes one of a list of names.
template <typename Config>
struct NamedSetting {
  std::span<const std::string_view> names;
  std::size_t (*get)(const Config& config);  ///< index in `names`
  void (*set)(Config& config, std::size_t place);
  std::string_view name(const Config& config) const { return names[get(config)]; }
  /// Returns false if it is none of `names`.
  bool set_name(Config& config, std::string_view name) const {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) set(config, static_cast<std::size_t>(found - names.begin()));
    return found != names.end();
  }
};

namespace detail {
template <typename Owner, typename Value>
Owner owner_of(Value Owner::*);
template <typename Owner, typename Value>
Value value_of(Value Owner::*);
}  // namespace detail

/// Returns the value at the end of a path of members: setting_at<&TrainingConfig::lora, &LoraConfig::rank>().
template <auto first, auto... rest>
constexpr auto setting_at() {
  using Config = decltype(detail::owner_of(first));
  using Value = std::remove_cvref_t<decltype(((std::declval<Config&>().*first).*....*rest))>;
  return Setting<Config, Value>{[](const Config& config) -> const Value& { return ((config.*first).*....*rest); },
                                [](Config& config) -> Value& { return ((config.*first).*....*rest); }};
}

/// Returns the value of an enumeration whose values are the places of `names`.
template <auto member>
constexpr auto named_setting(std::span<const std::string_view> names) {
  using Config = decltype(detail::owner_of(member));
  return NamedSetting<Config>{names, [](const Config& config) { return static_cast<std::size_t>(config.*member); },
                              [](Config& config, std::size_t place) {
                                config.*member = static_cast<decltype(detail::value_of(member))>(place);
                              }};
}

}  // namespace carryover
