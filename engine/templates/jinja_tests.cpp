// SPDX-License-Identifier: GPL-3.0-or-later
// The tests after `is` (jinja_filters.h).
#include "engine/templates/jinja_filters.h"
#include "engine/templates/jinja_methods.h"
#include "engine/templates/jinja_operators.h"

namespace carryover::jinja {

namespace {

bool is_number_value(const Value& value) {
  return value.boolean() || value.integer() || value.real();
}

/// Returns true if Python can ask values of this type for their length and items.
bool is_indexable(const Value& value) {
  const Sequence* sequence = value.sequence();
  return value.undefined() || value.text() || value.dict() || (sequence && sequence->kind <= Sequence::Kind::Range);
}

const Value& operand(const Application& call) {
  if (call.given.positional.size() != 1) call.run.refuse("the test '" + call.name + "' takes one argument");
  return call.given.positional[0];
}

bool is_remainder(const Application& call, const Value& divisor, std::int64_t rest) {
  return equal(call.run, binary_operation(call.run, "%", call.value, divisor), {rest});
}

using Test = bool (*)(const Application&);

template <char kFirst, char kSecond = '\0'>
bool compares(const Application& call) {
  static constexpr char kName[] = {kFirst, kSecond, '\0'};
  return comparison(call.run, kName, call.value, operand(call));
}

const std::map<std::string, Test>& tests() {
  static const std::map<std::string, Test> all{
      {"defined", [](const Application& call) { return !call.value.undefined(); }},
      {"undefined", [](const Application& call) { return call.value.undefined(); }},
      {"none", [](const Application& call) { return call.value.none(); }},
      {"boolean", [](const Application& call) { return call.value.boolean() != nullptr; }},
      {"true", [](const Application& call) { return call.value.boolean() && *call.value.boolean(); }},
      {"false", [](const Application& call) { return call.value.boolean() && !*call.value.boolean(); }},
      {"integer", [](const Application& call) { return call.value.integer() != nullptr; }},
      {"float", [](const Application& call) { return call.value.real() != nullptr; }},
      {"number", [](const Application& call) { return is_number_value(call.value); }},
      {"string", [](const Application& call) { return call.value.text() != nullptr; }},
      {"mapping", [](const Application& call) { return call.value.dict() != nullptr; }},
      {"sequence", [](const Application& call) { return is_indexable(call.value); }},
      {"iterable", [](const Application& call) { return is_indexable(call.value) || call.value.sequence(); }},
      {"callable", [](const Application& call) { return call.value.callable() != nullptr; }},
      {"odd", [](const Application& call) { return is_remainder(call, {std::int64_t{2}}, 1); }},
      {"even", [](const Application& call) { return is_remainder(call, {std::int64_t{2}}, 0); }},
      {"divisibleby", [](const Application& call) { return is_remainder(call, operand(call), 0); }},
      {"in", [](const Application& call) { return contains(call.run, operand(call), call.value); }},
      {"eq", compares<'=', '='>},
      {"equalto", compares<'=', '='>},
      {"==", compares<'=', '='>},
      {"ne", compares<'!', '='>},
      {"!=", compares<'!', '='>},
      {"lt", compares<'<'>},
      {"lessthan", compares<'<'>},
      {"<", compares<'<'>},
      {"le", compares<'<', '='>},
      {"<=", compares<'<', '='>},
      {"gt", compares<'>'>},
      {"greaterthan", compares<'>'>},
      {">", compares<'>'>},
      {"ge", compares<'>', '='>},
      {">=", compares<'>', '='>},
  };
  return all;
}

}  // namespace

bool apply_test(Run& run, const std::string& name, const Value& value, const Arguments& given) {
  run.step();
  const auto test = tests().find(name);
  if (test == tests().end()) run.lack("the test '" + name.substr(0, 40) + "'");
  return test->second({run, name, value, given});
}

}  // namespace carryover::jinja
