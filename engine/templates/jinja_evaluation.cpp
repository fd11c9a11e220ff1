// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions and calls of macros (jinja_interpreter.h).
#include <algorithm>

#include "engine/base/error.h"
#include "engine/templates/jinja_filters.h"
#include "engine/templates/jinja_functions.h"
#include "engine/templates/jinja_interpreter.h"
#include "engine/templates/jinja_json.h"
#include "engine/templates/jinja_methods.h"
#include "engine/templates/jinja_operators.h"

namespace carryover::jinja {

Value Interpreter::evaluate(const Expression& expression) {
  const Level level(run_);
  run_.step();
  run_.set_line(expression.line);
  return evaluate_node(expression);
}

Value Interpreter::evaluate_node(const Expression& expression) {
  using Kind = Expression::Kind;
  const auto part = [&](std::size_t i) {
    Value value = evaluate(*expression.parts[i]);
    run_.set_line(expression.line);
    return value;
  };
  switch (expression.kind) {
    case Kind::Constant:
      return expression.constant;
    case Kind::Name:
      return named(expression);
    case Kind::List:
      return make_sequence(run_, evaluate_all(expression.parts));
    case Kind::Tuple:
      return make_sequence(run_, evaluate_all(expression.parts), Sequence::Kind::Tuple);
    case Kind::Dict:
      return dict(expression);
    case Kind::Attribute:
      return attribute_of(run_, part(0), expression.name);
    case Kind::Item:
      return item(expression);
    case Kind::Call:
      return call(expression);
    case Kind::Filter:
      return filter(expression);
    case Kind::Test: {
      const Value tested = part(0);
      return {apply_test(run_, expression.name, tested, arguments(expression))};
    }
    case Kind::Not:
      return {!is_true(part(0))};
    case Kind::Negate:
      return negated(run_, part(0));
    case Kind::Plus:
      return binary_operation(run_, "+", {std::int64_t{0}}, part(0));
    case Kind::Binary: {
      const Value left = part(0), right = part(1);
      return binary_operation(run_, expression.name, left, right);
    }
    case Kind::Compare:
      return comparisons(expression);
    case Kind::And: {
      const Value left = part(0);
      return is_true(left) ? part(1) : left;
    }
    case Kind::Or: {
      const Value left = part(0);
      return is_true(left) ? left : part(1);
    }
    case Kind::Concat:
      return concatenated(expression);
    case Kind::Conditional:
      if (is_true(part(1))) return part(0);
      return expression.parts[2] ? part(2) : make_undefined("a condition is false and has no 'else'");
    case Kind::Slice:
      break;  // evaluated by Item
  }
  CARRYOVER_CHECK(expression.kind != Kind::Slice);
  return {};
}

Value Interpreter::named(const Expression& expression) {
  if (const Value* held = scope_->find(expression.name)) return *held;
  if (is_function(expression.name)) {
    return {std::make_shared<const Callable>(Callable{expression.name, {}, nullptr, nullptr})};
  }
  return make_undefined("'" + expression.name.substr(0, 80) + "' is undefined");
}

Items Interpreter::evaluate_all(const std::vector<ExpressionPtr>& parts) {
  Items items;
  for (const ExpressionPtr& part : parts) items.push_back(evaluate(*part));
  return items;
}

Value Interpreter::dict(const Expression& expression) {
  Dict made;
  for (std::size_t i = 0; i < expression.parts.size(); i += 2) {
    const Value key = evaluate(*expression.parts[i]);
    made.set(run_, key, evaluate(*expression.parts[i + 1]));
  }
  return make_dict(std::move(made));
}

Value Interpreter::comparisons(const Expression& expression) {
  Value left = evaluate(*expression.parts[0]);
  for (std::size_t i = 0; i < expression.operators.size(); ++i) {
    Value right = evaluate(*expression.parts[i + 1]);
    run_.set_line(expression.line);
    if (!comparison(run_, expression.operators[i], left, right)) return {false};
    left = std::move(right);
  }
  return {true};
}

Value Interpreter::concatenated(const Expression& expression) {
  std::string text;
  for (const ExpressionPtr& part : expression.parts) text += to_text(run_, evaluate(*part));
  return make_text(run_, std::move(text));
}

Value Interpreter::evaluate_or_none(const ExpressionPtr& expression) {
  return expression ? evaluate(*expression) : Value{std::monostate{}};
}

Value Interpreter::item(const Expression& expression) {
  const Value value = evaluate(*expression.parts[0]);
  const Expression& index = *expression.parts[1];
  const bool slices = index.kind == Expression::Kind::Slice;
  const Value at = slices ? evaluate_or_none(index.parts[0]) : evaluate(index);
  const Value last = slices ? evaluate_or_none(index.parts[1]) : Value{};
  const Value step = slices ? evaluate_or_none(index.parts[2]) : Value{};
  run_.set_line(expression.line);
  return slices ? slice_of(run_, value, at, last, step) : item_of(run_, value, at);
}

Arguments Interpreter::arguments(const Expression& expression) {
  Arguments given;
  for (std::size_t i = 1; i < expression.parts.size(); ++i) given.positional.push_back(evaluate(*expression.parts[i]));
  for (const auto& [name, value] : expression.named) given.named.emplace_back(name, evaluate(*value));
  run_.set_line(expression.line);
  return given;
}

Value Interpreter::filter(const Expression& expression) {
  const Value value = expression.parts[0] ? evaluate(*expression.parts[0]) : *block_;
  return apply_filter(run_, expression.name, value, arguments(expression));
}

Value Interpreter::call(const Expression& expression) {
  const Value callee = evaluate(*expression.parts[0]);
  const Arguments given = arguments(expression);
  require_defined(run_, callee);
  const Callable* function = callee.callable();
  if (!function) run_.refuse("a value of type '" + type_name(callee) + "' can't be called");
  if (function->macro) return call_macro(*function, given);
  if (function->name == "namespace") return new_namespace(given);
  const bool method = function->self.text() || function->self.dict() || function->self.sequence();
  return method ? call_method(run_, function->self, function->name, given) : call_function(run_, *function, given);
}

Value Interpreter::new_namespace(const Arguments& given) {
  run_.make(sizeof(Namespace) * (2 + given.named.size()));
  namespaces_.push_back(std::make_unique<Namespace>());
  Namespace* made = namespaces_.back().get();
  for (const Value& start : given.positional) {
    if (!start.dict()) run_.refuse("namespace() takes a dict and named values");
    for (const auto& [key, value] : start.dict()->entries()) made->values[to_text(run_, key)] = value;
  }
  for (const auto& [name, value] : given.named) made->values[name] = value;
  return {made};
}

Value Interpreter::call_macro(const Callable& callee, const Arguments& given) {
  const Statement& macro = *callee.macro;
  const std::vector<std::string>& names = macro.target.names;
  if (given.positional.size() > names.size()) {
    run_.refuse("the macro '" + macro.text + "' takes at most " + std::to_string(names.size()) + " arguments");
  }
  for (const auto& [name, value] : given.named) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      run_.refuse("the macro '" + macro.text + "' has no argument '" + name + "'");
    }
  }
  const ScopeGuard scope(*this, callee.scope->shared_from_this());
  const int loops = std::exchange(loop_depth_, 0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    run_.step();
    if (const Value* value = given.find(i, names[i])) {
      scope_->set(names[i], *value);
    } else if (macro.values[i]) {
      scope_->set(names[i], evaluate(*macro.values[i]));
    } else {
      scope_->set(names[i], make_undefined("the macro's argument '" + names[i] + "' was not given"));
    }
  }
  const Value made = make_text(run_, captured(macro.bodies[0]));
  loop_depth_ = loops;
  return made;
}

}  // namespace carryover::jinja
