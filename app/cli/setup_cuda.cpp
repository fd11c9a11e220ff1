// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/verbs.h"
#include "engine/api/engine_library.h"
#include "engine/base/error.h"

namespace carryover {

namespace {

constexpr const char* kBash = "/bin/bash";  ///< not the first on PATH: root may run this anywhere

struct SetupCudaOptions {
  std::string folder;
  bool dry_run = false, anyway = false, keep_downloads = false;
};

std::vector<std::string> script_arguments(const std::string& script, const SetupCudaOptions& options) {
  std::vector<std::string> arguments{kBash, "-p", script};  // with -p, neither BASH_ENV nor functions come along
  if (options.dry_run) arguments.emplace_back("--dry-run");
  if (options.anyway) arguments.emplace_back("--anyway");
  if (options.keep_downloads) arguments.emplace_back("--keep-downloads");
  if (!options.folder.empty()) arguments.insert(arguments.end(), {"--to", options.folder});
  return arguments;
}

/// The script takes this process's place, so that Ctrl-C and the exit code are its own.
int become_script(const SetupCudaOptions& options) {
  const std::string script = library_folder() + "/scripts/setup_cuda.sh";
  if (!std::filesystem::exists(script)) {
    throw EngineError(Fault::Unsupported, "setup-cuda", "is for an installed package, and this is a build",
                      "In a checkout, `./lab cuda` fetches the CUDA libraries and builds the plug-in.");
  }
  std::vector<std::string> arguments = script_arguments(script, options);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(kBash, words.data());
  throw EngineError(Fault::Io, script, std::string(kBash) + " can't be started: " + std::strerror(errno),
                    "Install bash.");
}

}  // namespace

VerbAction add_setup_cuda(CLI::App& app) {
  const auto options = std::make_shared<SetupCudaOptions>();
  app.add_flag("--dry-run", options->dry_run, "Print what would be fetched, and into which folder");
  app.add_option("--to", options->folder, "Into this folder; then set CARRYOVER_TORCH_DIR to it")->type_name("DIR");
  app.add_flag("--anyway", options->anyway, "On a machine without an NVIDIA driver too");
  app.add_flag("--keep-downloads", options->keep_downloads, "Keep what was fetched once it is unpacked");
  app.footer(R"(Fetches LibTorch's CUDA half and CUDA 13.0's libraries (2.5 GB, 4.5 GB unpacked), each checked by its
SHA-256: into ~/.local/share/carryover, or next to the program's libraries if root runs it. An interrupted fetch
continues.
  carryover setup-cuda --dry-run
  sudo carryover setup-cuda)");
  return [options] { return become_script(*options); };
}

}  // namespace carryover
