// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/runs/values/prediction.h"

namespace carryover {

/// One prediction as the segment was, and under a what-if. A plain value.
struct PredictionChange {
  std::int64_t position = 0;  ///< absolute, of the token that is predicted
  QString target, foil;       ///< texts of the tokens; empty: no foil
  Prediction before, after;

  /// Returns the change of the logit, or of its difference from the foil's logit if there is a foil.
  double logit_change() const { return after.logit_difference() - before.logit_difference(); }
};

/// "logit of “␣Snow”" or, with a foil, "logit of “␣Snow” − logit of “␣Ann”".
QString logit_name(const QString& target, const QString& foil);
/// Returns the prediction with the probability that its target's loss says, so that a token has one probability
/// everywhere; the foil's differs from it by the logits. Returns it unchanged if the loss is NaN.
Prediction with_loss(Prediction prediction, float nll);

/// Returns one line: logit, or difference of logits, and probabilities, before and after.
QString prediction_text(const PredictionChange& change);

nlohmann::json prediction_json(const PredictionChange& change);
/// Throws EngineError{BadInput} with `where`, or nlohmann::json::exception.
PredictionChange prediction_from_json(const nlohmann::json& fields, const std::string& where);

}  // namespace carryover
