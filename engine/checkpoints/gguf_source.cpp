// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/gguf_source.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/checkpoints/stored_model.h"
#include "engine/families/family.h"
#include "engine/formats/dequantize.h"

namespace carryover {

namespace {

[[noreturn]] void refuse(const GgufFile& file, const std::string& problem) {
  throw EngineError(Fault::BadInput, file.where(), problem, "Fetch or convert the model again.");
}

[[noreturn]] void unsupported(const GgufFile& file, const std::string& problem, const std::string& advice) {
  throw EngineError(Fault::Unsupported, file.where(), problem, advice);
}

std::optional<std::string> usable_text(const GgufFile& file, const std::string& key) {
  const auto text = file.find_string(key);
  if (!text || text->empty() || first_invalid_utf8(*text) != text->size()) return std::nullopt;
  return std::string(*text);
}

/// Returns the family that the file names. Throws for features that no family has here.
const Family& read_family(const GgufFile& file) {
  const std::string name = usable_text(file, "general.architecture").value_or("(none)");
  const Family* family = find_gguf_family(name);
  if (family == nullptr) {
    std::string known;
    for (const Family& one : families())
      if (!one.gguf_name.empty()) known += (known.empty() ? "" : ", ") + std::string(one.gguf_name);
    unsupported(file, "the architecture '" + name.substr(0, 60) + "' is not supported",
                "Supported: " + known + " (" + supported_models() + ").");
  }
  if (file.find_int(name + ".expert_count").value_or(0) != 0)
    unsupported(file, "a mixture of experts is not supported", "Use a dense model.");
  if (file.find_int("split.count").value_or(1) > 1) {
    unsupported(file, "is one part of a model split over several GGUF files",
                "Merge them first (llama-gguf-split --merge).");
  }
  return *family;
}

/// The keys of a file that begin with its architecture's name.
struct FamilyKeys {
  const GgufFile& file;
  std::string prefix;

  std::string name(const char* key) const { return prefix + "." + key; }
  bool has(const char* key) const { return file.has(name(key)); }
  std::optional<std::int64_t> find_int(const char* key) const { return file.find_int(name(key)); }
  std::optional<double> find_float(const char* key) const { return file.find_float(name(key)); }
  std::int64_t required_int(const char* key) const {
    if (const auto value = find_int(key)) return *value;
    refuse(file, "the key " + name(key) + " is missing");
  }
};

/// Reads the head size and checks the fields that must agree with it.
std::int64_t read_head_dim(const FamilyKeys& keys, const ModelConfig& config) {
  if (config.heads < 1) refuse(keys.file, keys.name("attention.head_count") + " is " + std::to_string(config.heads));
  const auto given = keys.find_int("attention.key_length");
  if (!given && config.hidden % config.heads != 0)
    refuse(keys.file, "the embedding length is not a multiple of the head count");
  const std::int64_t head_dim = given.value_or(config.hidden / config.heads);
  for (const char* key : {"attention.value_length", "rope.dimension_count"}) {
    const std::int64_t value = keys.find_int(key).value_or(head_dim);
    if (value != head_dim) {
      unsupported(keys.file,
                  keys.name(key) + " is " + std::to_string(value) + ", the head size " + std::to_string(head_dim),
                  "Supported: keys and values of one size, RoPE over the whole head.");
    }
  }
  return head_dim;
}

RopeConfig read_rope(const FamilyKeys& keys, double default_theta) {
  RopeConfig rope;
  rope.theta = keys.find_float("rope.freq_base").value_or(default_theta);
  const std::string kind = usable_text(keys.file, keys.name("rope.scaling.type")).value_or("none");
  const double factor =
      keys.find_float("rope.scaling.factor").value_or(keys.find_float("rope.scale_linear").value_or(1.0));
  if (kind != "none" && kind != "linear") {
    unsupported(keys.file, "RoPE scaling '" + kind.substr(0, 60) + "' is not supported in a GGUF file",
                "Supported: none, linear, and llama3's factors.");
  }
  if (keys.find_float("rope.scaling.attn_factor").value_or(1.0) != 1.0)
    unsupported(keys.file, keys.name("rope.scaling.attn_factor") + ", which scales attention, is not supported",
                "Use a model without it.");
  const bool scaled = kind == "linear" || (!keys.has("rope.scaling.type") && factor != 1.0);
  if (scaled && factor != 1.0) {
    rope.kind = RopeConfig::Kind::Linear;
    rope.factor = factor;
  }
  return rope;
}

/// Recovers llama3's scaling, which a GGUF stores as the divisor of each pair's frequency. All published models have
/// low factor 1, high factor 4 and original context 8192, and the largest divisor is the factor. Throws if these do not
/// reproduce the divisors, because then it is another scaling.
void recover_llama3(const GgufFile& file, const GgufTensor& divisors, ModelConfig& config) {
  const std::int64_t pairs = config.head_dim / 2;
  if (divisors.type != StorageType::F32 || divisors.shape != std::vector<std::int64_t>{pairs}) {
    refuse(file, "rope_freqs.weight is not a list of " + std::to_string(pairs) + " fp32 numbers");
  }
  std::vector<float> stored(static_cast<std::size_t>(pairs));
  dequantize(StorageType::F32, divisors.data.data(), pairs, stored.data());
  RopeConfig rope{.kind = RopeConfig::Kind::Llama3, .theta = config.rope.theta, .original_context = 8192};
  rope.factor = *std::max_element(stored.begin(), stored.end());
  bool reproduced = config.rope.kind == RopeConfig::Kind::Default;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const double expected = rope_frequency(config.rope, pair, config.head_dim, config.context, 0) /
                            rope_frequency(rope, pair, config.head_dim, config.context, 0);
    reproduced = reproduced && std::abs(stored[static_cast<std::size_t>(pair)] - expected) <= 1e-3 * expected;
  }
  if (!reproduced) {
    unsupported(file, "rope_freqs.weight is not llama3's scaling (low 1, high 4, original context 8192)",
                "Use the model's Hugging Face folder.");
  }
  config.rope = rope;
}

/// Sets what follows from the architecture and is in no key: which layers are global, and the RoPE that windowed layers
/// have of their own. Of Gemma 3, only the model of 62 layers has another factor of attention's scores than 1/√d.
void read_pattern(const FamilyKeys& keys, const Family& family, ModelConfig& config) {
  constexpr std::int64_t kLayersOfLargest = 62;
  for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"})
    if (keys.has(key)) unsupported(keys.file, keys.name(key) + " is not supported", "Use a model without it.");
  config.window = keys.required_int("attention.sliding_window");
  config.window_layers = layers_but_every(family.window_pattern, config.layers);
  config.window_rope = RopeConfig{.theta = family.default_window_theta};
  if (config.layers == kLayersOfLargest && config.hidden > 0)
    config.query_scale =
        std::sqrt(static_cast<double>(config.head_dim * config.heads) / static_cast<double>(config.hidden));
}

std::int64_t vocabulary_size(const FamilyKeys& keys) {
  const GgufTensor* embedding = keys.file.find_tensor("token_embd.weight");
  if (embedding == nullptr) refuse_missing_tensor(keys.file.where(), "token_embd.weight");
  const std::int64_t rows = embedding->shape.front();
  if (keys.find_int("vocab_size").value_or(rows) != rows) {
    refuse(keys.file,
           keys.name("vocab_size") + " differs from the " + std::to_string(rows) + " rows of token_embd.weight");
  }
  return rows;
}

}  // namespace

