// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/model_source.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/checkpoints/gguf_source.h"
#include "engine/checkpoints/hf_source.h"
#include "engine/checkpoints/random_model.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/dequantize.h"

namespace carryover {

std::unique_ptr<ModelSource> ModelSource::open(const std::string& path) {
  if (names_random_model(path)) return open_random_model(path.substr(random_model_prefix.size()));
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

std::string ModelSource::hash() const {
  std::vector<std::uint64_t> contents;
  for (const StoredTensor& tensor : tensors()) contents.push_back(content_hash(tensor));
  return weights_hash(*this, contents);
}

std::string weights_hash(const ModelSource& source, std::span<const std::uint64_t> contents) {
  CARRYOVER_CHECK(contents.size() == source.tensors().size());
  nlohmann::json shape = json_of_fields(source.config());
  for (const char* left_out : {"architecture", "name", "layers", "hidden", "intermediate", "vocabulary",
                               "tied_embeddings", "bos_id", "eos_id"})  // or said by the tensors
    shape.erase(left_out);
  shape["tensors"] = nlohmann::json::array();
  for (const StoredTensor& tensor : source.tensors())
    shape["tensors"].push_back({tensor.name, tensor.shape, storage_name(tensor.type)});
  const std::string text = shape.dump();
  std::uint64_t hash = carryover::content_hash(std::as_bytes(std::span(text)));
  for (const std::uint64_t content : contents) hash = join_hashes(hash, content);
  return hex_of(hash);
}

}  // namespace carryover
