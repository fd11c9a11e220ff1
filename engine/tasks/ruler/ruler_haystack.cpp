// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler_haystack.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"
#include "engine/tasks/base/code_points.h"
#include "engine/tasks/ruler/ruler_text.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

/// The first in the order of names; empty: none.
std::string text_file(const std::string& data) {
  static const std::set<std::string> kWordLists{"nounlist.txt", "adjectivelist.txt", "verblist.txt",
                                                "profanitylist.txt"};
  std::set<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator entry(data, ignored), end; entry != end; entry.increment(ignored))
    if (const fs::path name = entry->path().filename(); name.extension() == ".txt" && !kWordLists.contains(name))
      names.insert(name);
  return names.empty() ? "" : *names.begin();
}

/// A rule in place of NLTK's trained splitter: a mark that ends a sentence, closing quotes or brackets, and a word that
/// does not begin with a small letter; an initial ends none.
bool ends_sentence(const std::string& word, const std::string& next) {
  const std::size_t last = word.find_last_not_of("\"')]}");
  if (last == std::string::npos || (word[last] != '.' && word[last] != '!' && word[last] != '?')) return false;
  const bool initial = last == 1 && word[0] >= 'A' && word[0] <= 'Z' && word[last] == '.';
  return !initial && !(next[0] >= 'a' && next[0] <= 'z');
}

}  // namespace

std::vector<int> ruler_depths() {
  std::vector<int> depths;
  for (int i = 0; i < 40; ++i) depths.push_back(static_cast<int>(std::lround(i * (100.0 / 39))));
  return depths;
}

EssayHaystack::EssayHaystack(const std::string& data) {
  const std::string essays = "PaulGrahamEssays.json";
  if (data.empty())
    throw EngineError(Fault::Usage, "data", "is not named, and this task hides its needles in a long text",
                      "Name a folder with " + essays + " (RULER's own download) or a long .txt.");
  std::error_code ignored;
  if (const std::string path = path_in(data, essays); fs::exists(path, ignored)) {
    set_text(JsonFields(read_json_file(path, JsonKind::Text), path).find_text("text").value_or(""), path);
    note_ = essays + ", its sentences found by a rule and not by NLTK";
    return;
  }
  const std::string name = text_file(data);
  if (name.empty())
    throw EngineError(Fault::Io, data, "has neither " + essays + " nor a .txt to hide needles in",
                      "Put RULER's own download or a long .txt there.");
  set_text(read_whole_file(path_in(data, name)), path_in(data, name));
  note_ = name + ", not RULER's essays: not comparable with results on those";
}

void EssayHaystack::set_text(const std::string& text, const std::string& path) {
  require_utf8(text, path);
  const std::u32string characters = code_points(text);
  for (const std::u32string_view word : python_words(characters)) words_.push_back(utf8_text(word));
  if (words_.empty()) throw EngineError(Fault::BadInput, path, "has no text", "Use a long text.");
  blanks_before_ = is_python_space(characters.front()) ? 1 : 0;
  blanks_behind_ = is_python_space(characters.back()) ? 1 : 0;
  for (std::size_t i = 0; i < words_.size(); ++i)
    begins_sentence_.push_back(i == 0 || ends_sentence(words_[i - 1], words_[i]));
}

std::size_t EssayHaystack::counted(std::size_t words) const {
  const std::size_t round = blanks_before_ + words_.size() + blanks_behind_, rest = words % round;
  return words / round * words_.size() + (rest > blanks_before_ ? rest - blanks_before_ : 0);
}

std::string EssayHaystack::hide(std::size_t words, const std::vector<std::string>& needles,
                                const std::vector<int>& depths) const {
  const std::size_t count = counted(words);
  std::vector<std::size_t> begins;  // of sentences
  for (std::size_t i = 0; i < count; ++i)
    if (begins_sentence_[i % words_.size()]) begins.push_back(i);
  const auto sentences = static_cast<double>(begins.size());
  begins.push_back(count);
  std::string text;
  std::size_t at = 0;
  const auto add_words = [&](std::size_t end) {
    for (std::size_t first = at; at < end; ++at) text.append(at == first ? "" : " ").append(words_[at % words_.size()]);
  };
  for (std::size_t i = 0; i < needles.size(); ++i) {
    add_words(begins[static_cast<std::size_t>(sentences * (depths[i] / 100.0))]);
    text.append(" ").append(needles[i]).append(" ");
  }
  add_words(count);
  return text;
}

}  // namespace carryover
