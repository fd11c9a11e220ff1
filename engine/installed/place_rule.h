// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

namespace carryover {

/// A path below the one that an environment variable names. A rule without a variable is an absolute path.
struct PlaceRule {
  const char *variable, *below;
};

/// Returns the path that the first rule names whose variable is set, without a slash at its end; empty if there is
/// none. Reads the environment: no other thread may change it meanwhile.
std::string place_path(const std::vector<PlaceRule>& rules);

/// The folder in which huggingface_hub keeps what it fetches.
const std::vector<PlaceRule>& hub_cache_rules();

}  // namespace carryover
