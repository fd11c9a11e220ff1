// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "engine/config/setting.h"
#include "engine/config/training_config.h"

namespace carryover {

/// The range of a number: at least `least`, or above it, and below `limit`, or at most it.
struct NumberRange {
  double least = 0;
  bool above = false;
  double limit = std::numeric_limits<double>::infinity();
  bool to_limit = false;

  bool holds(double value) const {
    return (above ? value > least : value >= least) && (to_limit ? value <= limit : value < limit);
  }
};

/// A flag of `train`, whose name is the field's key with dashes.
struct TrainingFlag {
  const char* group = nullptr;  ///< heading in help; null: there is no flag
  const char* type = "";        ///< placeholder for its value; "" for a switch
  const char* help = "";
};

/// A field of TrainingConfig, described once (ADR 0057). This row is the source of its JSON, its bounds, its flag, and
/// its words in the fine-tune form.
struct TrainingField {
  template <typename Value>
  using Of = Setting<TrainingConfig, Value>;
  using Named = NamedSetting<TrainingConfig>;
  using Member = std::variant<Of<std::int64_t>, Of<std::optional<std::int64_t>>, Of<std::uint64_t>, Of<double>,
                              Of<bool>, Of<std::vector<std::int64_t>>, Of<std::vector<std::string>>, Named>;
  const char* key;    ///< name in JSON
  const char* label;  ///< for forms; English, as are `unit` and `help`, and translated by the window
  const char* unit;   ///< text after the number, with its space; "" without a unit
  const char* help;   ///< one sentence, without a full stop
  Member member;
  NumberRange range;  ///< of a number, or of each number of a list
  TrainingFlag flag;

  /// Returns null if its value is of another type.
  template <typename Value>
  const Of<Value>* as() const {
    return std::get_if<Of<Value>>(&member);
  }
  const Named* named() const { return std::get_if<Named>(&member); }  ///< null if it takes no name
  bool has_flag() const { return flag.group != nullptr; }
  /// Returns true for a switch that also has a flag with --no-: one that is on by default.
  bool can_be_turned_off() const;
};

/// Returns every field, in the order of help. Any thread.
std::span<const TrainingField> training_fields();
/// Returns null if `key` is no field.
const TrainingField* find_training_field(std::string_view key);

}  // namespace carryover
