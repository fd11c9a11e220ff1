// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/config/head_patterns.h"
#include "engine/config/head_ref.h"

/// MInference's offline search on one text, which finds the pattern of attention that suits each head.
namespace carryover {

inline constexpr std::int64_t kLeastPatternTokens = 1024;  ///< for a shorter text, patterns see nearly everything
inline constexpr std::int64_t kMostPatternTokens = 8192;   ///< default of the largest number of tokens
inline constexpr double kPatternTolerance = 5e-3;          ///< an output value is off if it is further from full
                                                           ///< attention's

/// The text on which patterns are searched, and the limits of the search.
struct PatternSearchRequest {
  std::shared_ptr<const std::vector<std::int32_t>> ids;
  double most_keys = 0.5;  ///< largest share of the keys that a pattern may see, so that patterns of similar cost are
                           ///< compared
  /// Called on the engine thread with the share that is done and with what comes next. Must return quickly. May be
  /// empty.
  std::function<void(double share, const std::string& what)> progress;
};

/// Returns the patterns to try on a text of `tokens` tokens: MInference's A-shape and its columns and diagonals, if
/// both sizes together are not more than the text, and its blocks, at most half of the text's, because all of them
/// would be full attention.
std::vector<HeadPattern> pattern_candidates(std::int64_t tokens);

/// The pattern that suits a head best.
struct FoundPattern {
  HeadPattern pattern;  ///< its score is the share of the output's values that are off
  double seen = 1;      ///< share of the keys of full attention that queries see; 0: the head was not searched, because
                        ///< its layer has a window of its own

  bool operator==(const FoundPattern&) const = default;
};

/// A pattern for each head of a model. A plain value.
struct FoundPatterns {
  std::int64_t tokens = 0;  ///< length of the text
  std::int64_t layers = 0, heads = 0;
  std::vector<FoundPattern> found;  ///< [L, H] row-major

  const FoundPattern& at(int layer, int head) const { return found[static_cast<std::size_t>(layer * heads + head)]; }
  std::vector<HeadRef> searched() const;  ///< the heads that were searched, in order
  HeadPatterns patterns() const;          ///< of these
};

/// Writes the result of each head, and means by kind. "patterns" is MInference's list.
void to_json(nlohmann::json& json, const FoundPatterns& found);

/// Returns the same as a table for people.
std::string found_patterns_text(const FoundPatterns& found);

}  // namespace carryover
