// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace carryover {

/// Where --output says. Asked before anything is measured.
class BenchFolder {
 public:
  /// Makes the folder; an empty name makes none, and nothing is written. Throws EngineError{Usage} where it holds a
  /// bench already that may not be replaced, {Io} where it can't be made.
  BenchFolder(const std::string& directory, bool overwrite);

  /// bench.json and bench.csv. Throws EngineError{Io}.
  void write(const nlohmann::json& bench) const;

 private:
  std::string directory_;
};

}  // namespace carryover
