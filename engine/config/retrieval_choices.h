// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace carryover {

/// The parts that a head's prefix may have.
enum class PrefixPart : std::uint8_t {
  Sinks,      ///< the text's first n tokens
  Retrieved,  ///< tokens that a search found
  Carry,      ///< the carried tail
  Core        ///< groups of tokens, each pooled into one; no head of SegmentConfig reads them
};

inline constexpr std::array<std::string_view, 4> kPrefixPartNames{"sinks", "retrieved", "carry", "core"};

/// The parts of a head's prefix, in their order. The paper's heads read one part each.
enum class PrefixParts : std::uint8_t {
  None,
  Sinks,
  Retrieved,
  Carry,
  SinksRetrieved,
  SinksCarry,
  RetrievedSinks,
  RetrievedCarry,
  CarrySinks,
  CarryRetrieved,
  SinksRetrievedCarry,
  SinksCarryRetrieved,
  RetrievedSinksCarry,
  RetrievedCarrySinks,
  CarrySinksRetrieved,
  CarryRetrievedSinks
};
inline constexpr std::array<std::string_view, 16> kPrefixPartsNames{"none",
                                                                    "sinks",
                                                                    "retrieved",
                                                                    "carry",
                                                                    "sinks+retrieved",
                                                                    "sinks+carry",
                                                                    "retrieved+sinks",
                                                                    "retrieved+carry",
                                                                    "carry+sinks",
                                                                    "carry+retrieved",
                                                                    "sinks+retrieved+carry",
                                                                    "sinks+carry+retrieved",
                                                                    "retrieved+sinks+carry",
                                                                    "retrieved+carry+sinks",
                                                                    "carry+sinks+retrieved",
                                                                    "carry+retrieved+sinks"};
std::vector<PrefixPart> parts_of(PrefixParts parts);  ///< in their order
bool has(PrefixParts parts, PrefixPart part);

/// Says whose queries decide what is retrieved.
enum class SearchBy : std::uint8_t {
  PerHead,  ///< each head that reads retrieved tokens searches for its own (app:retrieval)
  Shared,   ///< SegmentConfig::search_heads decide one list of positions, which all readers read
  /// Each query of a reader searches while its segment runs, and reads the R keys of the pool that have the largest
  /// scores of its attention, at their true distances (ADR 0062). No list is made for a segment.
  PerToken
};
inline constexpr std::array<std::string_view, 3> kSearchByNames{"per-head", "shared", "per-token"};

/// The score of a position of the pool for a head.
enum class SearchScores : std::uint8_t {
  Summaries,  ///< the largest dot product of its key with a summary of the queries (app:retrieval)
  Centred     ///< the largest over the last L_q queries q of q·(k − mean k), as a z-score over the pool
};
inline constexpr std::array<std::string_view, 2> kSearchScoresNames{"summaries", "centred"};

/// Says how positions are chosen by their scores.
enum class RetrieveBy : std::uint8_t {
  Anchors,  ///< the best positions with their neighbours (app:retrieval)
  Windows   ///< the windows with the best mean score, whole and without overlap
};
inline constexpr std::array<std::string_view, 2> kRetrieveByNames{"anchors", "windows"};

}  // namespace carryover