ModelConfig gguf_config(const GgufFile& file, const std::string& fallback_name) {
  const Family& family = read_family(file);
  const FamilyKeys keys{file, std::string(family.gguf_name)};
  ModelConfig config;
  config.architecture = family.name;
  config.name = usable_text(file, "general.name").value_or(fallback_name);
  config.layers = keys.required_int("block_count");
  config.hidden = keys.required_int("embedding_length");
  config.intermediate = keys.required_int("feed_forward_length");
  config.heads = keys.required_int("attention.head_count");
  config.kv_heads = keys.find_int("attention.head_count_kv").value_or(config.heads);
  config.context = keys.required_int("context_length");
  config.vocabulary = vocabulary_size(keys);
  config.head_dim = read_head_dim(keys, config);
  const auto epsilon = keys.find_float("attention.layer_norm_rms_epsilon");
  if (!epsilon) refuse(file, "the key " + keys.name("attention.layer_norm_rms_epsilon") + " is missing");
  config.norm_epsilon = *epsilon;
  config.tied_embeddings = file.find_tensor("output.weight") == nullptr;
  config.bos_id = file.find_int("tokenizer.ggml.bos_token_id");
  config.eos_id = file.find_int("tokenizer.ggml.eos_token_id");
  const bool patterned = family.window == SlidingWindowRule::Patterned;
  config.rope = read_rope(keys, family.default_theta);
  config.validate(file.where());
  if (patterned) read_pattern(keys, family, config);
  if (const GgufTensor* divisors = file.find_tensor("rope_freqs.weight")) recover_llama3(file, *divisors, config);
  config.validate(file.where());
  const std::int64_t window = keys.find_int("attention.sliding_window").value_or(config.context);
  if (window > 0 && window < config.context && !patterned) {
    unsupported(file, "a sliding window of " + std::to_string(window) + " tokens is not supported",
                "Use a model without one.");
  }
  return config;
}

std::unique_ptr<ModelSource> gguf_model(const GgufFile& file, const std::string& fallback_name) {
  const ModelConfig config = gguf_config(file, fallback_name);
  auto model = std::make_unique<StoredModel>(config);
  std::set<std::string_view> known{"rope_freqs.weight"};
  const std::vector<WeightRow> wanted = model_tensors(config);
  for (const WeightRow& tensor : wanted) {
    const GgufTensor* stored = file.find_tensor(tensor.gguf_name);
    if (stored == nullptr) refuse_missing_tensor(file.where(), tensor.gguf_name);
    model->add(tensor, {file.where(), stored->shape, stored->type, stored->data, file.file()}, true);
    known.insert(tensor.gguf_name);
  }
  for (const GgufTensor& tensor : file.tensors()) {
    if (!known.contains(tensor.name)) refuse_extra_tensor(file.where(), tensor.name);
  }
  return model;
}

}  // namespace carryover
