// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/state/plan_values.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"

namespace carryover {
namespace {

using Kind = PlanField::Kind;
using nlohmann::json;

void check_value(const PlanField& field, const json& value, const std::string& where) {
  switch (field.kind) {
    case Kind::Integer:
      read_integer(value, where, field.key);
      return;
    case Kind::OptionalInteger:
      if (!value.is_null()) read_integer(value, where, field.key);
      return;
    case Kind::Unsigned:
      read_unsigned(value, where, field.key);
      return;
    case Kind::Real:
      read_real(value, where, field.key);
      return;
    case Kind::Flag:
      read_flag(value, where, field.key);
      return;
    case Kind::Integers:
      if (!value.is_array()) refuse_field(where, field.key, "is not a list", "Give a list of whole numbers.");
      for (const json& number : value) read_integer(number, where, field.key);
      return;
    case Kind::Modules:
    case Kind::Paths:
      if (!value.is_array()) refuse_field(where, field.key, "is not a list", "Give a list of strings.");
      read_strings(value, where, field.key);
      return;
    case Kind::Json:
      return;
    default:
      read_string(value, where, field.key);
  }
}

}  // namespace

QString field_text(const char* text) {
  return *text == '\0' ? QString() : QCoreApplication::translate("carryover", text);
}

QString field_label(const char* label, const char* symbol) {
  return QStringLiteral("%1 %2").arg(field_text(label), QString::fromUtf8(symbol)).trimmed();
}

void check_plan_values(const json& fields, const std::string& where) {
  if (fields.is_null()) return;
  if (!fields.is_object()) throw EngineError(Fault::BadInput, where, "is not a JSON object", "Give fields by name.");
  for (const PlanGroup& group : plan_groups())
    for (const PlanField& field : group.fields)
      if (const auto value = fields.find(field.key); value != fields.end()) check_value(field, *value, where);
}

}  // namespace carryover
