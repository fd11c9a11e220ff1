// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_interpreter.h"

#include <utility>

#include "engine/templates/jinja_json.h"

namespace carryover::jinja {

namespace {

constexpr std::size_t kScopeBytes = 512;  // approximate size of a scope with a few names, which is kept with a macro

}  // namespace

const Value* Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_.get()) {
    const auto at = scope->values_.find(name);
    if (at != scope->values_.end()) return &at->second;
  }
  return nullptr;
}

std::string Interpreter::render(const Body& body) {
  execute(body);
  return std::move(output_);
}

Interpreter::Flow Interpreter::execute(const Body& body) {
  for (const Statement& statement : body) {
    if (const Flow flow = execute(statement); flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::execute(const Statement& statement) {
  using Kind = Statement::Kind;
  const Level level(run_);
  run_.step();
  run_.set_line(statement.line);
  switch (statement.kind) {
    case Kind::Text:
      write(statement.text);
      return Flow::Next;
    case Kind::Print:
      write(to_text(run_, evaluate(*statement.values[0])));
      return Flow::Next;
    case Kind::If:
      return run_if(statement);
    case Kind::For:
      return run_for(statement);
    case Kind::Set:
      assign(statement.target, evaluate(*statement.values[0]));
      return Flow::Next;
    case Kind::SetBlock:
      assign(statement.target, make_text(run_, filtered_block(statement)));
      return Flow::Next;
    case Kind::FilterBlock:
      write(filtered_block(statement));
      return Flow::Next;
    case Kind::Macro:
      define(statement);
      return Flow::Next;
    case Kind::Generation: {
      const ScopeGuard scope(*this);
      return execute(statement.bodies[0]);
    }
    case Kind::Break:
      return Flow::Break;
    case Kind::Continue:
      return Flow::Continue;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::run_if(const Statement& statement) {
  for (std::size_t i = 0; i < statement.values.size(); ++i) {
    if (is_true(evaluate(*statement.values[i]))) return execute(statement.bodies[i]);
  }
  return statement.bodies.size() > statement.values.size() ? execute(statement.bodies.back()) : Flow::Next;
}

Items Interpreter::loop_items(const Statement& statement) {
  const Value iterated = evaluate(*statement.values[0]);
  run_.set_line(statement.line);
  Items items = iterate(run_, iterated);
  if (!statement.values[1]) return items;
  Items kept;
  for (Value& value : items) {
    const ScopeGuard scope(*this);
    assign(statement.target, value);
    if (is_true(evaluate(*statement.values[1]))) kept.push_back(std::move(value));
  }
  return kept;
}

Interpreter::Flow Interpreter::run_for(const Statement& statement) {
  Items taken = loop_items(statement);
  const int depth = list_depth(run_, taken);
  auto items = std::make_shared<const Sequence>(Sequence{Sequence::Kind::List, std::move(taken), depth, 0});
  if (items->items.empty()) return statement.bodies.size() > 1 ? execute(statement.bodies[1]) : Flow::Next;
  ++loop_depth_;
  for (std::size_t i = 0; i < items->items.size(); ++i) {
    run_.step();
    const ScopeGuard scope(*this);
    scope_->set("loop", {std::make_shared<const Loop>(Loop{items, i, loop_depth_})});
    assign(statement.target, items->items[i]);
    if (execute(statement.bodies[0]) == Flow::Break) break;
  }
  --loop_depth_;
  return Flow::Next;
}

void Interpreter::assign(const Target& target, Value value) {
  if (!target.attribute.empty()) {
    const Value* held = scope_->find(target.names[0]);
    const auto* space = held ? std::get_if<Namespace*>(&held->data) : nullptr;
    if (!space) run_.refuse("'" + target.names[0] + "' is not a namespace");
    run_.make(sizeof(Namespace));
    (*space)->values[target.attribute] = std::move(value);
    return;
  }
  if (!target.unpacks) return scope_->set(target.names[0], std::move(value));
  Items items = iterate(run_, value);
  if (items.size() != target.names.size()) {
    run_.refuse(std::to_string(items.size()) + " values can't be unpacked to " + std::to_string(target.names.size()) +
                " names");
  }
  for (std::size_t i = 0; i < items.size(); ++i) scope_->set(target.names[i], std::move(items[i]));
}

void Interpreter::define(const Statement& macro) {
  run_.make(kScopeBytes);
  kept_.push_back(scope_);
  scope_->set(macro.text, {std::make_shared<const Callable>(Callable{macro.text, {}, &macro, scope_.get()})});
}

void Interpreter::write(std::string_view text) {
  run_.scan(text.size());
  if (output_.size() + text.size() > kMaxTextBytes) {
    run_.refuse("the template writes more than " + std::to_string(kMaxTextBytes) + " bytes");
  }
  output_ += text;
}

/// Returns the text that the body writes.
std::string Interpreter::captured(const Body& body) {
  std::string before = std::exchange(output_, {});
  execute(body);
  return std::exchange(output_, std::move(before));
}

std::string Interpreter::filtered_block(const Statement& statement) {
  std::string text;
  {
    const ScopeGuard scope(*this);
    text = captured(statement.bodies[0]);
  }
  if (!statement.values[0]) return text;
  const Value made = make_text(run_, std::move(text));
  const Value* before = std::exchange(block_, &made);
  text = to_text(run_, evaluate(*statement.values[0]));
  block_ = before;
  return text;
}

}  // namespace carryover::jinja
