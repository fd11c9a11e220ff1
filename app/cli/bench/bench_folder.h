// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace carryover {

/// The folder of --output. It is made before anything is measured.
class BenchFolder {
 public:
  /// Makes the folder; with an empty name, no folder is made and nothing is written. Throws EngineError{Usage} where
  /// the folder already holds a bench that may not be replaced, {Io} where it can't be made.
  BenchFolder(const std::string& directory, bool overwrite);

  /// Writes bench.json and bench.csv. Throws EngineError{Io}.
  void write(const nlohmann::json& bench) const;

 private:
  std::string directory_;
};

}  // namespace carryover
