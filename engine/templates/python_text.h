// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Python's str on UTF-8: what counts as a character is a code point, or an invalid byte. Any thread.
namespace carryover::jinja {

std::size_t character_length(std::string_view text);  ///< of the first one, in bytes; 1 of an empty text

/// The characters of a text, one after another, as views.
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

/// Without what str.isspace() holds for, or without these characters, at the ends that are asked for.
std::string_view strip(std::string_view text, bool front, bool back);
std::string_view strip(std::string_view text, std::string_view cut, bool front, bool back);

/// As core/base/python_case.h, of UTF-8; invalid bytes stay.
std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string capitalize(std::string_view text);
std::string title(std::string_view text);         ///< str.title(): a word starts behind what has no case
std::string filter_title(std::string_view text);  ///< Jinja's: a word starts behind blanks, '-' and opening brackets

/// str.split(); `most` below 0 is no limit. An empty separator is the caller's to refuse.
std::vector<std::string_view> split(std::string_view text, std::string_view separator, std::int64_t most);
std::vector<std::string_view> split_blanks(std::string_view text, std::int64_t most);
std::vector<std::string_view> split_back(std::string_view text, std::string_view separator, std::int64_t most);
std::vector<std::string_view> split_lines(std::string_view text);
/// str.find() and rfind() in bytes; npos where it is absent. Linear, unlike those of std::string_view.
std::size_t find_text(std::string_view text, std::string_view part, std::size_t from = 0);
std::size_t find_last(std::string_view text, std::string_view part);

std::string real_text(double value);              ///< repr() of a float
std::string quoted_text(std::string_view text);   ///< repr() of a str
std::string html_escaped(std::string_view text);  ///< as markupsafe

}  // namespace carryover::jinja
