// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/runs/records/run_reader.h"
#include "engine/runs/values/replay_request.h"
#include "engine/tokenizers/tokenizer.h"

/// Parts of the commands that ask about a prediction of a recorded run.
namespace carryover {

/// Reads a run's folder. Throws EngineError{BadInput} if the run can't be repeated from it.
RunContents reopen_to_repeat(const std::string& folder);

/// Returns the record that a replay of a segment is compared with.
RecordedSegment recorded_segment(const RunContents& run, std::int64_t segment);

struct AskedPrediction {
  std::int64_t segment = 0;
  PredictionQuestion question;
};
/// Returns where token number `token` of the text is predicted: by the token before it. `foil`: a text of one token, or
/// empty. Throws EngineError{Usage} for a token that nothing predicts, and for a foil of several tokens.
AskedPrediction ask_prediction(const RunContents& run, std::int64_t token, const std::string& foil,
                               const Tokenizer& tokenizer);

// Text for people.
std::string quoted(const std::string& token);             ///< with escapes for ends of lines and tabs
std::string padded(std::string text, std::size_t width);  ///< counted in characters
std::string signed_text(double value);                    ///< "+0.123"

}  // namespace carryover
