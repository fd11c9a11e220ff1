// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"

namespace carryover {

namespace {

struct FetchOptions {
  std::string name;
  std::vector<std::string> patterns;
  bool dry_run = false, quiet = false;
};

int fetch(const FetchOptions& options) {
  const std::string path =
      fetch_named(require_hub_name(options.name), options.patterns, options.dry_run, options.quiet);
  if (!path.empty()) print(path + "\n");
  return kExitOk;
}

}  // namespace

VerbAction add_fetch(CLI::App& app) {
  const auto options = std::make_shared<FetchOptions>();
  app.add_option("NAME", options->name, "name on the hub: ORG/NAME, or ORG/NAME@REVISION for a branch, tag or commit")
      ->type_name("")
      ->required();
  app.add_option("--include", options->patterns,
                 "fetch the files that match this pattern instead, such as '*Q4_K_M*'; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATTERN");
  app.add_flag("--dry-run", options->dry_run, "list the files and their sizes, fetch nothing");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  app.footer(
      R"(Fetches a model into the Hugging Face cache, where transformers finds it too, and prints its path. Files that
are there are not fetched again, and a fetch that was cut or stopped continues where it ended. Every file is checked
against the hash that the hub lists. Pickles (*.bin, *.pt) are never fetched.

HF_ENDPOINT, HF_TOKEN, HF_HOME, HF_HUB_CACHE and HF_HUB_OFFLINE mean what they mean to huggingface_hub.

Examples:
  carryover fetch Qwen/Qwen3-0.6B
  carryover fetch Qwen/Qwen3-0.6B-GGUF --include '*Q8_0*'
  carryover run Qwen/Qwen3-0.6B book.txt      fetches it if it is not there)");
  return [options] { return fetch(*options); };
}

}  // namespace carryover
