// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/runs/records/run_settings.h"

namespace carryover {

/// `carryover run --prompts`.
struct PromptRequest {
  std::string model, adapter;
  std::string prompts;  ///< the file
  std::string against;  ///< a control of run_prefix_names() that each example is run under too; empty: none
  std::string out;
  bool parse_special = false, overwrite = false, carry_maps = false, json = false, quiet = false;
};

/// Runs each example into a run folder under `out`, and writes prompts.json, prompts.csv, slices.csv and table.md from
/// those folders. A finished example with the same run id isn't run again, so the same command continues after Ctrl-C.
/// An example that fails is recorded with its error, and the others are run. The files are written anew about every
/// second, so that they can be looked at before the end. Returns the exit code. Throws
/// EngineError{Usage, BadInput, Io}.
int run_prompts(const PromptRequest& request, const RunSettings& settings);

}  // namespace carryover
