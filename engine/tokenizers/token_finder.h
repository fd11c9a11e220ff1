// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace carryover {

/// Finds which of many spellings begin at each place of a text. The time grows only with the text's length, no matter
/// how many spellings there are and how they overlap. It reads the text backwards, with the automaton of Aho and
/// Corasick over the reversed spellings. Immutable; any thread.
class TokenFinder {
 public:
  struct Match {
    std::size_t at;      ///< byte of the text
    std::int32_t token;  ///< longest token that begins there, by its number in the order of add()
  };

  /// Adds a spelling. `special` spellings are found only on request. Of two equal ones, the first counts. Throws
  /// EngineError{BadInput} if all of them together are longer than those of any tokenizer.
  void add(std::string_view spelling, bool special);
  /// To be called after the last add(), and before find().
  void finish();

  /// Returns the matches, from the text's end to its beginning.
  std::vector<Match> find(std::string_view text, bool with_special) const;

 private:
  /// A suffix of some spelling. `shorter` is its longest shorter suffix that is one, too.
  struct Node {
    std::int32_t parent = 0, shorter = 0, depth = 0;
    std::int32_t any = -1, ordinary = -1;  ///< the longest token with which the text begins here
    unsigned char byte = 0;
  };
  std::int32_t child(std::int32_t node, unsigned char byte) const;
  std::int32_t next(std::int32_t node, unsigned char byte) const;

  std::vector<Node> nodes_{Node{}};
  std::array<std::int32_t, 256> of_root_{};                   ///< children of the root; 0 for none
  std::unordered_map<std::uint64_t, std::int32_t> children_;  ///< children of other nodes, by node · 256 + byte
  std::int32_t tokens_ = 0;
};

}  // namespace carryover
