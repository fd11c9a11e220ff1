// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/model_folder.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/checkpoints/hf_config.h"
#include "engine/formats/output_file.h"
#include "engine/tokenizers/end_tokens.h"
#include "engine/tokenizers/tokenizer_writer.h"

namespace carryover {

namespace {

/// Returns all end tokens. The model's own is the first, because readers of a single number take the first.
nlohmann::json all_end_tokens(const ModelConfig& model, const std::string& tokenizer_of) {
  nlohmann::json ids = nlohmann::json::array();
  if (model.eos_id) ids.push_back(*model.eos_id);
  for (const std::int32_t id : model_end_tokens(tokenizer_of))
    if (id < model.vocabulary && model.eos_id != id) ids.push_back(id);
  return ids;
}

}  // namespace

void write_model_folder(const std::string& directory, const ModelConfig& model, const std::string& dtype,
                        const std::vector<OutgoingTensor>& tensors, const std::string& tokenizer_of) {
  const std::filesystem::path folder = directory;
  nlohmann::json config = hf_config_to_json(model, dtype);
  if (const nlohmann::json ends = all_end_tokens(model, tokenizer_of); ends.size() > 1) config["eos_token_id"] = ends;
  write_file_atomically((folder / "config.json").string(), config.dump(2) + "\n");
  write_tokenizer(directory, tokenizer_of);
  write_safetensors((folder / "model.safetensors").string(), tensors, {{"format", "pt"}});
}

}  // namespace carryover
