// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/output.h"
#include "app/commands/progress_line.h"
#include "app/commands/verbs.h"
#include "engine/core/error.h"
#include "engine/engine_library.h"

namespace carryover {

namespace {

struct ExportOptions {
  std::string model, adapter, output, dtype = "fp32";
  bool quiet = false;
};

int export_model(const ExportOptions& options) {
  if (std::filesystem::exists(options.output))
    throw EngineError(Fault::Usage, options.output, "is there already", "Choose a folder that is not.");
  const DType dtype = parse_dtype(options.dtype);
  if (dtype != DType::Float32 && dtype != DType::BFloat16)
    throw EngineError(Fault::Usage, "--dtype", "is '" + options.dtype + "'", "Use fp32 or bf16.");
  ProgressLine progress(options.quiet);
  const ModelRequest request{options.model, dtype, Device::Cpu, 0, false, options.adapter};
  const auto session =
      load_session(request, [&](double fraction, const std::string& what) { progress.loading(fraction, what); });
  session->save(options.output);
  progress.clear();
  print("written    " + options.output + "\n");
  return kExitOk;
}

}  // namespace

VerbAction add_export(CLI::App& app) {
  const auto options = std::make_shared<ExportOptions>();
  app.add_option("MODEL", options->model, "Hugging Face folder or GGUF file")->type_name("")->required();
  app.add_option("--adapter", options->adapter, "PEFT folder (LoRA) that is merged into the model's weights")
      ->type_name("DIR");
  app.add_option("--output", options->output, "folder to write; must not be there yet")->required()->type_name("DIR");
  app.add_option("--dtype", options->dtype, "fp32 (default) or bf16")->type_name("TYPE");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  app.footer(R"(Example:
  carryover export model.gguf --adapter run1/final --output merged --dtype bf16)");
  return [options] { return export_model(*options); };
}

}  // namespace carryover
