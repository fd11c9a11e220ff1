// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/model_folder.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/formats/output_file.h"
#include "engine/models/hf_config.h"
#include "engine/tokenizers/tokenizer_writer.h"

namespace carryover {

void write_model_folder(const std::string& directory, const ModelConfig& model, const std::string& dtype,
                        const std::vector<OutgoingTensor>& tensors, const std::string& tokenizer_of) {
  const std::filesystem::path folder = directory;
  write_file_atomically((folder / "config.json").string(), hf_config_to_json(model, dtype).dump(2) + "\n");
  write_tokenizer(directory, tokenizer_of);
  write_safetensors((folder / "model.safetensors").string(), tensors, {{"format", "pt"}});
}

}  // namespace carryover
