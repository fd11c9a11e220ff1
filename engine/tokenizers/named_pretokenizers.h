// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

/// The rule that a name in `tokenizer.ggml.pre` stands for.
struct NamedPretokenizer {
  std::vector<const char*> names;
  std::vector<const char*> patterns;  ///< patterns of the BpePretokenizer
  bool ignore_merges = false;         ///< true if a word that is a token as a whole is not merged
};

/// Returns the rule of a name, or null for a name that is not known. Any thread.
const NamedPretokenizer* find_named_pretokenizer(std::string_view name);
/// Returns all known names, in the order of the table, separated by commas.
std::string pretokenizer_names();

}  // namespace carryover
