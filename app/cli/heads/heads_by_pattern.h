// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "engine/runs/values/model_info.h"

namespace carryover {

/// `carryover heads --method minference`: the pattern of each head.
struct PatternHeadOptions {
  std::string text;                    ///< a file's path; empty: the text that comes with the program
  std::optional<std::int64_t> tokens;  ///< its first; nothing: the model's context, at most kMostPatternTokens
  double most_keys = 0.5;              ///< PatternSearchRequest::most_keys
  std::string out;                     ///< MInference's JSON; empty: it is not written
  bool json = false, quiet = false;
};

/// Returns the exit code. Throws EngineError.
int find_patterns(const PatternHeadOptions& options, const ModelRequest& model);

}  // namespace carryover
