// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_operators.h"

#include <algorithm>
#include <cmath>

#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

[[noreturn]] void refuse_operands(Run& run, std::string_view name, const Value& left, const Value& right) {
  run.refuse("'" + std::string(name) + "' does not take values of type '" + type_name(left) + "' and '" +
             type_name(right) + "'");
}

/// Returns an int, or a bool as an int, or null.
const std::int64_t* whole_number(const Value& value) {
  static constexpr std::int64_t kFlags[] = {0, 1};
  if (const bool* flag = value.boolean()) return &kFlags[*flag ? 1 : 0];
  return value.integer();
}

bool to_real(const Value& value, double& real) {
  if (const auto* whole = whole_number(value)) return real = static_cast<double>(*whole), true;
  if (value.real()) return real = *value.real(), true;
  return false;
}

Value whole_or_lack(Run& run, bool overflows, std::int64_t value) {
  if (overflows) run.lack("an integer beyond 64 bits");
  return {value};
}

Value whole_power(Run& run, std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) run.refuse("0 has no negative power");
    return {std::pow(static_cast<double>(base), static_cast<double>(exponent))};
  }
  std::int64_t result = 1;
  bool overflows = false;
  for (std::int64_t i = 0; i < exponent && !overflows && result != 0 && base != 1; ++i) {
    run.step();
    overflows = __builtin_mul_overflow(result, base, &result);
  }
  return whole_or_lack(run, overflows, result);
}

/// Divides and rounds down, as Python does; the remainder has the divisor's sign.
Value whole_division(Run& run, char name, std::int64_t left, std::int64_t right) {
  if (right == 0) run.refuse("division by zero");
  if (right == -1) {
    std::int64_t negative = 0;
    const bool overflows = __builtin_sub_overflow(std::int64_t{0}, left, &negative);
    return name == '%' ? Value{std::int64_t{0}} : whole_or_lack(run, overflows, negative);
  }
  const std::int64_t rest = left % right;
  const bool below = rest != 0 && (rest < 0) != (right < 0);
  return name == '%' ? Value{below ? rest + right : rest} : Value{left / right - (below ? 1 : 0)};
}

Value whole_operation(Run& run, std::string_view name, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflows = false;
  if (name == "+") {
    overflows = __builtin_add_overflow(left, right, &result);
  } else if (name == "-") {
    overflows = __builtin_sub_overflow(left, right, &result);
  } else if (name == "*") {
    overflows = __builtin_mul_overflow(left, right, &result);
  } else if (name == "**") {
    return whole_power(run, left, right);
  } else if (name != "/") {
    return whole_division(run, name[0], left, right);
  } else {
    if (right == 0) run.refuse("division by zero");
    return {static_cast<double>(left) / static_cast<double>(right)};
  }
  return whole_or_lack(run, overflows, result);
}

double floored_rest(double left, double right) {
  const double rest = std::fmod(left, right);
  if (rest == 0) return std::copysign(0.0, right);
  return (rest < 0) != (right < 0) ? rest + right : rest;
}

Value real_operation(Run& run, std::string_view name, double left, double right) {
  if (name == "+") return {left + right};
  if (name == "-") return {left - right};
  if (name == "*") return {left * right};
  if (name == "**") {
    const double power = std::pow(left, right);
    if (!std::isfinite(power) && std::isfinite(left) && std::isfinite(right)) run.refuse("a power has no finite value");
    return {power};
  }
  if (right == 0) run.refuse("division by zero");
  if (name == "/") return {left / right};
  if (name == "//") return {std::floor((left - floored_rest(left, right)) / right + 0.5)};
  return {floored_rest(left, right)};
}

Value added_texts(Run& run, const Value& left, const Value& right) {
  const bool safe = left.safe() || right.safe();
  const auto part = [&](const Value& value) {
    return safe && !value.safe() ? html_escaped(*value.text()) : *value.text();
  };
  return make_text(run, part(left) + part(right), safe);
}

