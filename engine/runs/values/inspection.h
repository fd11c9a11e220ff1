// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/head_ref.h"
#include "engine/config/retrieval_choices.h"
#include "engine/runs/values/forward_point.h"
#include "engine/runs/values/hits.h"
#include "engine/runs/values/map.h"
#include "engine/runs/values/prediction.h"
#include "engine/runs/values/snapshot.h"
#include "engine/runs/values/what_if.h"

namespace carryover {

/// A query and a key of one segment, both counted from its start; the key does not lie after the query.
struct AttentionPair {
  std::int64_t query = 0, key = 0;
  bool operator==(const AttentionPair&) const = default;
};

/// Selects what to inspect in one segment. Each part costs time and memory of its own.
struct InspectionParts {
  std::optional<HeadRef> attention = {};           ///< a head's attention map
  std::int64_t map_rows = 256, map_columns = 512;  ///< limits; beyond them, neighbours are pooled by their mean
  bool masses = false;                             ///< mass of every head on its prefix and on each retrieved slot
  std::optional<HeadRef> search = {};              ///< how a long-range head's prefix was found
  bool recall = false;                             ///< compares what was retrieved with attention over all searched
                                                   ///< positions
  std::optional<std::int64_t> attribution = {};    ///< target of this token of the segment, counted from its start
  std::int64_t neurons = 0;                        ///< with `attribution`: number of neurons to list
  std::optional<std::int64_t> lens = {};           ///< logit lens of this token of the segment
  std::optional<std::int64_t> ablations = {};      ///< this token's prediction without each part of the prefixes
  std::optional<std::int64_t> sources = {};        ///< positions that this token's query attends to; it predicts the
                                                   ///< next token
  std::vector<PointRef> points = {};               ///< values of these points of the forward pass
  std::vector<AttentionPair> pairs = {};           ///< attention of every head from these queries to these keys
  std::optional<std::int32_t> foil = {};           ///< id; attribution and sources then use the target's logit minus
                                                   ///< the foil's
  std::int64_t top = 0;                            ///< number of likeliest tokens that each prediction lists
};

/// Throws EngineError{BadInput} if the attention map would have no rows or columns.
void check_parts(const InspectionParts& parts);

/// A head's attention over [prefix; segment], pooled. Rows sum to 1 before pooling.
struct AttentionMap {
  HeadRef head;
  std::int64_t prefix_length = 0, segment_length = 0;
  std::int64_t query_step = 1, key_step = 1;   ///< tokens per row and per column; a column never spans both parts
  std::int64_t prefix_columns = 0;             ///< the first columns are the prefix's
  Map mean;                                    ///< [rows, columns]: mean over a row's queries of the column's mass
  std::vector<std::int64_t> prefix_positions;  ///< [prefix_length], absolute; of the carry or of the hits
};

/// The values of one point of a layer: [m, width], a row for each token of the segment.
struct PointValues {
  PointRef place;
  Map values;
};

/// The share of its attention that a head spends on each of its slots, as a mean over the segment's queries.
struct SlotMasses {
  HeadRef head;
  std::vector<float> mass;  ///< one for each of HeadHits::hits
};

/// Retrieval for one head, step by step (app:retrieval).
struct SearchSteps {
  struct Ranked {
    int summary;
    std::int64_t position;
    float score;
    bool anchor;  ///< true if it survived the cut at A
  };
  HeadRef head;
  std::vector<TokenRange> summaries;  ///< absolute positions of the queries in each mean; the last one is the tail mean
  std::int64_t position_step = 1;     ///< number of positions per column of `scores`
  Map scores;  ///< [summaries, columns]: the best raw score in each column; NaN if none of it was searched
  std::vector<std::int64_t> best;  ///< [summaries]: position of each summary's best score; −1: nothing was searched
  std::vector<Ranked> ranked;      ///< top-k of each summary, best first
  HeadHits hits;                   ///< the result: anchors, expansion, padding
};

/// Compares a head's retrieved set with its attention over the pool, as far as its search ranks it: without sinks, and
/// without the carried positions if its readers read the carry. Attention here is the softmax of unrotated q·k/√d over
/// these entries, as a mean over the segment's queries.
struct HeadRecall {
  HeadRef head;
  double recall = 0;                 ///< share of the R positions with most attention that was retrieved
  double mass = 0;                   ///< share of the attention on what was retrieved
  double oracle_mass = 0;            ///< share of the attention on the oracle prefix
  std::vector<std::int64_t> oracle;  ///< the R positions with most attention, ascending
};

/// One neuron of a feed-forward layer. It adds its activation times its column of the down-projection.
struct NeuronShare {
  int layer = 0;
  std::int64_t neuron = 0;  ///< 0 … I − 1
  float activation = 0;     ///< what the down-projection reads
  float logit = 0;
};

/// Direct contributions to a target's logit, or to its difference from a foil's, with the scale of the final norm kept
/// fixed. Their sum over heads and sources, with `embedding` and the feed-forward layers, is `logit`.
struct LogitAttribution {
  Prediction prediction;
  float logit = 0, embedding = 0;
  float biases = 0;                 ///< of attention's output projections and of the final norm
  std::vector<float> feed_forward;  ///< [L]
  /// [L, H]: contributions of what heads read in each part. Carry is all of a prefix but sinks and what was retrieved,
  /// so far as it lies before the segment.
  Map sinks, retrieved, carry, segment;
  std::vector<NeuronShare> neurons = {};  ///< of all layers, those that move the logit most; the largest first
};

/// One reading of the logit lens: what the final norm and the head make of a vector inside the model.
struct LensReading {
  TopToken top;              ///< likeliest token
  std::int64_t rank = 0;     ///< number of tokens that are likelier than the target
  float target_logprob = 0;  ///< ln p
  float foil_logprob = 0;    ///< ln p; 0 without a foil
};

/// The logit lens of one token's prediction.
struct LogitLens {
  std::int64_t token = 0;             ///< counted from the segment's start
  std::int32_t target = 0;            ///< id
  std::vector<LensReading> residual;  ///< [1 + L], of the residual stream: after the embedding and after each layer
  /// After each layer from `first_carry_layer` on, of what attention has read from the carry and written into the
  /// residual stream so far; empty if no head reads a carry.
  std::vector<LensReading> carry;
  std::int64_t first_carry_layer = 0;
};

/// A prediction of a segment that ran without one part of its prefixes. The other parts keep their positions.
struct AblatedPrediction {
  PrefixPart part = PrefixPart::Sinks;  ///< the part that no head read
  Prediction prediction;
  std::vector<float> logprobs = {};  ///< ln p of the tokens that are the likeliest ones with all parts, in their order
};

/// A prediction as it was, and without each part that its segment's heads read. A policy other than segmented has no
/// such parts.
struct PredictionAblations {
  Prediction as_it_was;
  std::vector<AblatedPrediction> without;
};

/// The sources of a prediction: the attention of the query that predicts a token, for every head on every position that
/// any head sees, and the contribution of each position to the logit, or to the difference, through all heads (the
/// attention part of a LogitAttribution).
struct TokenSources {
  std::int64_t token = 0;               ///< the query, counted from the segment's start
  std::vector<std::int64_t> positions;  ///< absolute, ascending
  Map attention;                        ///< [L·H, positions]; a row sums to 1
  std::vector<float> logit;             ///< [positions]
};

/// The inspection of one segment. Parts that were not asked for are empty.
struct Inspection {
  std::int64_t segment = 0;
  std::vector<HeadHits> hits;
  std::optional<AttentionMap> attention;
  Map prefix_mass;  ///< [L, H]: mean over queries of the attention on the head's prefix, sinks included
  std::vector<SlotMasses> slot_masses;
  std::optional<SearchSteps> search;
  std::vector<HeadRecall> recall;
  std::optional<LogitAttribution> attribution;
  std::optional<TokenSources> sources;
  std::optional<LogitLens> lens;
  std::optional<PredictionAblations> ablations;
  std::vector<PointValues> points;  ///< in the order in which they were asked for
  Map pair_mass, pair_top;  ///< [L, H]: mean attention over the pairs; share of pairs whose key has most of the query's
                            ///< attention
};

}  // namespace carryover
