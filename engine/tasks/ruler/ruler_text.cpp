// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler_text.h"

#include <algorithm>

#include "engine/base/text_parts.h"

namespace carryover {

std::string python_format(std::string_view form,
                          std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string text;
  for (std::size_t brace = form.find('{'); brace != std::string_view::npos; brace = form.find('{')) {
    text += form.substr(0, brace);
    form.remove_prefix(brace);
    const std::string_view name = form.substr(1, form.find('}') - 1);
    const auto* const value =
        std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == name; });
    text += value == values.end() ? "{" : value->second;
    form.remove_prefix(value == values.end() ? 1 : name.size() + 2);
  }
  return text.append(form);
}

std::string numbered_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += ' ';
    append_digits(text, i + 1);
    text.append(". ").append(words[i]);
  }
  return text;
}

std::string python_join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text.append(i == 0 ? "" : separator).append(parts[i]);
  return text;
}

}  // namespace carryover
