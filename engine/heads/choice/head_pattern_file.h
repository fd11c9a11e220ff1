// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "engine/config/head_patterns.h"

namespace carryover {

/// MInference's file of patterns: JSON, a list with an object of heads for each layer. Whether it fits a model is
/// HeadPatterns::validate's. Throws EngineError{BadInput} naming `where` and the head. Any thread.
HeadPatterns head_patterns_from_text(std::string_view text, const std::string& where);

/// Throw EngineError{Io} too.
HeadPatterns read_head_patterns(const std::string& path);
void write_head_patterns(const HeadPatterns& patterns, const std::string& path);

}  // namespace carryover
