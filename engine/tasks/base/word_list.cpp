// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/word_list.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/formats/cache_folder.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/input_lines.h"

namespace carryover {

namespace {

constexpr std::int64_t kMostWords = 100'000;
constexpr std::size_t kMostBytes = 200;  ///< of a word
constexpr std::size_t kMostMixed = 4'000'000;

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string word_file(const std::string& data, const std::string& name) {
  if (!data.empty() && exists(path_in(data, name))) return path_in(data, name);
  const std::string cache = cache_folder("words/wonderwords-3.0.1");
  if (!cache.empty() && exists(path_in(cache, name))) return path_in(cache, name);
  throw EngineError(Fault::Io, name, "is neither in the data folder nor in the cache",
                    "Fetch the words of wonderwords 3.0.1: ./lab assets.");
}

}  // namespace

std::vector<std::string> read_word_list(const std::string& data, const std::string& name) {
  std::vector<std::string> words;
  InputLines lines(word_file(data, name));
  for (std::string line; lines.next(line);) {
    const std::string where = lines.path() + ":" + std::to_string(lines.number());
    require_utf8(line, where);
    line.erase(line.find_last_not_of(" \t\r\v\f") + 1);
    if (line.size() > kMostBytes || lines.number() > kMostWords)
      throw EngineError(Fault::BadInput, where, "is not a line of a word list",
                        "Use a list of wonderwords 3.0.1: ./lab assets fetches it.");
    words.push_back(line);
  }
  if (words.empty()) throw EngineError(Fault::BadInput, lines.path(), "has no words", "Fetch it again: ./lab assets.");
  return words;
}

std::vector<std::string> sorted_words(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

WordPairs::WordPairs(const std::vector<std::string>& adjectives, const std::vector<std::string>& nouns)
    : nouns_(sorted_words(nouns)) {
  std::vector<std::string> starts = adjectives;
  for (std::string& start : starts) start += '-';
  starts = sorted_words(std::move(starts));
  for (std::size_t begin = 0, end = 0; begin < starts.size(); begin = end) {
    while (end < starts.size() && starts[end].starts_with(starts[begin])) ++end;
    Group group{size_, starts[begin], {}};
    if (end - begin > 1) {
      if ((end - begin) * nouns_.size() > kMostMixed)
        throw EngineError(Fault::BadInput, "adjectivelist.txt", "has too many words that begin with " + starts[begin],
                          "Use the list of wonderwords 3.0.1: ./lab assets fetches it.");
      for (std::size_t i = begin; i < end; ++i)
        for (const std::string& noun : nouns_) group.mixed.push_back(starts[i] + noun);
      group.mixed = sorted_words(std::move(group.mixed));
    }
    size_ += group.mixed.empty() ? nouns_.size() : group.mixed.size();
    groups_.push_back(std::move(group));
  }
}

std::string WordPairs::at(std::size_t index) const {
  CARRYOVER_CHECK(index < size_);
  const auto behind = std::upper_bound(groups_.begin(), groups_.end(), index,
                                       [](std::size_t place, const Group& group) { return place < group.first; });
  const Group& group = *std::prev(behind);
  const std::size_t place = index - group.first;
  return group.mixed.empty() ? group.start + nouns_[place] : group.mixed[place];
}

}  // namespace carryover
