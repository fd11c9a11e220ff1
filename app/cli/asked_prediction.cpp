// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/asked_prediction.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"

namespace carryover {

RunContents reopen_to_repeat(const std::string& folder) {
  RunContents run = reopen_run(folder);
  if (const std::string& missing = run.description.missing_hits; !missing.empty())
    throw EngineError(Fault::BadInput, folder, missing, "Run the text again.");
  return run;
}

RecordedSegment recorded_segment(const RunContents& run, std::int64_t segment) {
  RecordedSegment record{run.description.model.weights_hash, run.description.model.dtype, {}, {}};
  if (segment < run.segments->count()) {
    const auto snapshot = run.segments->load(static_cast<int>(segment));
    record.target_nll = snapshot->target_nll;
    record.hits = snapshot->hits;
  }
  return record;
}

AskedPrediction ask_prediction(const RunContents& run, std::int64_t token, const std::string& foil,
                               const Tokenizer& tokenizer) {
  const RunRequest& request = run.description.request;
  const std::int64_t tokens = std::ssize(*request.ids);
  if (token < 1 || token >= tokens)
    throw EngineError(Fault::Usage, "--token", "is " + std::to_string(token) + ", which nothing predicts",
                      "Choose a token from 1 to " + std::to_string(tokens - 1) + ".");
  AskedPrediction asked;
  asked.segment = (token - 1) / request.config.segment_length;
  asked.question.token = token - 1 - asked.segment * request.config.segment_length;
  if (foil.empty()) return asked;
  const auto ids = tokenizer.encode(foil);
  if (ids.size() != 1)
    throw EngineError(Fault::Usage, "--foil",
                      "\"" + foil + "\" is " + std::to_string(ids.size()) + " tokens of this model, not one",
                      "Begin it with a space, as words inside a text are: --foil \" Mary\".");
  asked.question.foil = ids.front();
  return asked;
}

std::string quoted(const std::string& token) {
  std::string text = "\"";
  for (const char c : token) {
    if (c == '\n')
      text += "\\n";
    else if (c == '\t')
      text += "\\t";
    else
      text += c;
  }
  return text + "\"";
}

std::string padded(std::string text, std::size_t width) {
  const auto characters = static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  if (characters < width) text.append(width - characters, ' ');
  return text;
}

std::string signed_text(double value) {
  constexpr double rounds_to_zero = 0.0005;
  return (value <= -rounds_to_zero ? "" : "+") + fixed_text(std::abs(value) < rounds_to_zero ? 0 : value, 3);
}

}  // namespace carryover
