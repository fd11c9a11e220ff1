// SPDX-License-Identifier: GPL-3.0-or-later
// Operands of operators: literals, names, and what follows them (jinja_parser.h).
#include <algorithm>
#include <array>

#include "engine/templates/jinja_parser.h"

namespace carryover::jinja {

void require_few(const Run& run, std::size_t arguments) {
  if (arguments > kMaxArguments) run.refuse("more than " + std::to_string(kMaxArguments) + " arguments");
}

ExpressionPtr ExpressionParser::primary() {
  if (tokens_.is(Token::Kind::Name)) return named();
  if (tokens_.is(Token::Kind::Constant)) return string();
  if (tokens_.is_operator("[")) return list();
  if (tokens_.is_operator("{")) return dict();
  if (!tokens_.is_operator("(")) tokens_.refuse("an expression");
  Expression empty = start(Kind::Tuple);
  tokens_.take();
  if (tokens_.skip_operator(")")) return finish(std::move(empty));
  ExpressionPtr inner = tuple();
  tokens_.expect_operator(")");
  return inner;
}

ExpressionPtr ExpressionParser::named() {
  static constexpr std::array<std::string_view, 6> kConstants = {"true", "True", "false", "False", "none", "None"};
  Expression made = start(Kind::Name);
  made.name = tokens_.take().text;
  const auto constant = std::find(kConstants.begin(), kConstants.end(), made.name);
  if (constant != kConstants.end()) {
    made.kind = Kind::Constant;
    made.constant =
        constant - kConstants.begin() < 4 ? Value{constant - kConstants.begin() < 2} : Value{std::monostate{}};
  }
  return finish(std::move(made));
}

/// Parses a number, or adjacent strings, which are one string.
ExpressionPtr ExpressionParser::string() {
  Expression made = start(Kind::Constant);
  made.constant = tokens_.take().value;
  std::string text = made.constant.text() ? *made.constant.text() : std::string();
  bool joined = false;
  while (made.constant.text() && tokens_.is(Token::Kind::Constant) && tokens_.next().value.text()) {
    text += *tokens_.take().value.text();
    joined = true;
  }
  if (joined) made.constant = make_text(tokens_.run(), std::move(text));
  return finish(std::move(made));
}

ExpressionPtr ExpressionParser::list() {
  Expression made = start(Kind::List);
  tokens_.take();
  while (!tokens_.is_operator("]")) {
    if (!made.parts.empty()) tokens_.expect_operator(",");
    if (tokens_.is_operator("]")) break;
    made.parts.push_back(expression());
  }
  tokens_.expect_operator("]");
  return finish(std::move(made));
}

ExpressionPtr ExpressionParser::dict() {
  Expression made = start(Kind::Dict);
  tokens_.take();
  while (!tokens_.is_operator("}")) {
    if (!made.parts.empty()) tokens_.expect_operator(",");
    if (tokens_.is_operator("}")) break;
    made.parts.push_back(expression());
    tokens_.expect_operator(":");
    made.parts.push_back(expression());
  }
  tokens_.expect_operator("}");
  return finish(std::move(made));
}

bool ExpressionParser::ends_tuple() const {
  return tokens_.is(Token::Kind::PrintEnd) || tokens_.is(Token::Kind::BlockEnd) || tokens_.is_operator(")");
}

ExpressionPtr ExpressionParser::tuple(bool conditional) {
  Expression made = start(Kind::Tuple);
  bool comma = false;
  while (made.parts.empty() || comma) {
    if (!made.parts.empty() && ends_tuple()) break;
    made.parts.push_back(conditional ? expression() : disjunction());
    if (!tokens_.skip_operator(",")) {
      if (made.parts.size() == 1) return std::move(made.parts[0]);
      break;
    }
    comma = true;
  }
  return finish(std::move(made));
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr operand) {
  while (true) {
    if (tokens_.is_operator(".")) {
      operand = attribute(std::move(operand));
    } else if (tokens_.is_operator("[")) {
      operand = item(std::move(operand));
    } else if (tokens_.is_operator("(")) {
      Expression made = start(Kind::Call);
      made.parts.push_back(std::move(operand));
      arguments(made);
      operand = finish(std::move(made));
    } else {
      return operand;
    }
  }
}

ExpressionPtr ExpressionParser::attribute(ExpressionPtr operand) {
  Expression made = start(Kind::Attribute);
  made.parts.push_back(std::move(operand));
  tokens_.take();
  if (tokens_.is(Token::Kind::Constant) && tokens_.next().value.integer()) {
    made.kind = Kind::Item;
    Expression index = start(Kind::Constant);
    index.constant = tokens_.take().value;
    made.parts.push_back(finish(std::move(index)));
  } else {
    made.name = tokens_.expect_name();
  }
  return finish(std::move(made));
}

ExpressionPtr ExpressionParser::item(ExpressionPtr operand) {
  Expression made = start(Kind::Item);
  made.parts.push_back(std::move(operand));
  tokens_.take();
  made.parts.push_back(subscript());
  if (tokens_.is_operator(",")) tokens_.run().lack("several indices in one pair of brackets");
  tokens_.expect_operator("]");
  return finish(std::move(made));
}

ExpressionPtr ExpressionParser::subscript() {
  Expression made = start(Kind::Slice);
  const auto ends = [&] { return tokens_.is_any_operator({":", "]", ","}); };
  made.parts.push_back(tokens_.is_operator(":") ? nullptr : expression());
  if (!tokens_.skip_operator(":")) return std::move(made.parts[0]);
  made.parts.push_back(ends() ? nullptr : expression());
  made.parts.push_back(tokens_.skip_operator(":") && !ends() ? expression() : nullptr);
  return finish(std::move(made));
}

void ExpressionParser::arguments(Expression& call) {
  tokens_.expect_operator("(");
  const std::size_t before = call.parts.size();
  for (bool first = true; !tokens_.is_operator(")"); first = false) {
    if (!first) tokens_.expect_operator(",");
    if (tokens_.is_operator(")")) break;
    if (tokens_.is_any_operator({"*", "**"})) tokens_.run().lack("a call with * or **");
    require_few(tokens_.run(), call.parts.size() - before + call.named.size() + 1);
    const bool named =
        tokens_.is(Token::Kind::Name) && tokens_.behind().kind == Token::Kind::Operator && tokens_.behind().text == "=";
    if (named) {
      std::string name = tokens_.take().text;
      tokens_.take();
      call.named.emplace_back(std::move(name), expression());
    } else {
      if (!call.named.empty()) tokens_.run().refuse("a positional argument follows a keyword argument");
      call.parts.push_back(expression());
    }
  }
  tokens_.expect_operator(")");
}

ExpressionPtr ExpressionParser::filters(ExpressionPtr operand, bool bar_first) {
  if (!bar_first) operand = filter(std::move(operand));
  while (true) {
    if (tokens_.skip_operator("|")) {
      operand = filter(std::move(operand));
    } else if (operand && tokens_.is_name("is")) {
      operand = test(std::move(operand));
    } else if (operand && bar_first && tokens_.is_operator("(")) {
      operand = postfix(std::move(operand));
    } else {
      return operand;
    }
  }
}

ExpressionPtr ExpressionParser::filter(ExpressionPtr operand) {
  Expression made = start(Kind::Filter);
  made.name = tokens_.expect_name();
  made.parts.push_back(std::move(operand));
  if (tokens_.is_operator("(")) arguments(made);
  return finish(std::move(made));
}

ExpressionPtr ExpressionParser::test(ExpressionPtr operand) {
  tokens_.take();
  Expression made = start(Kind::Test);
  Expression negated = start(Kind::Not);
  const bool is_negated = tokens_.skip_name("not");
  made.name = tokens_.expect_name();
  made.parts.push_back(std::move(operand));
  const bool word = tokens_.is(Token::Kind::Name) && !tokens_.is_name("else") && !tokens_.is_name("or") &&
                    !tokens_.is_name("and") && !tokens_.is_name("is");
  if (tokens_.is_operator("(")) {
    arguments(made);
  } else if (word || tokens_.is(Token::Kind::Constant) || tokens_.is_any_operator({"[", "{"})) {
    made.parts.push_back(postfix(primary()));
  }
  ExpressionPtr tested = finish(std::move(made));
  if (!is_negated) return tested;
  negated.parts.push_back(std::move(tested));
  return finish(std::move(negated));
}

}  // namespace carryover::jinja
