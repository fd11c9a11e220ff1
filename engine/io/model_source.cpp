// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/model_source.h"

#include <filesystem>

#include "engine/core/error.h"
#include "engine/io/gguf_source.h"
#include "engine/io/hf_source.h"
#include "engine/io/random_model.h"

namespace carryover {

std::unique_ptr<ModelSource> ModelSource::open(const std::string& path) {
  if (path.starts_with(random_model_prefix)) return open_random_model(path.substr(random_model_prefix.size()));
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    const bool missing = status.type() == std::filesystem::file_type::not_found;
    throw EngineError(Fault::Io, path, missing ? "does not exist" : "can't be examined: " + error.message(),
                      "Give a Hugging Face model folder or a .gguf file.");
  }
  if (std::filesystem::is_directory(status)) return open_hf_folder(path);
  return gguf_model(GgufFile::open(path), std::filesystem::path(path).stem().string());
}

}  // namespace carryover
