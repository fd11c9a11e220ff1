// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_lexer.h"

#include <algorithm>
#include <array>

#include "engine/templates/jinja_literal.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

constexpr std::array<std::string_view, 26> kOperators = {"==", "!=", ">=", "<=", "//", "**", "+", "-", "*",
                                                         "/",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                                         ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};

/// Returns the source with line ends as jinja2 reads them, and without one at the end of the template.
std::string normalized(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      text += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      text += source[i];
    }
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class TokenReader {
 public:
  TokenReader(Run& run, std::string_view source) : run_(run), source_(source) {}

  std::vector<Token> read() {
    while (at_ < source_.size()) {
      const std::size_t tag = next_tag();
      const char kind = tag < source_.size() ? source_[tag + 1] : '\0';
      const std::string_view text = source_.substr(at_, tag - at_);
      const char sign = kind != '\0' && tag + 2 < source_.size() ? source_[tag + 2] : '\0';
      add_text(kind == '\0' ? text : cut_before(text, kind, sign));
      advance(tag);
      if (kind != '\0') read_tag(kind, sign == '-' || sign == '+');
    }
    add(Token::Kind::End);
    return std::move(tokens_);
  }

 private:
  std::size_t next_tag() const {
    for (std::size_t at = source_.find('{', at_); at != std::string_view::npos; at = source_.find('{', at + 1)) {
      if (at + 1 < source_.size() && std::string_view("%{#").find(source_[at + 1]) != std::string_view::npos) return at;
    }
    return source_.size();
  }

  /// Returns the text without the blanks that the tag after it cuts.
  std::string_view cut_before(std::string_view text, char kind, char sign) const {
    if (sign == '-') return strip(text, false, true);
    if (sign == '+' || kind == '{') return text;
    const std::size_t line_end = text.rfind('\n');
    const std::size_t begin = line_end == std::string_view::npos ? 0 : line_end + 1;
    const bool whole_line = begin > 0 || line_starts_;
    return whole_line && strip(text.substr(begin), true, false).empty() ? text.substr(0, begin) : text;
  }

  void add(Token::Kind kind, std::string text = {}) { tokens_.push_back({kind, run_.line(), std::move(text), {}}); }
  void add_text(std::string_view text) {
    if (!text.empty()) add(Token::Kind::Text, std::string(text));
  }

  void advance(std::size_t to) {
    const auto part = source_.substr(at_, to - at_);
    run_.set_line(run_.line() + static_cast<int>(std::count(part.begin(), part.end(), '\n')));
    at_ = to;
  }

  void read_tag(char kind, bool has_sign) {
    const std::size_t begin = at_ + 2 + (has_sign ? 1 : 0);
    if (kind == '#') return read_comment(begin);
    if (kind == '%' && is_raw(begin, "raw")) return read_raw();
    add(kind == '%' ? Token::Kind::BlockBegin : Token::Kind::PrintBegin);
    advance(begin);
    const char end = kind == '{' ? '}' : '%';
    while (!ends_tag(end)) read_token();
    add(kind == '%' ? Token::Kind::BlockEnd : Token::Kind::PrintEnd);
    finish_tag(end);
  }

  /// Returns true if a tag ends here. While a bracket is open, "}}" and "%}" are parts of an expression.
  bool ends_tag(char end) {
    advance(at_ + (source_.size() - at_) - strip(source_.substr(at_), true, false).size());
    if (at_ == source_.size()) run_.refuse("the template ends inside a tag");
    if (!open_.empty()) return false;
    const bool has_sign = source_[at_] == '-' || (source_[at_] == '+' && end != '}');
    return source_.substr(at_ + (has_sign ? 1 : 0), 2) == std::string{end, '}'};
  }

  /// Moves behind the end of a tag and the blanks that it cuts.
  void finish_tag(char end) {
    const char sign = source_[at_] == end ? '\0' : source_[at_];
    const std::size_t behind = at_ + (sign == '\0' ? 2 : 3);
    std::size_t next = behind;
    if (sign == '-') {
      next = source_.size() - strip(source_.substr(behind), true, false).size();
    } else if (sign == '\0' && end != '}' && source_.substr(behind, 1) == "\n") {
      ++next;
    }
    advance(next);
    line_starts_ = next > behind && source_[next - 1] == '\n';
  }

  void read_comment(std::size_t begin) {
    const std::size_t end = source_.find("#}", begin);
    if (end == std::string_view::npos) run_.refuse("a comment has no end");
    const bool has_sign = end > begin && (source_[end - 1] == '-' || source_[end - 1] == '+');
    advance(end - (has_sign ? 1 : 0));
    finish_tag('#');
  }

  /// Returns true if a block tag whose words start at `begin` has only this word.
  bool is_raw(std::size_t begin, std::string_view word) const {
    std::string_view rest = strip(source_.substr(begin), true, false);
    if (!rest.starts_with(word)) return false;
    rest = strip(rest.substr(word.size()), true, false);
    return rest.starts_with("%}") || rest.starts_with("-%}") || (word != "raw" && rest.starts_with("+%}"));
  }

  void read_raw() {
    const std::size_t open = source_.find("%}", at_);
    advance(open - (source_[open - 1] == '-' ? 1 : 0));
    const bool cuts = source_[at_] == '-';
    advance(open + 2);
    if (cuts) advance(source_.size() - strip(source_.substr(at_), true, false).size());
    line_starts_ = source_[at_ - 1] == '\n';
    for (std::size_t tag = source_.find("{%", at_); tag != std::string_view::npos; tag = source_.find("{%", tag + 1)) {
      const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
      if (!is_raw(tag + (sign == '-' || sign == '+' ? 3 : 2), "endraw")) continue;
      add_text(cut_before(source_.substr(at_, tag - at_), '%', sign));
      const std::size_t close = source_.find("%}", tag);
      advance(close - (source_[close - 1] == '-' || source_[close - 1] == '+' ? 1 : 0));
      return finish_tag('%');
    }
    run_.refuse("a raw block has no end");
  }

  void read_token() {
    run_.step();
    const std::string_view rest = source_.substr(at_);
    const char c = rest[0];
    Literal literal;
    if (c == '"' || c == '\'') {
      literal = read_string(run_, rest);
    } else if (c >= '0' && c <= '9') {
      literal = read_number(run_, rest, at_ > 0 && source_[at_ - 1] == '.');
    } else if (const std::size_t size = name_length(rest); size > 0) {
      if (size > kMaxNameBytes) run_.refuse("a name is longer than " + std::to_string(kMaxNameBytes) + " bytes");
      add(Token::Kind::Name, std::string(rest.substr(0, size)));
      return advance(at_ + size);
    } else {
      return read_operator(rest);
    }
    tokens_.push_back({Token::Kind::Constant, run_.line(), {}, std::move(literal.value)});
    advance(at_ + literal.size);
  }

  void read_operator(std::string_view rest) {
    const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                    [&](std::string_view name) { return rest.starts_with(name); });
    if (found == kOperators.end()) {
      run_.refuse("unexpected character '" + std::string(rest.substr(0, character_length(rest))) + "'");
    }
    const char c = (*found)[0];
    static constexpr std::string_view kOpen = "([{", kClose = ")]}";
    if (kOpen.find(c) != std::string_view::npos) open_ += c;
    if (const std::size_t pair = kClose.find(c); pair != std::string_view::npos) {
      if (open_.empty() || open_.back() != kOpen[pair]) run_.refuse("unexpected '" + std::string(*found) + "'");
      open_.pop_back();
    }
    add(Token::Kind::Operator, std::string(*found));
    advance(at_ + found->size());
  }

  Run& run_;
  std::string_view source_;
  std::size_t at_ = 0;
  bool line_starts_ = true;
  std::string open_;  ///< open brackets
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> read_tokens(Run& run, std::string_view source) {
  const std::string text = normalized(source);
  return TokenReader(run, text).read();
}

}  // namespace carryover::jinja
