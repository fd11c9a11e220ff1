// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/random_model.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "engine/base/error.h"
#include "engine/families/family.h"
#include "engine/families/weight_rows.h"
#include "engine/formats/content_hash.h"

namespace carryover {

namespace {

ModelConfig shape(const char* name, std::int64_t layers, std::int64_t hidden, std::int64_t intermediate,
                  std::int64_t heads, std::int64_t kv_heads, std::int64_t vocabulary, std::int64_t context) {
  ModelConfig model;
  model.architecture = "llama";
  model.name = name;
  model.layers = layers;
  model.hidden = hidden;
  model.intermediate = intermediate;
  model.heads = heads;
  model.kv_heads = kv_heads;
  model.head_dim = hidden / heads;
  model.vocabulary = vocabulary;
  model.context = context;
  return model;
}

std::vector<ModelConfig> shapes() {
  ModelConfig llama2 = shape("llama2-7b", 32, 4096, 11008, 32, 32, 32000, 32768);
  llama2.rope.kind = RopeConfig::Kind::Linear;
  llama2.rope.factor = 8;
  ModelConfig llama3 = shape("llama3.1-8b", 32, 4096, 14336, 32, 8, 128256, 131072);
  llama3.rope = {RopeConfig::Kind::Llama3, 500000.0, 8.0, 1.0, 4.0, 8192};
  ModelConfig smollm2 = shape("smollm2-135m", 30, 576, 1536, 9, 3, 49152, 8192);
  smollm2.rope.theta = 100000.0;
  smollm2.tied_embeddings = true;
  ModelConfig qwen = shape("qwen2.5-0.5b", 24, 896, 4864, 14, 2, 151936, 32768);
  qwen.architecture = "qwen2";
  qwen.rope.theta = 1e6;
  qwen.tied_embeddings = true;
  ModelConfig gemma = shape("gemma3-270m", 18, 640, 2048, 4, 1, 262144, 32768);
  set_family_facts(*find_family("gemma3_text"), gemma);
  gemma.head_dim = 256;
  gemma.rope.theta = 1e6;
  gemma.window = 512;
  gemma.window_layers = layers_but_every(family_of(gemma).window_pattern, gemma.layers);
  gemma.window_rope = RopeConfig{.theta = 1e4};
  gemma.tied_embeddings = true;
  ModelConfig pythia = shape("pythia-160m", 12, 768, 3072, 12, 12, 50304, 2048);
  pythia.architecture = "gpt_neox";
  pythia.rotated_dims = 16;
  pythia.parallel_blocks = true;
  ModelConfig small = shape("llama3.1-small", 6, 1024, 3584, 8, 2, 32000, 131072);
  small.rope = llama3.rope;
  return {llama2, llama3, smollm2, qwen, gemma, pythia, small, shape("tiny", 4, 64, 128, 4, 2, 256, 2048)};
}

/// A bijection of 32 bits whose output has no visible pattern (murmur3's finalizer).
std::uint32_t mixed(std::uint32_t bits) {
  bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
  return bits ^ (bits >> 16);
}

class RandomModel final : public ModelSource {
 public:
  RandomModel(ModelConfig config, std::uint32_t seed) : config_(std::move(config)), seed_(seed) {
    for (const WeightRow& tensor : model_tensors(config_)) {
      index_[tensor.hf_name] = tensors_.size();
      tensors_.push_back({tensor.hf_name, tensor.shape(), StorageType::F32});
    }
  }

  const ModelConfig& config() const override { return config_; }
  const std::vector<StoredTensor>& tensors() const override { return tensors_; }
  const StoredTensor* find(const std::string& hf_name) const override {
    const auto found = index_.find(hf_name);
    return found == index_.end() ? nullptr : &tensors_[found->second];
  }

  void read_rows(const StoredTensor& tensor, std::int64_t begin, std::int64_t end, float* out) const override {
    const bool vector = tensor.shape.size() == 1;
    const std::int64_t columns = tensor.shape.back();
    const float fan_in = tensor.name == embedding_name(config_) ? 1.0f : static_cast<float>(columns);
    const auto gain = static_cast<float>(1 - family_of(config_).norm_offset);
    const float centre = vector && !tensor.name.ends_with(".bias") ? gain : 0.0f;
    const float scale = (vector ? 0.1f : std::sqrt(3.0f / fan_in)) / 2147483648.0f;  // scales a signed 32-bit number
    const std::uint32_t tensor_bits = mixed(seed_ ^ mixed(static_cast<std::uint32_t>(index_.at(tensor.name)) + 1));
    for (std::int64_t row = begin; row < end; ++row) {
      const std::uint32_t row_bits = mixed(tensor_bits + static_cast<std::uint32_t>(row) * 0x9e3779b9u);
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto drawn = static_cast<std::int32_t>(mixed(row_bits + static_cast<std::uint32_t>(column)));
        *out++ = centre + scale * static_cast<float>(drawn);
      }
    }
  }

  /// Hashes only the first row: like it, the other rows are a function of shape and seed.
  std::uint64_t content_hash(const StoredTensor& tensor) const override {
    std::vector<float> row(static_cast<std::size_t>(tensor.shape.back()));
    read_rows(tensor, 0, 1, row.data());
    return carryover::content_hash(std::as_bytes(std::span(row)));
  }
  std::string where(const StoredTensor&) const override { return std::string(random_model_prefix) + config_.name; }
  std::vector<std::string> files() const override { return {}; }

 private:
  ModelConfig config_;
  std::uint32_t seed_;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

std::uint32_t parse_seed(std::string_view text) {
  std::uint32_t seed = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (code != std::errc() || end != text.data() + text.size())
    throw EngineError(Fault::Usage, "random weights", "seed '" + std::string(text.substr(0, 60)) + "' is not a seed",
                      "Give a whole number up to 4294967295, such as random:tiny:7.");
  return seed;
}

}  // namespace

std::vector<std::string> random_shapes() {
  std::vector<std::string> names;
  for (const ModelConfig& model : shapes()) names.push_back(model.name);
  return names;
}

std::string listed_random_shapes(std::string_view separator) {
  std::string list;
  for (const std::string& name : random_shapes()) list.append(list.empty() ? "" : separator).append(name);
  return list;
}

std::string absolute_path(const std::string& path) {
  if (path.empty() || names_random_model(path)) return path;
  std::error_code code;
  const auto found = std::filesystem::absolute(path, code);
  if (code) throw EngineError(Fault::Io, path, "can't be found: " + code.message(), "Give an absolute path.");
  return found.lexically_normal().string();
}

std::unique_ptr<ModelSource> open_random_model(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view wanted = name.substr(0, colon);
  const std::uint32_t seed = colon == std::string_view::npos ? 0 : parse_seed(name.substr(colon + 1));
  for (const ModelConfig& model : shapes())
    if (model.name == wanted) return std::make_unique<RandomModel>(model, seed);
  throw EngineError(Fault::Usage, "random weights", "'" + std::string(wanted.substr(0, 60)) + "' is not a known shape",
                    "Use one of " + listed_random_shapes(", ") + ".");
}

}  // namespace carryover
