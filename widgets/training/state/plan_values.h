// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace carryover {

/// One field of a TrainingPlan as a form shows it. `key` is its JSON name.
struct PlanField {
  enum class Kind {
    Integer,
    Unsigned,         ///< 64 bits
    OptionalInteger,  ///< 0 stands for null
    Real,
    Text,
    Json,  ///< any JSON value; empty: null
    Folder,
    Model,
    Paths,  ///< one a line
    Integers,
    Choice,
    Flag,
    Modules,
  };
  const char* key;
  Kind kind;
  const char *label, *unit, *help;
  QStringList choices = {};
  const char* symbol = "";  ///< stands behind the label
};

struct PlanGroup {
  const char* title;
  std::vector<PlanField> fields;
};
/// Every field of TrainingPlan, TrainingConfig and SegmentConfig, once.
const std::vector<PlanGroup>& plan_groups();

/// The label of a field as forms show it, translated, with its symbol behind it.
QString field_label(const char* label, const char* symbol);
/// A unit or a help text, translated; "" stays empty.
QString field_text(const char* text);

/// Checks that fields of a plan, which may be incomplete and come from any file, have values that their editors take.
/// Null is allowed. Throws EngineError{BadInput} naming `where` and the field.
void check_plan_values(const nlohmann::json& fields, const std::string& where);

}  // namespace carryover
