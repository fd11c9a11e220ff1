// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "engine/runs/values/map.h"

/// Measures of the attention sinks of a segment (docs/adr/0026). Plain values; any thread.
namespace carryover {

inline constexpr std::int64_t kFirstTokens = 4;   ///< number of tokens that count as the first ones; of the text max(n,
                                                  ///< this)
inline constexpr double kMostSinkMass = 1.01;     ///< the sum of all shares is 1; allows for rounding
inline constexpr std::int64_t kSinkQueries = 16;  ///< number of queries that are looked at, spread evenly over the
                                                  ///< segment

/// A column of a segment's map of sinks, which has a row for each layer. Norms are those of the hidden state that
/// enters the layer. Masses are shares of the attention of kSinkQueries queries, as a mean over them and over the
/// layer's heads. A key counts once: as the text's, else as the carry's, else as the segment's.
enum class SinkColumn {
  FirstNorm,        ///< the largest norm of the segment's first kFirstTokens tokens
  MedianNorm,       ///< the median norm of all its tokens, the scale for the others
  LargestNorm,      ///< the largest norm of all its tokens: a delimiter may be the sink
  LargestPosition,  ///< the position of that token, from the segment's start
  TextMass,         ///< on the text's first tokens: as sinks, or while carry, prefix or segment still has them
  CarryMass,        ///< on the carry's first kFirstTokens tokens
  SegmentMass,      ///< on the segment's first kFirstTokens tokens
  LargestMass       ///< on the token of LargestNorm, if it is none of the segment's first ones
};
/// The columns' names in files.
inline constexpr std::array<const char*, 8> kSinkColumns{"first_norm",       "median_norm", "largest_norm",
                                                         "largest_position", "text_mass",   "carry_mass",
                                                         "segment_mass",     "largest_mass"};
inline float sink_value(const Map& sinks, std::int64_t layer, SinkColumn column) {
  return sinks.at(layer, static_cast<std::int64_t>(column));
}

/// The numbers that summarise a segment's map.
struct SinkSummary {
  double text_mass = 0, carry_mass = 0, segment_mass = 0, largest_mass = 0;  ///< mean over layers without a window
  double norm_ratio = 0;  ///< the largest LargestNorm / MedianNorm of all layers: massive activations
  bool lost = false;      ///< lost_sink()

  double mass() const { return text_mass + carry_mass + segment_mass + largest_mass; }
  bool operator==(const SinkSummary&) const = default;
};
/// A number of a summary and its name in files.
struct SinkNumber {
  const char* name;
  double SinkSummary::*value;
};
inline constexpr std::array<SinkNumber, 5> kSinkNumbers{{{"text_mass", &SinkSummary::text_mass},
                                                         {"carry_mass", &SinkSummary::carry_mass},
                                                         {"segment_mass", &SinkSummary::segment_mass},
                                                         {"largest_mass", &SinkSummary::largest_mass},
                                                         {"norm_ratio", &SinkSummary::norm_ratio}}};
void to_json(nlohmann::json& json, const SinkSummary& summary);
void from_json(const nlohmann::json& json, SinkSummary& summary);

/// Returns true if each value of the map is possible, so that the map can be kept. NaN and infinite values, which a
/// model's own numbers may be, are not possible.
bool are_possible(const Map& sinks);

/// Returns all numbers but `lost`. `windowed`: layers with the model's own window (ModelConfig::window_layers), which
/// can't see the text's first tokens for long; masses are means over the other layers, or over all if there are none.
SinkSummary summarize_sinks(const Map& sinks, const std::vector<int>& windowed = {});

/// A segment has lost its sink if its mass() is less than kLostShare of the first segment's; the first segment's first
/// token has nothing before it and is a sink if the model has any. Some segments are not judged, and so are not lost:
/// the first segment, one of fewer than kLeastJudged tokens (any four hold much of its attention), and all of a model
/// whose first segment has less than kLeastSinkMass. Measured on SmolLM2-135M (ADR 0026): of 225 segments, 93 are
/// found, each of which loses more than 0.2 nats by what it reads of the past; of the other 132 segments, 8 lose as
/// much.
inline constexpr double kLostShare = 0.4, kLeastSinkMass = 0.25;
inline constexpr std::int64_t kLeastJudged = 64;
bool lost_sink(const SinkSummary& segment, std::int64_t length, const SinkSummary& first);

}  // namespace carryover
