// SPDX-License-Identifier: GPL-3.0-or-later
// Operators, from the loosest to the tightest (jinja_parser.h).
#include <algorithm>

#include "engine/templates/jinja_parser.h"

namespace carryover::jinja {

Expression ExpressionParser::start(Kind kind) const {
  Expression made;
  made.kind = kind;
  made.line = tokens_.next().line;
  return made;
}

/// Finishes an expression and bounds its depth, because expressions are evaluated and freed by recursion.
ExpressionPtr ExpressionParser::finish(Expression made) const {
  tokens_.run().step();
  const auto cover = [&](const ExpressionPtr& part) {
    if (part) made.depth = std::max(made.depth, part->depth + 1);
  };
  for (const ExpressionPtr& part : made.parts) cover(part);
  for (const auto& [name, part] : made.named) cover(part);
  if (made.depth > kMaxSyntaxDepth) tokens_.run().refuse("an expression is nested too deeply");
  return std::make_unique<const Expression>(std::move(made));
}

ExpressionPtr ExpressionParser::binary(Kind kind, std::string name, ExpressionPtr left, ExpressionPtr right) const {
  Expression made = start(kind);
  made.line = left->line;
  made.name = std::move(name);
  made.parts.push_back(std::move(left));
  made.parts.push_back(std::move(right));
  return finish(std::move(made));
}

ExpressionPtr ExpressionParser::expression() {
  const Level level(tokens_.run());
  ExpressionPtr value = disjunction();
  while (tokens_.is_name("if")) {
    Expression made = start(Kind::Conditional);
    tokens_.take();
    made.parts.push_back(std::move(value));
    made.parts.push_back(disjunction());
    made.parts.push_back(tokens_.skip_name("else") ? expression() : nullptr);
    value = finish(std::move(made));
  }
  return value;
}

ExpressionPtr ExpressionParser::disjunction() {
  ExpressionPtr left = conjunction();
  while (tokens_.skip_name("or")) left = binary(Kind::Or, {}, std::move(left), conjunction());
  return left;
}

ExpressionPtr ExpressionParser::conjunction() {
  ExpressionPtr left = negation();
  while (tokens_.skip_name("and")) left = binary(Kind::And, {}, std::move(left), negation());
  return left;
}

ExpressionPtr ExpressionParser::negation() {
  if (!tokens_.is_name("not")) return comparison();
  const Level level(tokens_.run());
  Expression made = start(Kind::Not);
  tokens_.take();
  made.parts.push_back(negation());
  return finish(std::move(made));
}

ExpressionPtr ExpressionParser::comparison() {
  Expression made = start(Kind::Compare);
  made.parts.push_back(sum());
  while (true) {
    if (tokens_.is_any_operator({"==", "!=", "<", "<=", ">", ">="})) {
      made.operators.push_back(tokens_.take().text);
    } else if (tokens_.skip_name("in")) {
      made.operators.emplace_back("in");
    } else if (tokens_.is_name("not") && tokens_.behind().kind == Token::Kind::Name && tokens_.behind().text == "in") {
      tokens_.take();
      tokens_.take();
      made.operators.emplace_back("not in");
    } else {
      break;
    }
    made.parts.push_back(sum());
  }
  return made.operators.empty() ? std::move(made.parts[0]) : finish(std::move(made));
}

ExpressionPtr ExpressionParser::sum() {
  ExpressionPtr left = concatenation();
  while (tokens_.is_any_operator({"+", "-"})) {
    std::string name = tokens_.take().text;
    left = binary(Kind::Binary, std::move(name), std::move(left), concatenation());
  }
  return left;
}

ExpressionPtr ExpressionParser::concatenation() {
  Expression made = start(Kind::Concat);
  made.parts.push_back(product());
  while (tokens_.skip_operator("~")) made.parts.push_back(product());
  return made.parts.size() == 1 ? std::move(made.parts[0]) : finish(std::move(made));
}

ExpressionPtr ExpressionParser::product() {
  ExpressionPtr left = power();
  while (tokens_.is_any_operator({"*", "/", "//", "%"})) {
    std::string name = tokens_.take().text;
    left = binary(Kind::Binary, std::move(name), std::move(left), power());
  }
  return left;
}

ExpressionPtr ExpressionParser::power() {
  ExpressionPtr left = unary(true);
  while (tokens_.skip_operator("**")) left = binary(Kind::Binary, "**", std::move(left), unary(true));
  return left;
}

ExpressionPtr ExpressionParser::unary(bool with_filters) {
  const Level level(tokens_.run());
  ExpressionPtr operand;
  if (tokens_.is_any_operator({"-", "+"})) {
    Expression made = start(tokens_.is_operator("-") ? Kind::Negate : Kind::Plus);
    tokens_.take();
    made.parts.push_back(unary(false));
    operand = finish(std::move(made));
  } else {
    operand = primary();
  }
  operand = postfix(std::move(operand));
  return with_filters ? filters(std::move(operand), true) : std::move(operand);
}

}  // namespace carryover::jinja
