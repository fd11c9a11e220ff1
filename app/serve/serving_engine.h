// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/run_control.h"
#include "engine/runs/values/generate_request.h"

namespace carryover {

/// A text and the settings to run it with.
struct ScoreRequest {
  std::shared_ptr<const std::vector<std::int32_t>> ids;
  std::string policy;
  SegmentConfig config;
  int top = 0;  ///< number of likeliest tokens for each place; 0: none
};

/// The predictions of some tokens of a text, one after another.
struct TokenScores {
  std::vector<float> logprobs;             ///< ln p of each token
  std::vector<std::vector<TopToken>> top;  ///< the likeliest in its place, best first, the token itself always among
                                           ///< them; empty where not asked for
};

/// The part of an engine that a server needs. It belongs to one thread; other threads may use RunControl only. Tests
/// have an implementation without a model.
class ServingEngine {
 public:
  virtual ~ServingEngine() = default;

  /// Returns the predictions of each token of a text but the first: the losses of Session::run with their sign changed,
  /// bit for bit. Throws EngineError{BadInput, OutOfMemory, …}, {Cancelled} after a stop request.
  virtual TokenScores score(const ScoreRequest& request, RunControl& control) = 0;

  /// Decodes as Session::generate does. Throws as score().
  virtual void generate(const GenerateRequest& request, const OnToken& on_token, RunControl& control) = 0;

  /// Reads a text as a document and writes the state behind it, whole or not at all. Throws as score(), and {Io}.
  virtual void keep_state(const ScoreRequest& document, const std::string& path, RunControl& control) = 0;
  /// Loads the state in such a file, returns its document, and keeps the state until the next call of another kind: a
  /// prompt that is this document and a question behind it isn't read from the beginning. Throws EngineError{BadInput,
  /// …}.
  virtual std::vector<std::int32_t> take_state(const std::string& path) = 0;
};

}  // namespace carryover
