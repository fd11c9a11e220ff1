// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace carryover {

/// The words of a list of the Python package wonderwords ("nounlist.txt", a word a line) in the file's order, from the
/// folder `data` or else from the cache, where `./lab assets` puts version 3.0.1. Throws EngineError{Io} saying what is
/// missing, {BadInput} for a file that is no word list. Any thread.
std::vector<std::string> read_word_list(const std::string& data, const std::string& name);

/// Returns each word once, in the order of their bytes, which is also that of their characters.
std::vector<std::string> sorted_words(std::vector<std::string> words);

/// All different "adjective-noun" pairs in order, accessed by place: there are millions, which would take long to make.
class WordPairs {
 public:
  WordPairs(const std::vector<std::string>& adjectives, const std::vector<std::string>& nouns);
  std::size_t size() const { return size_; }
  std::string at(std::size_t index) const;

 private:
  /// Pairs that come one after another: those of one adjective, or of several that can't be told apart by it
  /// ("well" and "well-known").
  struct Group {
    std::size_t first = 0;           ///< place of its first pair
    std::string start;               ///< "adjective-"
    std::vector<std::string> mixed;  ///< of several adjectives: the pairs themselves
  };
  std::vector<std::string> nouns_;
  std::vector<Group> groups_;
  std::size_t size_ = 0;
};

}  // namespace carryover
