// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

#include "engine/templates/jinja_syntax.h"
#include "engine/templates/jinja_token_stream.h"

namespace carryover::jinja {

/// Refuses more arguments than a call or a macro may have.
void require_few(const Run& run, std::size_t arguments);

/// Returns the statements of a template. Refuses, with the line, text that is not Jinja and Jinja that this interpreter
/// does not have.
Body parse_template(Run& run, std::string_view source);

/// Parses expressions for the parser of statements. Each function moves the stream behind what it parsed.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  ExpressionPtr expression();   ///< including `if … else`
  ExpressionPtr disjunction();  ///< without `if … else`
  /// Parses an expression, or several with commas between them, which are a tuple.
  ExpressionPtr tuple(bool conditional = true);
  /// Parses the filters after `operand`, which is null in a `filter` or `set` block; there the first has no `|` before
  /// it.
  ExpressionPtr filters(ExpressionPtr operand, bool bar_first);

 private:
  using Kind = Expression::Kind;
  ExpressionPtr conjunction();
  ExpressionPtr negation();
  ExpressionPtr comparison();
  ExpressionPtr sum();
  ExpressionPtr concatenation();
  ExpressionPtr product();
  ExpressionPtr power();
  ExpressionPtr unary(bool with_filters);
  ExpressionPtr primary();
  ExpressionPtr named();
  ExpressionPtr string();
  ExpressionPtr list();
  ExpressionPtr dict();
  ExpressionPtr postfix(ExpressionPtr operand);
  ExpressionPtr attribute(ExpressionPtr operand);
  ExpressionPtr item(ExpressionPtr operand);
  ExpressionPtr subscript();
  ExpressionPtr filter(ExpressionPtr operand);
  ExpressionPtr test(ExpressionPtr operand);
  void arguments(Expression& call);
  bool ends_tuple() const;

  Expression start(Kind kind) const;
  ExpressionPtr finish(Expression made) const;
  ExpressionPtr binary(Kind kind, std::string name, ExpressionPtr left, ExpressionPtr right) const;

  TokenStream& tokens_;
};

}  // namespace carryover::jinja
