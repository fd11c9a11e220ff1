// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/templates/jinja_lexer.h"

namespace carryover::jinja {

/// A stream of tokens. When it refuses one, the error names the line of the next one.
class TokenStream {
 public:
  TokenStream(Run& run, std::vector<Token> tokens) : run_(run), tokens_(std::move(tokens)) { run_.set_line(1); }

  const Token& next() const { return tokens_[at_]; }
  const Token& behind() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  Token take() {
    Token token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    run_.set_line(next().line);
    return token;
  }

  bool is(Token::Kind kind) const { return next().kind == kind; }
  bool is(Token::Kind kind, std::string_view text) const { return is(kind) && next().text == text; }
  bool is_operator(std::string_view text) const { return is(Token::Kind::Operator, text); }
  bool is_name(std::string_view text) const { return is(Token::Kind::Name, text); }

  bool is_any_operator(std::initializer_list<std::string_view> names) const {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return is_operator(name); });
  }

  bool skip_operator(std::string_view text) { return skip(Token::Kind::Operator, text); }
  bool skip_name(std::string_view text) { return skip(Token::Kind::Name, text); }
  void expect_operator(std::string_view text) {
    if (!skip_operator(text)) refuse("'" + std::string(text) + "'");
  }
  void expect(Token::Kind kind, const char* what) {
    if (!is(kind)) refuse(what);
    take();
  }
  std::string expect_name() {
    if (!is(Token::Kind::Name)) refuse("a name");
    return take().text;
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    const bool spelled = is(Token::Kind::Name) || is(Token::Kind::Operator);
    run_.refuse("expected " + expected + (spelled ? ", and not '" + next().text.substr(0, 40) + "'" : ""));
  }
  Run& run() const { return run_; }

 private:
  bool skip(Token::Kind kind, std::string_view text) {
    const bool found = is(kind, text);
    if (found) take();
    return found;
  }

  Run& run_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace carryover::jinja
