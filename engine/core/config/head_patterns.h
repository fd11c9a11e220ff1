// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/families/model_config.h"

namespace carryover {

/// The policy that reads patterns of heads: MInference (Jiang et al., 2024).
inline constexpr std::string_view kPatternPolicy = "minference";

/// What a head sees of the text before a query.
enum class PatternKind : std::uint8_t {
  VerticalSlash,  ///< the columns and diagonals that have most attention
  AShape,         ///< sinks and a window
  BlockSparse     ///< for each block of queries the blocks of keys that have most
};
inline constexpr std::array<std::string_view, 3> kPatternKindNames{"vertical_and_slash", "stream_llm", "block_sparse"};

/// A head's pattern. A plain value; what it is by default is every head's that no list has.
struct HeadPattern {
  PatternKind kind = PatternKind::VerticalSlash;
  std::int64_t vertical = 1000;  ///< columns; A-shape: sinks; block-sparse: blocks of keys for a block of queries
  std::int64_t slash = 6096;     ///< diagonals; A-shape: tokens of the window; block-sparse: read by nobody
  double score = 1;              ///< of the search that found it; kept for files, read by nobody

  bool operator==(const HeadPattern&) const = default;
};

/// A pattern for each head, as MInference's files have them. A plain value; any thread.
struct HeadPatterns {
  /// By query head. The last layers may be missing, and any heads.
  std::vector<std::map<int, HeadPattern>> layers;

  HeadPattern at(int layer, int head) const;  ///< the default where it is not listed
  void set(int layer, int head, const HeadPattern& pattern);
  std::int64_t count() const;  ///< heads that are listed
  bool empty() const { return count() == 0; }

  /// Throws EngineError{BadInput} naming `where` and the head: of layers and heads that the model lacks, and of sizes
  /// and scores that no file may have. `field` stands before the head's name; empty where a file is nothing else.
  void validate(const ModelConfig& model, const std::string& where, const std::string& field) const;

  bool operator==(const HeadPatterns&) const = default;
};

/// A list of objects, one for each layer: {"0": ["vertical_and_slash", 1000, 6096, 0.98], …}.
void to_json(nlohmann::json& json, const HeadPatterns& patterns);
/// The same, of any size; null is a layer without heads. Throws EngineError{BadInput} naming `where` and the head.
HeadPatterns head_patterns_from_json(const nlohmann::json& json, const std::string& where, const std::string& field);

}  // namespace carryover
