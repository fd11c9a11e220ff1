// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "engine/heads/choice/recall_order.h"
#include "engine/runs/values/model_info.h"

namespace carryover {

/// `carryover heads --recall`: who searches, and who reads what was found.
struct RecallHeadOptions {
  bool wanted = false;
  RecallOrder order;
  std::string evidence, grouping;
  bool json = false, quiet = false;

  void add_to(CLI::App& app);  ///< the flags of it alone; the rest is filled by the verb
};

/// Returns the exit code. Throws EngineError.
int find_recall_heads(const RecallHeadOptions& options, const ModelRequest& model);

}  // namespace carryover
