// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_parser.h"

#include <algorithm>

namespace carryover::jinja {

namespace {

constexpr int kMaxBlockDepth = 100;

class StatementParser {
 public:
  StatementParser(Run& run, std::vector<Token> tokens) : run_(run), tokens_(run, std::move(tokens)) {}

  Body parse() {
    Body body = block({});
    if (!tokens_.is(Token::Kind::End)) tokens_.refuse("the template's end");
    return body;
  }

 private:
  using Kind = Statement::Kind;

  /// Parses statements up to a tag of one of these names. The name is then the next token; the tag's `{%` is taken.
  Body block(std::initializer_list<const char*> ends) {
    const Level level(run_);
    if (++depth_ > kMaxBlockDepth) run_.refuse("blocks are nested too deeply");
    Body body;
    while (true) {
      if (tokens_.is(Token::Kind::Text)) {
        body.push_back(start(Kind::Text));
        body.back().text = tokens_.take().text;
      } else if (tokens_.is(Token::Kind::PrintBegin)) {
        body.push_back(print());
      } else if (tokens_.is(Token::Kind::BlockBegin)) {
        tokens_.take();
        if (std::any_of(ends.begin(), ends.end(), [&](const char* end) { return tokens_.is_name(end); })) break;
        body.push_back(statement());
        expect_end();
      } else {
        if (ends.size() > 0)
          run_.refuse("the template ends before '" + std::string(std::data(ends)[ends.size() - 1]) + "'");
        break;
      }
    }
    --depth_;
    return body;
  }

  Statement start(Kind kind) const {
    run_.step();
    Statement made;
    made.kind = kind;
    made.line = tokens_.next().line;
    return made;
  }

  void expect_end() { tokens_.expect(Token::Kind::BlockEnd, "the tag's end"); }

  Statement print() {
    Statement made = start(Kind::Print);
    tokens_.take();
    made.values.push_back(expressions_.tuple());
    tokens_.expect(Token::Kind::PrintEnd, "'}}'");
    return made;
  }

  Statement statement() {
    Statement made = start(Kind::Text);
    const std::string name = tokens_.expect_name();
    if (name == "if") return parse_if(std::move(made));
    if (name == "for") return parse_for(std::move(made));
    if (name == "set") return parse_set(std::move(made));
    if (name == "macro") return parse_macro(std::move(made));
    if (name == "filter") return parse_filter(std::move(made));
    if (name == "generation") return parse_generation(std::move(made));
    if (name == "break" || name == "continue") return parse_jump(std::move(made), name == "break");
    if (name.starts_with("end") || name == "else" || name == "elif") {
      run_.refuse("'" + name.substr(0, 40) + "' closes nothing");
    }
    run_.lack("the tag '" + name.substr(0, 40) + "'");
  }

  Statement parse_if(Statement made) {
    made.kind = Kind::If;
    made.values.push_back(expressions_.tuple(false));
    expect_end();
    made.bodies.push_back(block({"elif", "else", "endif"}));
    while (tokens_.skip_name("elif")) {
      made.values.push_back(expressions_.tuple(false));
      expect_end();
      made.bodies.push_back(block({"elif", "else", "endif"}));
    }
    if (tokens_.skip_name("else")) {
      expect_end();
      made.bodies.push_back(block({"endif"}));
    }
    tokens_.take();
    return made;
  }

  Statement parse_for(Statement made) {
    made.kind = Kind::For;
    made.target = target();
    if (!tokens_.skip_name("in")) tokens_.refuse("'in'");
    made.values.push_back(expressions_.tuple(false));
    made.values.push_back(tokens_.skip_name("if") ? expressions_.expression() : nullptr);
    if (tokens_.is_name("recursive")) run_.lack("a recursive loop");
    expect_end();
    ++loops_;
    made.bodies.push_back(block({"else", "endfor"}));
    --loops_;
    if (tokens_.skip_name("else")) {
      expect_end();
      made.bodies.push_back(block({"endfor"}));
    }
    tokens_.take();
    return made;
  }

  Statement parse_set(Statement made) {
    made.target = target();
    if (tokens_.is_operator(".") && !made.target.unpacks) {
      tokens_.take();
      made.target.attribute = tokens_.expect_name();
    }
    if (tokens_.skip_operator("=")) {
      made.kind = Kind::Set;
      made.values.push_back(expressions_.tuple());
      return made;
    }
    made.kind = Kind::SetBlock;
    made.values.push_back(tokens_.is_operator("|") ? expressions_.filters(nullptr, true) : nullptr);
    return close(std::move(made), "endset");
  }

  Statement parse_macro(Statement made) {
    made.kind = Kind::Macro;
    made.text = tokens_.expect_name();
    tokens_.expect_operator("(");
    while (!tokens_.is_operator(")")) {
      if (!made.target.names.empty()) tokens_.expect_operator(",");
      made.target.names.push_back(tokens_.expect_name());
      require_few(run_, made.target.names.size());
      const bool has_default = tokens_.skip_operator("=");
      if (!has_default && !made.values.empty() && made.values.back()) {
        run_.refuse("a parameter without a default follows one with a default");
      }
      made.values.push_back(has_default ? expressions_.expression() : nullptr);
    }
    tokens_.take();
    const int loops = std::exchange(loops_, 0);
    made = close(std::move(made), "endmacro");
    loops_ = loops;
    return made;
  }

  Statement parse_filter(Statement made) {
    made.kind = Kind::FilterBlock;
    made.values.push_back(expressions_.filters(nullptr, false));
    return close(std::move(made), "endfilter");
  }

  Statement parse_generation(Statement made) {
    made.kind = Kind::Generation;
    return close(std::move(made), "endgeneration");
  }

  Statement parse_jump(Statement made, bool ends_loop) {
    if (loops_ == 0) run_.refuse("'break' or 'continue' outside of a loop");
    made.kind = ends_loop ? Kind::Break : Kind::Continue;
    return made;
  }

  Statement close(Statement made, const char* end) {
    expect_end();
    made.bodies.push_back(block({end}));
    tokens_.take();
    return made;
  }

  Target target() {
    Target made;
    const bool brackets = tokens_.skip_operator("(");
    if (tokens_.is_operator("(")) run_.lack("nested names to unpack to");
    made.names.push_back(tokens_.expect_name());
    while (tokens_.skip_operator(",")) {
      made.unpacks = true;
      made.names.push_back(tokens_.expect_name());
    }
    if (brackets) tokens_.expect_operator(")");
    return made;
  }

  Run& run_;
  TokenStream tokens_;
  ExpressionParser expressions_{tokens_};
  int depth_ = 0, loops_ = 0;
};

}  // namespace

Body parse_template(Run& run, std::string_view source) {
  return StatementParser(run, read_tokens(run, source)).parse();
}

}  // namespace carryover::jinja