Value added_sequences(Run& run, const Sequence& left, const Sequence& right) {
  run.make((left.items.size() + right.items.size()) * sizeof(Value));
  Items items = left.items;
  items.insert(items.end(), right.items.begin(), right.items.end());
  return make_sequence(run, std::move(items), left.kind);
}

/// Counts the memory of a repeated value before it is made, and returns the number of repetitions.
std::size_t repeated_size(Run& run, std::size_t size, std::int64_t times) {
  if (times <= 0 || size == 0) return 0;
  if (times > static_cast<std::int64_t>(kMaxMadeBytes / size)) run.refuse("a repeated value is too long");
  run.make(size * static_cast<std::size_t>(times));
  return static_cast<std::size_t>(times);
}

Value repeated(Run& run, const Value& value, std::int64_t times) {
  if (const auto* text = value.text()) {
    std::string made;
    for (std::size_t i = repeated_size(run, text->size(), times); i > 0; --i) made += *text;
    return make_text(run, std::move(made), value.safe());
  }
  const Sequence& sequence = *value.sequence();
  Items items;
  for (std::size_t i = repeated_size(run, sequence.items.size() * sizeof(Value), times); i > 0; --i) {
    items.insert(items.end(), sequence.items.begin(), sequence.items.end());
  }
  return make_sequence(run, std::move(items), sequence.kind);
}

bool repeats(const Value& value) {
  return value.text() || value.sequence(Sequence::Kind::List) || value.sequence(Sequence::Kind::Tuple);
}

}  // namespace

void require_defined(Run& run, const Value& value) {
  if (const auto* undefined = std::get_if<Undefined>(&value.data)) {
    run.refuse(undefined->reason ? *undefined->reason : "a value is undefined");
  }
}

Value binary_operation(Run& run, std::string_view name, const Value& left, const Value& right) {
  run.step();
  require_defined(run, left);
  require_defined(run, right);
  const auto *first = whole_number(left), *second = whole_number(right);
  if (first && second) return whole_operation(run, name, *first, *second);
  double first_real = 0, second_real = 0;
  if (to_real(left, first_real) && to_real(right, second_real)) {
    return real_operation(run, name, first_real, second_real);
  }
  if (name == "+" && left.text() && right.text()) return added_texts(run, left, right);
  const Sequence *list = left.sequence(), *other = right.sequence();
  if (name == "+" && list && other && list->kind == other->kind && list->kind <= Sequence::Kind::Tuple) {
    return added_sequences(run, *list, *other);
  }
  if (name == "*" && repeats(left) && second) return repeated(run, left, *second);
  if (name == "*" && repeats(right) && first) return repeated(run, right, *first);
  if (name == "%" && left.text()) run.lack("'%' on a string");
  refuse_operands(run, name, left, right);
}

bool contains(Run& run, const Value& container, const Value& item) {
  run.step();
  if (const auto* text = container.text()) {
    if (!item.text()) refuse_operands(run, "in", item, container);
    run.scan(text->size());
    return find_text(*text, *item.text()) != std::string_view::npos;
  }
  if (const Dict* dict = container.dict()) return dict->find(run, item) != nullptr;
  const Items items = iterate(run, container);
  return std::any_of(items.begin(), items.end(), [&](const Value& held) { return equal(run, held, item); });
}

bool comparison(Run& run, std::string_view name, const Value& left, const Value& right) {
  if (name == "==") return equal(run, left, right);
  if (name == "!=") return !equal(run, left, right);
  if (name == "in") return contains(run, right, left);
  if (name == "not in") return !contains(run, right, left);
  require_defined(run, left);
  require_defined(run, right);
  const int order = compare(run, left, right);
  if (name == "<") return order < 0;
  if (name == "<=") return order <= 0;
  return name == ">" ? order > 0 : order >= 0;
}

Value negated(Run& run, const Value& value) {
  require_defined(run, value);
  if (const double* real = value.real()) return {-*real};
  const auto* whole = whole_number(value);
  if (!whole) run.refuse("'-' does not take a value of type '" + type_name(value) + "'");
  return whole_operation(run, "-", 0, *whole);
}

}  // namespace carryover::jinja
