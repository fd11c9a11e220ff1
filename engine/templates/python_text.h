// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Python's str on UTF-8. A character is a code point, or an invalid byte. Any thread.
namespace carryover::jinja {

std::size_t character_length(std::string_view text);  ///< bytes of the first character; 1 for an empty text

/// Iterates over the characters of a text as views.
class Characters {
 public:
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest) {}
    std::string_view operator*() const { return rest_.substr(0, character_length(rest_)); }
    Iterator& operator++() {
      rest_.remove_prefix(character_length(rest_));
      return *this;
    }
    bool operator!=(const Iterator& other) const { return rest_.size() != other.rest_.size(); }

   private:
    std::string_view rest_;
  };
  explicit Characters(std::string_view text) : text_(text) {}
  Iterator begin() const { return Iterator(text_); }
  Iterator end() const { return Iterator({}); }

 private:
  std::string_view text_;
};

std::int64_t character_count(std::string_view text);

/// Return the text without blanks (str.isspace()), or without the given characters, at the chosen ends.
std::string_view strip(std::string_view text, bool front, bool back);
std::string_view strip(std::string_view text, std::string_view cut, bool front, bool back);

/// Do what base/python_case.h does, on UTF-8; invalid bytes stay.
std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string capitalize(std::string_view text);
std::string title(std::string_view text);         ///< str.title(): a word starts after a character without a case
std::string filter_title(std::string_view text);  ///< Jinja's: a word starts after blanks, '-' and opening brackets

/// Do what str.split() and the like do; `most` below 0 is no limit. The caller has to refuse an empty separator.
std::vector<std::string_view> split(std::string_view text, std::string_view separator, std::int64_t most);
std::vector<std::string_view> split_blanks(std::string_view text, std::int64_t most);
std::vector<std::string_view> split_back(std::string_view text, std::string_view separator, std::int64_t most);
std::vector<std::string_view> split_lines(std::string_view text);
/// Return what str.find() and rfind() do, in bytes; npos if absent. Linear, unlike those of std::string_view.
std::size_t find_text(std::string_view text, std::string_view part, std::size_t from = 0);
std::size_t find_last(std::string_view text, std::string_view part);

std::string real_text(double value);              ///< repr() of a float
std::string quoted_text(std::string_view text);   ///< repr() of a str
std::string html_escaped(std::string_view text);  ///< as markupsafe

}  // namespace carryover::jinja
