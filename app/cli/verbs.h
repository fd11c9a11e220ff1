// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "app/cli/figure_request.h"

namespace carryover {

/// A verb adds its options to `app` and returns what to do once they are parsed; that returns the exit code and throws
/// EngineError.
using VerbAction = std::function<int()>;

struct Verb {
  const char* name;
  const char* summary;
  VerbAction (*add)(CLI::App& app);
};

const std::vector<Verb>& verbs();

VerbAction add_info(CLI::App& app);
VerbAction add_models(CLI::App& app);
VerbAction add_fetch(CLI::App& app);
VerbAction add_run(CLI::App& app);
VerbAction add_tokenize(CLI::App& app);
VerbAction add_generate(CLI::App& app);
VerbAction add_train(CLI::App& app);
VerbAction add_experiment(CLI::App& app);
VerbAction add_eval(CLI::App& app);
VerbAction add_audit(CLI::App& app);
VerbAction add_export(CLI::App& app);
VerbAction add_why(CLI::App& app);
VerbAction add_sweep(CLI::App& app);
VerbAction add_heads(CLI::App& app);
VerbAction add_bench(CLI::App& app);
VerbAction add_serve(CLI::App& app);  ///< of a build with CARRYOVER_SERVER
VerbAction add_engine(CLI::App& app);
VerbAction add_setup_cuda(CLI::App& app);
VerbAction add_completion(CLI::App& app);

/// The program's whole grammar, with one subcommand per verb; `actions` gets theirs, in the same order.
std::unique_ptr<CLI::App> make_app(std::vector<VerbAction>& actions);

/// argv, for config.json.
std::vector<std::string>& command_line();
/// Returns the function that makes figures; empty where this program has none.
FigureMaker& figure_maker();

}  // namespace carryover
