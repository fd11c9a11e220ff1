// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/templates/jinja_syntax.h"

namespace carryover::jinja {

/// The names of a template, of a loop's body, or of a macro. Names that it lacks are looked for in `outer`.
class Scope : public std::enable_shared_from_this<Scope> {
 public:
  explicit Scope(std::shared_ptr<Scope> outer = nullptr) : outer_(std::move(outer)) {}
  const Value* find(const std::string& name) const;
  void set(const std::string& name, Value value) { values_[name] = std::move(value); }

 private:
  std::shared_ptr<Scope> outer_;
  std::map<std::string, Value> values_;
};

/// One rendering of a template. Owner: one thread.
class Interpreter {
 public:
  explicit Interpreter(Run& run) : run_(run), scope_(std::make_shared<Scope>()) {}

  void set(const std::string& name, Value value) { scope_->set(name, std::move(value)); }
  std::string render(const Body& body);

 private:
  enum class Flow { Next, Break, Continue };
  class ScopeGuard;

  // Statements (jinja_interpreter.cpp).
  Flow execute(const Body& body);
  Flow execute(const Statement& statement);
  Flow run_if(const Statement& statement);
  Flow run_for(const Statement& statement);
  Items loop_items(const Statement& statement);
  void assign(const Target& target, Value value);
  void define(const Statement& macro);
  void write(std::string_view text);
  std::string captured(const Body& body);
  std::string filtered_block(const Statement& statement);

  // Expressions (jinja_evaluation.cpp).
  Value evaluate(const Expression& expression);
  Value evaluate_node(const Expression& expression);
  Value evaluate_or_none(const ExpressionPtr& expression);
  Value named(const Expression& expression);
  Items evaluate_all(const std::vector<ExpressionPtr>& parts);
  Value dict(const Expression& expression);
  Value comparisons(const Expression& expression);
  Value concatenated(const Expression& expression);
  Value item(const Expression& expression);
  Value call(const Expression& expression);
  Value call_macro(const Callable& callee, const Arguments& given);
  Value new_namespace(const Arguments& given);
  Value filter(const Expression& expression);
  Arguments arguments(const Expression& expression);

  Run& run_;
  std::shared_ptr<Scope> scope_;
  std::vector<std::shared_ptr<Scope>> kept_;            ///< scopes in which macros were defined
  std::vector<std::unique_ptr<Namespace>> namespaces_;  ///< namespaces may hold each other
  std::string output_;
  const Value* block_ = nullptr;  ///< operand of the filters of a `filter` or `set` block
  int loop_depth_ = 0;
};

/// Opens a scope. Names that are set during its lifetime are removed at its end.
class Interpreter::ScopeGuard {
 public:
  ScopeGuard(Interpreter& owner, std::shared_ptr<Scope> outer)
      : owner_(owner), before_(std::exchange(owner.scope_, std::make_shared<Scope>(std::move(outer)))) {}
  explicit ScopeGuard(Interpreter& owner) : ScopeGuard(owner, owner.scope_) {}
  ~ScopeGuard() { owner_.scope_ = std::move(before_); }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  Interpreter& owner_;
  std::shared_ptr<Scope> before_;
};

}  // namespace carryover::jinja
