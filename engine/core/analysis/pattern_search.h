// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/core/config/head_patterns.h"

/// Which of MInference's patterns of attention suits each head: its offline search, on one text.
namespace carryover {

inline constexpr std::int64_t kLeastPatternTokens = 1024;  ///< of the text: in fewer, patterns see about everything
inline constexpr std::int64_t kMostPatternTokens = 8192;   ///< the same, where nobody says how many
inline constexpr double kPatternTolerance = 5e-3;          ///< an output value further from full attention's is off

/// What heads are searched on.
struct PatternSearchRequest {
  std::shared_ptr<const std::vector<std::int32_t>> ids;
  double most_keys = 0.5;  ///< share of the keys that a pattern may see: patterns of about equal work are compared
  /// Called on the engine thread with the share that is done and what comes next; must return quickly. May be empty.
  std::function<void(double share, const std::string& what)> progress;
};

/// The patterns that are tried on a text of `tokens`: MInference's A-shape, columns and diagonals where both together
/// are no more than the text, and its blocks, half of the text's at most, where all of them would be full attention.
std::vector<HeadPattern> pattern_candidates(std::int64_t tokens);

/// The pattern that suits a head best.
struct FoundPattern {
  HeadPattern pattern;  ///< its score: the share of the output's values that are off
  double seen = 1;      ///< share of the keys that queries see under full attention

  bool operator==(const FoundPattern&) const = default;
};

/// A pattern for each head of a model. A plain value.
struct FoundPatterns {
  std::int64_t tokens = 0;  ///< of the text
  std::int64_t layers = 0, heads = 0;
  std::vector<FoundPattern> found;  ///< [L, H] row-major

  const FoundPattern& at(int layer, int head) const { return found[static_cast<std::size_t>(layer * heads + head)]; }
  HeadPatterns patterns() const;
};

/// Head by head, and means by kind. "patterns" is MInference's list.
void to_json(nlohmann::json& json, const FoundPatterns& found);

/// The same as a table, for people.
std::string found_patterns_text(const FoundPatterns& found);

}  // namespace carryover
