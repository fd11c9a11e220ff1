// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "engine/templates/jinja_value.h"

/// Operators with Python's meaning. Operations for which Python raises an error are refused.
namespace carryover::jinja {

/// Computes + - * / // % **
Value binary_operation(Run& run, std::string_view name, const Value& left, const Value& right);
/// Computes == != < <= > >= in, not in
bool comparison(Run& run, std::string_view name, const Value& left, const Value& right);
bool contains(Run& run, const Value& container, const Value& item);
Value negated(Run& run, const Value& value);

/// Return `value.name`, for which a method takes precedence over an item, and `value[index]`, for which it is the other
/// way round. Undefined if there is neither.
Value attribute_of(Run& run, const Value& value, const std::string& name);
Value item_of(Run& run, const Value& value, const Value& index);
/// Returns value[first:last:step]; each of the three may be None.
Value slice_of(Run& run, const Value& value, const Value& first, const Value& last, const Value& step);
/// Returns the value at a filter's `attribute`: names and numbers with dots between them.
Value value_at(Run& run, Value value, const Value& path);

/// Refuses an undefined value, with its reason.
void require_defined(Run& run, const Value& value);

}  // namespace carryover::jinja
