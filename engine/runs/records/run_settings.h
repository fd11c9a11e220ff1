// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/base/dtype.h"
#include "engine/config/segment_config.h"

namespace carryover {

/// Everything that decides how a text is run, by the names that `run --config` and an experiment's evaluations read.
struct RunSettings {
  SegmentConfig config;
  std::string policy = "segmented";
  DType dtype = DType::Auto;
  Device device = Device::Auto;
  int threads = 0;
  std::optional<std::int64_t> tokens;
  std::uint64_t seed = 0;
  std::string force_hits;
  std::string prefix = "search";  ///< of run_prefix_names()

  /// Throws EngineError{BadInput} naming `where` and the field.
  void validate(const ModelConfig& model, const std::string& where) const;
};

/// Fields by name over what `settings` has; those that are no field of a run are SegmentConfig's. Throws
/// EngineError{BadInput} naming `where` and a field that is unknown or has a wrong value, {Usage} for a dtype or device
/// that is none.
void update_run_settings(RunSettings& settings, nlohmann::json fields, const std::string& where);

}  // namespace carryover
