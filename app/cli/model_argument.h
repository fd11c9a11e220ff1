// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "engine/hub/hub_name.h"

namespace carryover {

/// Adds MODEL, the positional argument of most verbs: a folder, a file or a name on a hub. `model` gets a path before
/// the verb's action begins (path_of_model()). Add it before or after --quiet, which it heeds.
CLI::Option* add_model(CLI::App& app, std::string& model);

/// Returns a path as it is, and a name's place in the Hugging Face cache; a model that is not there is fetched. The
/// text comes back as it is if neither a file nor a model can be called so. Ctrl-C stops a fetch. Throws EngineError.
std::string path_of_model(const std::string& text, bool quiet);

/// Fetches a model with progress on standard error. Returns the path to open, as run_fetch(). `dry_run`: only lists the
/// files on standard output, and returns nothing.
std::string fetch_named(const HubName& name, const std::vector<std::string>& patterns, bool dry_run, bool quiet);

}  // namespace carryover
