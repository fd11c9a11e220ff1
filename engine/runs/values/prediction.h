// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/runs/values/top_tokens.h"

namespace carryover {

/// Selects a prediction of a segment: the one by the outputs of `token`, counted from the segment's start.
struct PredictionQuestion {
  std::int64_t token = 0;
  std::optional<std::int32_t> foil = {};  ///< id of a token that the target is compared with
  std::int64_t top = 0;                   ///< number of likeliest tokens to list
  bool operator==(const PredictionQuestion&) const = default;
};

/// The result of a prediction: logit and probability of its target, which is the next token, and of the foil.
struct Prediction {
  std::int64_t token = 0;   ///< token of the question
  std::int32_t target = 0;  ///< id
  double logit = 0, probability = 0;
  std::optional<std::int32_t> foil = {};
  double foil_logit = 0, foil_probability = 0;  ///< 0 without a foil
  /// The likeliest tokens, best first, and then the target if it is none of them; empty if none were asked for.
  std::vector<TopToken> top = {};

  double logit_difference() const { return logit - foil_logit; }  ///< the target's logit if there is no foil
};

}  // namespace carryover
