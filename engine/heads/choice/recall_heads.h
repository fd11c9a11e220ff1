// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/config/head_ref.h"
#include "engine/config/segment_config.h"
#include "engine/heads/choice/head_scores.h"
#include "engine/runs/values/needle.h"

/// The heads that are worth searching with, and the heads that have to read what was found (ADR 0030).
namespace carryover {

/// Shares of two kinds of cases: those by which a choice is made, and those on which it is only checked.
struct FoundShare {
  double chosen_by = 0, held_out = 0;  ///< 0 to 1
};

/// A step of the choice, which adds one searcher.
struct SearcherStep {
  HeadRef head;
  FoundShare found;     ///< share of values that are entirely in the windows that the searchers so far find together
  double log_rank = 0;  ///< mean over the cases it was chosen by: log2 of the rank of the value's best window
};

/// The heads that read what was found. Each step has fewer.
struct ReaderStep {
  Grouping readers;
  double loss = 0;               ///< mean NLL in nats of a token of the answer, with the needle in the prefix
  double answered = 0;           ///< share of answers whose every token is the likeliest, 0 to 1
  std::int64_t entry_bytes = 0;  ///< bytes of the pool per token
};

/// The result so far of the search for heads of recall. A plain value.
struct RecallHeads {
  HeadScores found;                     ///< share of the values that each head finds alone
  std::vector<SearcherStep> searchers;  ///< in the order of choice
  bool all_searchers = false;           ///< true if no further searchers are looked for
  double loss_without = 0;              ///< like ReaderStep's loss, but nothing retrieved is read
  double answered_without = 0;
  std::vector<ReaderStep> readers;  ///< begins with all heads of all layers
  bool complete = false;

  std::vector<HeadRef> search_heads() const;  ///< ascending
};

/// The texts and limits of the choice of heads. Documents are read once each.
struct RecallHeadsRequest {
  SegmentConfig config;  ///< the preset for recall; the search replaces its grouping and searchers
  std::vector<NeedleDocument> documents;
  std::int64_t held_out = 1;        ///< number of last documents, on which searchers are only checked
  std::int64_t most_searchers = 6;  ///< ≥ 1
  double loss_rise = 0.05;          ///< readers are dropped until the loss has risen by this share
  RecallHeads known;                ///< result of the same request before it was stopped, to continue from

  /// Both functions are called on the engine thread, must return quickly and may be empty. `share`: share of the
  /// present stage that is done.
  std::function<void(double share, const std::string& what)> progress = {};
  std::function<void(const RecallHeads& so_far)> keep = {};  ///< after each step, with a later request's `known`
};

/// Returns `config` with the heads that were found.
SegmentConfig with_recall_heads(SegmentConfig config, const RecallHeads& heads);

void to_json(nlohmann::json& json, const RecallHeads& heads);
/// Throws EngineError{BadInput}, which names `where`, also if the heads are of a model of another shape.
RecallHeads recall_heads_from_json(const nlohmann::json& json, const ModelConfig& model, const std::string& where);

/// Returns a table of both choices for people.
std::string recall_heads_text(const RecallHeads& heads, std::int64_t tokens);

}  // namespace carryover
