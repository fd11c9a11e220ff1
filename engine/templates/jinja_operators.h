// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "engine/templates/jinja_value.h"

/// Operators with Python's meaning. What Python raises an error for is refused.
namespace carryover::jinja {

/// + - * / // % **
Value binary_operation(Run& run, std::string_view name, const Value& left, const Value& right);
/// == != < <= > >= in, not in
bool comparison(Run& run, std::string_view name, const Value& left, const Value& right);
bool contains(Run& run, const Value& container, const Value& item);
Value negated(Run& run, const Value& value);

/// `value.name`: a method goes before an item, and the other way round for `value[index]`. Undefined where there is
/// neither.
Value attribute_of(Run& run, const Value& value, const std::string& name);
Value item_of(Run& run, const Value& value, const Value& index);
/// value[first:last:step], each of which may be None.
Value slice_of(Run& run, const Value& value, const Value& first, const Value& last, const Value& step);
/// The value at a filter's `attribute`: names and numbers with dots between.
Value value_at(Run& run, Value value, const Value& path);

/// Refuses an undefined value, with its reason.
void require_defined(Run& run, const Value& value);

}  // namespace carryover::jinja
