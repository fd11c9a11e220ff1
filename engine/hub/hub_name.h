// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>

namespace carryover {

/// A model on a hub. A plain value.
struct HubName {
  std::string repository;         ///< "Qwen/Qwen3-0.6B"
  std::string revision = "main";  ///< a branch, a tag, a commit or a pull request: "main", "v1.0", "refs/pr/1"

  /// Returns the name as people write it, without the revision if that is main.
  std::string text() const { return revision == "main" ? repository : repository + "@" + revision; }
};

/// Reads ORG/NAME or ORG/NAME@REVISION. Returns nothing if no model of a hub can be called so: with other characters
/// than those of such names, or as a GGUF file is. Pure; any thread.
std::optional<HubName> parse_hub_name(const std::string& text);

/// Does the same for a text that has to be a name. Throws EngineError{Usage}.
HubName require_hub_name(const std::string& text);

}  // namespace carryover
