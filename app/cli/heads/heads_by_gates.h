// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/runs/values/model_info.h"

namespace carryover {

/// `carryover heads --method duo`: DuoAttention's gates.
struct DuoHeadOptions {
  std::vector<std::string> texts;      ///< files and folders that passkeys are hidden in; none: made sentences
  std::optional<std::int64_t> tokens;  ///< of the longest text; nothing: 1024, or the model's context if it is less
  std::optional<std::int64_t> shortest, passkeys;  ///< nothing: as `tokens`; as many as half of a text has room for
  std::int64_t words = 32, sinks = 128, recent = 256, steps = 200, seed = 1;
  double rate = 0.02, l1 = 0.05;
  std::optional<double> sparsity;  ///< nothing: default_sparsity()
  std::string out;                 ///< folder for DuoAttention's two files; empty: they are not written
  std::string evidence, grouping;  ///< files; empty: none
  bool json = false, quiet = false;

  void add_to(CLI::App& app);  ///< the flags of it alone; the rest is filled by the verb
};

/// Returns the exit code. Throws EngineError.
int find_duo_heads(const DuoHeadOptions& options, const ModelRequest& model);

}  // namespace carryover
