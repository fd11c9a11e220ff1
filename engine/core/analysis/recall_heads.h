// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/core/analysis/head_scores.h"
#include "engine/core/config/head_ref.h"
#include "engine/core/config/segment_config.h"
#include "engine/core/run/needle.h"

/// Which heads are worth searching with, and which ones have to read what was found (ADR 0030).
namespace carryover {

/// Cases of a choice: those that it is made by, and those that it is only checked on.
struct FoundShare {
  double chosen_by = 0, held_out = 0;  ///< 0 to 1
};

/// One more searcher.
struct SearcherStep {
  HeadRef head;
  FoundShare found;     ///< values that lie wholly in the windows that the searchers so far find together
  double log_rank = 0;  ///< mean over the cases it was chosen by: log2 of the rank of the value's best window
};

/// Heads that read what was found, of which each step has fewer.
struct ReaderStep {
  Grouping readers;
  double loss = 0;               ///< mean NLL of a token of the answer, nats; the needle is in the prefix
  double answered = 0;           ///< share of answers whose every token is the likeliest, 0 to 1
  std::int64_t entry_bytes = 0;  ///< of the pool, of a token
};

/// What is found, as far as it is found. A plain value.
struct RecallHeads {
  HeadScores found;                     ///< share of the values that each head finds alone
  std::vector<SearcherStep> searchers;  ///< in the order of choice
  bool all_searchers = false;           ///< no more are looked for
  double loss_without = 0;              ///< as ReaderStep's, where nothing retrieved is read
  double answered_without = 0;
  std::vector<ReaderStep> readers;  ///< from all heads of all layers on
  bool complete = false;

  std::vector<HeadRef> search_heads() const;  ///< ascending
};

/// What heads are chosen on. Documents are read once each.
struct RecallHeadsRequest {
  SegmentConfig config;  ///< the preset for recall; its grouping and its searchers are what is looked for
  std::vector<NeedleDocument> documents;
  std::int64_t held_out = 1;        ///< the last documents: searchers are only checked on them
  std::int64_t most_searchers = 6;  ///< ≥ 1
  double loss_rise = 0.05;          ///< readers are dropped until the loss has risen by this share
  RecallHeads known;                ///< of the same request before it was stopped: goes on there

  /// Called on the engine thread; both must return quickly and may be empty. `share`: of what the present stage has to
  /// do.
  std::function<void(double share, const std::string& what)> progress = {};
  std::function<void(const RecallHeads& so_far)> keep = {};  ///< after each step: what `known` may be later
};

/// `config` with what was found.
SegmentConfig with_recall_heads(SegmentConfig config, const RecallHeads& heads);

void to_json(nlohmann::json& json, const RecallHeads& heads);
/// Throws EngineError{BadInput} naming `where`, also where it is of a model of another shape.
RecallHeads recall_heads_from_json(const nlohmann::json& json, const ModelConfig& model, const std::string& where);

/// A table of both choices, for people.
std::string recall_heads_text(const RecallHeads& heads, std::int64_t tokens);

}  // namespace carryover
