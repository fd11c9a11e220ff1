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

/// The kind of a pattern: which keys a head sees of the text before a query.
enum class PatternKind : std::uint8_t {
  VerticalSlash,  ///< the columns and diagonals that have most attention
  AShape,         ///< sinks and a window
  BlockSparse     ///< for each block of queries, the blocks of keys that have most attention
};
inline constexpr std::array<std::string_view, 3> kPatternKindNames{"vertical_and_slash", "stream_llm", "block_sparse"};

/// A head's pattern. The default value is the pattern of every head that is not listed. A plain value.
struct HeadPattern {
  PatternKind kind = PatternKind::VerticalSlash;
  std::int64_t vertical = 1000;  ///< columns; A-shape: sinks; block-sparse: blocks of keys for a block of queries
  std::int64_t slash = 6096;     ///< diagonals; A-shape: tokens of the window; block-sparse: not used
  double score = 1;              ///< score from the search that found it; kept for files, not used

  bool operator==(const HeadPattern&) const = default;
};

/// A pattern for each head, as MInference's files have them. A plain value; any thread.
struct HeadPatterns {
  /// By layer and query head. The last layers may be missing, and any heads.
  std::vector<std::map<int, HeadPattern>> layers;

  HeadPattern at(int layer, int head) const;  ///< the default if it is not listed
  void set(int layer, int head, const HeadPattern& pattern);
  std::int64_t count() const;  ///< number of heads that are listed
  bool empty() const { return count() == 0; }

  /// Throws EngineError{BadInput}, which names `where` and the head, for layers and heads that the model lacks, and for
  /// sizes and scores that no file may have. `field` is put before the head's name; empty if the file holds nothing
  /// else.
  void validate(const ModelConfig& model, const std::string& where, const std::string& field) const;

  bool operator==(const HeadPatterns&) const = default;
};

/// Writes a list of objects, one for each layer: {"0": ["vertical_and_slash", 1000, 6096, 0.98], …}.
void to_json(nlohmann::json& json, const HeadPatterns& patterns);
/// Reads such a list of any size; null is a layer without heads. Throws EngineError{BadInput}, which names `where` and
/// the head.
HeadPatterns head_patterns_from_json(const nlohmann::json& json, const std::string& where, const std::string& field);

}  // namespace carryover
