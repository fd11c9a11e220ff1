// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// The names that a server gives its model: the plain name runs under the policy of the command line, "name:policy"
/// under any other policy that can run. A plain value; any thread.
struct ModelNames {
  std::string name;
  std::string policy;                 ///< of the plain name
  std::vector<std::string> policies;  ///< all that can run

  std::vector<std::string> all() const;
  /// The policy that a request names; an empty name is the plain one. Throws ApiError{404} with all names.
  const std::string& policy_of(const std::string& model) const;
};

/// Returns the policies of the table that can run segments of this configuration.
std::vector<std::string> policies_that_run(const SegmentConfig& config);

/// Returns a name without blanks, slashes and colons for a model's file or folder.
std::string served_name(std::string_view path);

/// Returns the answer of /v1/models. `created`: seconds since 1970.
nlohmann::json models_json(const ModelNames& names, std::int64_t created);
/// Returns one model of that list. Throws as policy_of().
nlohmann::json model_json(const ModelNames& names, const std::string& model, std::int64_t created);

}  // namespace carryover
