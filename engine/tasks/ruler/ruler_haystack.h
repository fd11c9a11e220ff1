// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace carryover {

/// Forty places from 0 to 100 %, in even steps: where RULER hides needles.
std::vector<int> ruler_depths();

/// Words of a long text that needles are hidden in, between its sentences. Immutable; any thread.
class EssayHaystack {
 public:
  /// PaulGrahamEssays.json of the folder, as RULER downloads it, or else the first .txt that is no word list. Throws
  /// EngineError{Usage} without a folder, {Io} where it has neither, {BadInput} naming the file.
  explicit EssayHaystack(const std::string& data);

  /// Its first `words` words, from the beginning again where it has fewer, with needles at these depths (%, ascending).
  std::string hide(std::size_t words, const std::vector<std::string>& needles, const std::vector<int>& depths) const;
  /// Describes the haystack, and how results with it compare with others', in words.
  const std::string& note() const { return note_; }

 private:
  void set_text(const std::string& text, const std::string& path);
  std::string note_;
  /// Words without the blanks at the text's ends, each of which RULER's script counts as a word.
  std::size_t counted(std::size_t words) const;
  std::vector<std::string> words_;
  std::size_t blanks_before_ = 0, blanks_behind_ = 0;  ///< 0 or 1
  std::vector<bool> begins_sentence_;                  ///< for each word
};

}  // namespace carryover
