// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/hf_source.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/base/error.h"
#include "engine/checkpoints/hf_config.h"
#include "engine/checkpoints/model_path_name.h"
#include "engine/checkpoints/stored_model.h"
#include "engine/checkpoints/text_half.h"
#include "engine/formats/json_file.h"
#include "engine/formats/mapped_file.h"

namespace carryover {

namespace fs = std::filesystem;

namespace {

/// Returns false also if the folder can't be searched; opening the file then reports the reason.
bool present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

constexpr std::size_t kMaxShards = 4096;

/// Returns the shards that an index names, after checking that they lie in the folder itself. `weights` gets the shard
/// of each tensor.
std::set<std::string> read_index(const fs::path& path, std::map<std::string, std::string>& weights) {
  const nlohmann::json json = read_json_file(path.string(), JsonKind::TensorList);
  const auto refuse = [&](const std::string& problem) {
    throw EngineError(Fault::BadInput, path.string(), problem, "Fetch the index again.");
  };
  const nlohmann::json* list = JsonFields(json, path.string()).find("weight_map");
  if (list == nullptr || !list->is_object()) refuse("weight_map is missing or not an object");
  std::set<std::string> shards;
  for (const auto& [name, shard] : list->items()) {
    if (!shard.is_string()) refuse("weight_map names no file for " + name.substr(0, 120));
    const auto file = shard.get<std::string>();
    if (file.empty() || file.front() == '.' || file.find_first_of(std::string("/\\\0", 3)) != std::string::npos) {
      refuse("weight_map names '" + file.substr(0, 120) + "', which is not a file of this folder");
    }
    shards.insert(file);
    weights[name] = file;
  }
  if (shards.size() > kMaxShards) refuse("names more than " + std::to_string(kMaxShards) + " shards");
  return shards;
}

std::vector<SafetensorsFile> open_shards(const fs::path& folder) {
  const fs::path index = folder / "model.safetensors.index.json";
  std::map<std::string, std::string> weights;
  std::vector<SafetensorsFile> files;
  std::map<std::string, std::size_t> position;
  for (const std::string& shard : read_index(index, weights)) {
    if (!present(folder / shard)) {
      throw EngineError(Fault::Io, (folder / shard).string(), "this shard, which the index names, is missing",
                        "Fetch the model again, all its files.");
    }
    position[shard] = files.size();
    files.push_back(SafetensorsFile::open((folder / shard).string()));
  }
  for (const auto& [name, shard] : weights) {
    if (files[position[shard]].find(name) == nullptr)
      refuse_missing_tensor((folder / shard).string(), name.substr(0, 120));
  }
  return files;
}

std::vector<SafetensorsFile> open_weights(const fs::path& folder) {
  if (present(folder / "model.safetensors.index.json") && !present(folder / "model.safetensors"))
    return open_shards(folder);
  if (!present(folder / "model.safetensors")) {
    const bool pickled = present(folder / "pytorch_model.bin") || present(folder / "pytorch_model.bin.index.json");
    throw EngineError(
        Fault::Io, folder.string(), "has neither model.safetensors nor model.safetensors.index.json",
        pickled ? "pytorch_model.bin can't be read: convert it to safetensors." : "Fetch the model's weights.");
  }
  std::vector<SafetensorsFile> files;
  files.push_back(SafetensorsFile::open((folder / "model.safetensors").string()));
  return files;
}

using TensorPlaces = std::map<std::string, std::pair<const SafetensorsFile*, const SafetensorsTensor*>>;

TensorPlaces places_of(const std::vector<SafetensorsFile>& files) {
  TensorPlaces stored;
  for (const SafetensorsFile& file : files) {
    for (const SafetensorsTensor& tensor : file.tensors()) {
      const auto [twin, is_new] = stored.emplace(tensor.name, std::pair(&file, &tensor));
      if (is_new) continue;
      throw EngineError(Fault::BadInput, file.where(),
                        "tensor '" + tensor.name.substr(0, 120) + "' is also in " + twin->second.first->where(),
                        "Remove the files that don't belong to this model.");
    }
  }
  return stored;
}

bool same_contents(const TensorPlaces::mapped_type& one, const TensorPlaces::mapped_type& other) {
  const SafetensorsTensor &a = *one.second, &b = *other.second;
  const bool same = a.dtype == b.dtype && a.shape == b.shape && std::ranges::equal(a.data, b.data);
  for (const auto& [file, tensor] : {one, other}) {
    if (!file->file()) continue;
    file->file()->require_whole();
    file->file()->release(tensor->data);
  }
  return same;
}

/// Returns true if the embeddings are tied, and then leaves only the embeddings in `stored`. A checkpoint whose config
/// ties the embeddings may still store the head. As in transformers, a head that equals the embeddings is one tensor
/// with them, a different head means that nothing is tied, and a head without embeddings serves as both.
bool resolve_tied(const ModelConfig& config, TensorPlaces& stored) {
  const auto head = stored.find(head_name(config)), embeddings = stored.find(embedding_name(config));
  if (head == stored.end()) return true;
  if (embeddings == stored.end()) {
    stored.emplace(embedding_name(config), head->second);
  } else if (!same_contents(head->second, embeddings->second)) {
    return false;
  }
  stored.erase(head);
  return true;
}

/// Returns true for what older checkpoints store although it follows from the config: RoPE's frequencies, and
/// GPT-NeoX's causal mask with the value of what it hides.
bool is_redundant(const std::string& name) {
  return name.ends_with("rotary_emb.inv_freq") || name.ends_with(".attention.bias") ||
         name.ends_with(".attention.masked_bias");
}

}  // namespace

std::unique_ptr<ModelSource> hf_model(ModelConfig config, const std::vector<SafetensorsFile>& files) {
  CARRYOVER_CHECK(!files.empty());
  TensorPlaces stored = places_of(files);
  config.tied_embeddings = config.tied_embeddings && resolve_tied(config, stored);
  auto model = std::make_unique<StoredModel>(config);
  std::vector<WeightRow> tensors = model_tensors(config);
  const std::vector<WeightRow> gates = gate_tensors(config);
  const auto is_stored = [&](const WeightRow& gate) { return stored.contains(gate.hf_name); };
  if (std::ranges::any_of(gates, is_stored)) tensors.insert(tensors.end(), gates.begin(), gates.end());
  for (const WeightRow& wanted : tensors) {
    const auto found = stored.find(wanted.hf_name);
    if (found == stored.end()) refuse_missing_tensor(files.front().where(), wanted.hf_name);
    const auto [file, tensor] = found->second;
    if (!tensor->type) {
      throw EngineError(Fault::Unsupported, file->where(), "tensor " + wanted.hf_name + " has dtype " + tensor->dtype,
                        "Supported: F64, F32, F16, BF16. Save the model in one of these.");
    }
    model->add(wanted, {file->where(), tensor->shape, *tensor->type, tensor->data, file->file()}, false);
    stored.erase(found);
  }
  for (const auto& [name, place] : stored) {
    if (!is_redundant(name)) refuse_extra_tensor(place.first->where(), name);
  }
  return model;
}

namespace {

struct HfFolder {
  ModelConfig config;
  std::vector<SafetensorsFile> files;
};

HfFolder read_hf_folder(const std::string& path) {
  const fs::path folder = path;
  const std::string config_path = (folder / "config.json").string();
  if (!present(config_path) && present(folder / "adapter_config.json")) {
    throw EngineError(Fault::Io, path, "is an adapter's folder, not a model's",
                      "Open its base model, and this folder as the adapter.");
  }
  if (!present(config_path)) {
    throw EngineError(Fault::Io, path, "has no config.json",
                      "Give a Hugging Face model folder (config.json and safetensors) or a .gguf file.");
  }
  ModelConfig config =
      hf_config_from_json(read_json_file(config_path, JsonKind::Settings), model_path_name(path), config_path);
  std::vector<SafetensorsFile> files = open_weights(folder);
  for (SafetensorsFile& file : files) file = file.renamed(name_in_text_half);
  return {std::move(config), std::move(files)};
}

}  // namespace

std::unique_ptr<ModelSource> open_hf_folder(const std::string& path) {
  const HfFolder folder = read_hf_folder(path);
  return hf_model(folder.config, folder.files);
}

ModelConfig check_hf_folder(const std::string& path) {
  const HfFolder folder = read_hf_folder(path);
  const TensorPlaces stored = places_of(folder.files);
  ModelConfig config = folder.config;
  // A head beside tied embeddings is compared with them by reading both. Both have one shape, whatever they hold.
  if (stored.contains(head_name(config)) && stored.contains(embedding_name(config))) config.tied_embeddings = false;
  hf_model(config, folder.files);
  return folder.config;
}

}  // namespace carryover
