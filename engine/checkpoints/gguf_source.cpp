// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/gguf_source.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/checkpoints/stored_model.h"
#include "engine/families/family.h"
#include "engine/families/refused_kinds.h"
#include "engine/formats/dequantize.h"
#include "engine/formats/mapped_file.h"

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

/// The keys of a file that begin with its architecture's name.
struct FamilyKeys {
  const GgufFile& file;
  std::string prefix;

  std::string name(const char* key) const { return prefix + "." + key; }
  bool has(const char* key) const { return file.has(name(key)); }
  std::optional<std::int64_t> find_int(const char* key) const { return file.find_int(name(key)); }
  std::optional<double> find_float(const char* key) const { return file.find_float(name(key)); }
  std::optional<bool> find_flag(const char* key) const { return file.find_bool(name(key)); }
  std::int64_t required_int(const char* key) const {
    if (const auto value = find_int(key)) return *value;
    refuse(file, "the key " + name(key) + " is missing");
  }
  /// Returns the window, in tokens, if it is shorter than the context.
  std::optional<std::int64_t> find_window() const {
    const std::int64_t window = find_int("attention.sliding_window").value_or(0);
    return window > 0 && window < find_int("context_length").value_or(0) ? std::optional(window) : std::nullopt;
  }
};

/// Returns the names that GGUF files have for families, each once.
std::string supported_names() {
  std::string known;
  std::set<std::string_view> seen;
  for (const Family& family : families())
    if (seen.insert(family.gguf_name).second) known += (known.empty() ? "" : ", ") + std::string(family.gguf_name);
  return known;
}

/// Returns the family that the file names. Throws for features that no family has here.
const Family& read_family(const GgufFile& file) {
  const std::string name = usable_text(file, "general.architecture").value_or("(none)");
  const bool windowed = FamilyKeys{file, name}.find_window().has_value();
  const Family* family = find_gguf_family(name, windowed);
  if (family == nullptr)
    unsupported(file, "the architecture '" + name.substr(0, 60) + "' is not supported" + why_refused(name),
                "Supported: " + supported_names() + " (" + supported_models() + ").");
  if (file.find_int(name + ".expert_count").value_or(0) != 0)
    unsupported(file, "a mixture of experts is not supported", "Use a dense model.");
  return *family;
}

/// Reads the head size and checks the fields that must agree with it.
std::int64_t read_head_dim(const FamilyKeys& keys, const ModelConfig& config) {
  if (config.heads < 1) refuse(keys.file, keys.name("attention.head_count") + " is " + std::to_string(config.heads));
  const auto given = keys.find_int("attention.key_length");
  if (!given && config.hidden % config.heads != 0)
    refuse(keys.file, "the embedding length is not a multiple of the head count");
  const std::int64_t head_dim = given.value_or(config.hidden / config.heads);
  if (const std::int64_t values = keys.find_int("attention.value_length").value_or(head_dim); values != head_dim)
    unsupported(keys.file,
                keys.name("attention.value_length") + " is " + std::to_string(values) + ", the head size " +
                    std::to_string(head_dim),
                "Supported: keys and values of one size.");
  return head_dim;
}

/// Returns how many dimensions of a head RoPE rotates; 0 for all.
std::int64_t read_rotated(const FamilyKeys& keys, const Family& family, std::int64_t head_dim) {
  const std::int64_t rotated = keys.find_int("rope.dimension_count").value_or(head_dim);
  if (rotated == head_dim) return 0;
  if (!family.partial_rotary || rotated < 1)
    unsupported(keys.file,
                keys.name("rope.dimension_count") + " is " + std::to_string(rotated) + ", the head size " +
                    std::to_string(head_dim),
                "Supported: RoPE over the whole head.");
  return rotated;
}

/// Reads a list of what the pairs' frequencies are divided by, which is a tensor.
std::vector<double> read_factors(const GgufFile& file, const char* name, std::int64_t pairs) {
  const GgufTensor* tensor = file.find_tensor(name);
  if (tensor == nullptr) refuse_missing_tensor(file.where(), name);
  if (tensor->type != StorageType::F32 || tensor->shape != std::vector<std::int64_t>{pairs})
    refuse(file, std::string(name) + " is not a list of " + std::to_string(pairs) + " fp32 numbers");
  std::vector<float> factors(static_cast<std::size_t>(pairs));
  dequantize(StorageType::F32, tensor->data.data(), pairs, factors.data());
  return {factors.begin(), factors.end()};
}

constexpr const char* kLlama3Factors = "rope_freqs.weight";
constexpr const char* kLongFactors = "rope_factors_long.weight";
constexpr const char* kShortFactors = "rope_factors_short.weight";

RopeConfig read_rope(const FamilyKeys& keys, const Family& family, const ModelConfig& config) {
  using Kind = RopeConfig::Kind;
  RopeConfig rope;
  rope.theta = keys.find_float("rope.freq_base").value_or(family.default_theta);
  const std::string kind = usable_text(keys.file, keys.name("rope.scaling.type")).value_or("none");
  const double factor =
      keys.find_float("rope.scaling.factor").value_or(keys.find_float("rope.scale_linear").value_or(1.0));
  const auto amplitude = keys.find_float("rope.scaling.attn_factor");
  const std::int64_t original = keys.find_int("rope.scaling.original_context_length").value_or(0);
  if (keys.file.find_tensor(kLongFactors) != nullptr || keys.file.find_tensor(kShortFactors) != nullptr) {
    rope.kind = Kind::Longrope;
    rope.original_context = original;
    if (original > 0) rope.factor = std::max(1.0, static_cast<double>(config.context) / static_cast<double>(original));
    rope.attention_factor = amplitude.value_or(0);
    rope.long_factors = read_factors(keys.file, kLongFactors, config.rope_dims() / 2);
    rope.short_factors = read_factors(keys.file, kShortFactors, config.rope_dims() / 2);
    return rope;
  }
  if (kind != "none" && kind != "linear" && kind != "yarn") {
    unsupported(keys.file, "RoPE scaling '" + kind.substr(0, 60) + "' is not supported in a GGUF file",
                "Supported: none, linear, yarn, and the factors of llama3 and longrope.");
  }
  if (kind != "yarn" && amplitude.value_or(1.0) != 1.0)
    unsupported(keys.file, keys.name("rope.scaling.attn_factor") + ", which scales attention, is not supported",
                "Use a model without it.");
  const bool scaled = kind == "linear" || (!keys.has("rope.scaling.type") && factor != 1.0);
  if (scaled && factor != 1.0) rope.kind = Kind::Linear;
  if (kind == "yarn") {
    rope.kind = Kind::Yarn;
    for (const char* key : {"rope.scaling.yarn_log_multiplier", "rope.scaling.yarn_ext_factor"})
      if (keys.has(key)) unsupported(keys.file, keys.name(key) + " is not supported", "Use a model without it.");
    rope.original_context = original;
    rope.attention_factor = amplitude ? *amplitude : keys.find_float("rope.scaling.yarn_attn_factor").value_or(0);
    rope.fast_turns = keys.find_float("rope.scaling.yarn_beta_fast").value_or(rope.fast_turns);
    rope.slow_turns = keys.find_float("rope.scaling.yarn_beta_slow").value_or(rope.slow_turns);
  }
  if (rope.kind != Kind::Default) rope.factor = factor;
  return rope;
}

/// Recovers llama3's scaling, which a GGUF stores as the divisor of each pair's frequency. All published models have
/// low factor 1, high factor 4 and original context 8192, and the largest divisor is the factor. Throws if these do not
/// reproduce the divisors, because then it is another scaling.
void recover_llama3(const GgufFile& file, ModelConfig& config) {
  const std::int64_t pairs = config.rope_dims() / 2;
  const std::vector<double> stored = read_factors(file, kLlama3Factors, pairs);
  RopeConfig rope{.kind = RopeConfig::Kind::Llama3, .theta = config.rope.theta, .original_context = 8192};
  rope.factor = *std::max_element(stored.begin(), stored.end());
  bool reproduced = config.rope.kind == RopeConfig::Kind::Default;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const double expected = rope_frequency(config.rope, pair, config.rope_dims(), config.context, 0) /
                            rope_frequency(rope, pair, config.rope_dims(), config.context, 0);
    reproduced = reproduced && std::abs(stored[static_cast<std::size_t>(pair)] - expected) <= 1e-3 * expected;
  }
  if (!reproduced) {
    unsupported(file, "rope_freqs.weight is not llama3's scaling (low 1, high 4, original context 8192)",
                "Use the model's Hugging Face folder.");
  }
  config.rope = rope;
}

/// Returns the windowed layers: those that a list marks, or those of the family.
std::vector<int> windowed_layers(const FamilyKeys& keys, const Family& family, std::int64_t layers) {
  constexpr const char* kPattern = "attention.sliding_window_pattern";
  if (keys.file.has_array(keys.name(kPattern))) {
    const std::vector<std::int64_t> marks = *keys.file.find_ints(keys.name(kPattern));
    if (std::ssize(marks) != layers) refuse(keys.file, keys.name(kPattern) + " does not have one entry for each layer");
    std::vector<int> marked;
    for (int layer = 0; layer < layers; ++layer)
      if (marks[static_cast<std::size_t>(layer)] != 0) marked.push_back(layer);
    return marked;
  }
  if (family.window == SlidingWindowRule::Opted)
    unsupported(keys.file, "a sliding window of layers that no key names is not supported", "Use a model without one.");
  return layers_but_every(family.window == SlidingWindowRule::Patterned ? family.window_pattern : layers + 1, layers);
}

/// Reads which layers have a window, and the RoPE that they have of their own.
void read_windows(const FamilyKeys& keys, const Family& family, ModelConfig& config) {
  if (family.window == SlidingWindowRule::Ignored) return;
  const bool patterned = family.window == SlidingWindowRule::Patterned;
  const auto window = patterned ? std::optional(keys.required_int("attention.sliding_window")) : keys.find_window();
  if (!window) return;
  config.window_layers = windowed_layers(keys, family, config.layers);
  if (config.window_layers.empty()) return;
  config.window = *window;
  if (family.default_window_theta == 0) return;
  const bool apart = !family.window_theta_key.empty();  // else both kinds of layers have one base
  config.window_rope = RopeConfig{.theta = apart ? family.default_window_theta : config.rope.theta};
}

/// Reads the factors of what a model computes, and its soft caps.
void read_scales(const FamilyKeys& keys, const Family& family, ModelConfig& config) {
  const auto cap = [&](const char* key, double otherwise) {
    if (otherwise == 0 && keys.has(key))
      unsupported(keys.file, keys.name(key) + " is not supported", "Use a model without it.");
    return keys.find_float(key).value_or(otherwise);
  };
  config.score_cap = cap("attn_logit_softcapping", family.default_score_cap);
  config.logit_cap = cap("final_logit_softcapping", family.default_logit_cap);
  const double d = static_cast<double>(config.head_dim);
  if (family.layers_of_other_scale == config.layers && config.hidden > 0)
    config.query_scale = std::sqrt(d * static_cast<double>(config.heads) / static_cast<double>(config.hidden));
  if (!family.multipliers) return;
  config.embedding_scale = keys.find_float("embedding_scale").value_or(1);
  config.residual_scale = keys.find_float("residual_scale").value_or(1);
  config.logit_divisor = keys.find_float("logit_scale").value_or(1);
  if (const auto scale = keys.find_float("attention.scale")) config.query_scale = *scale * std::sqrt(d);
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
  config.name = usable_text(file, "general.name").value_or(fallback_name);
  config.layers = keys.required_int("block_count");
  config.hidden = keys.required_int("embedding_length");
  set_family_facts(family, config);
  config.intermediate = keys.required_int("feed_forward_length");
  config.heads = keys.required_int("attention.head_count");
  config.kv_heads = keys.find_int("attention.head_count_kv").value_or(config.heads);
  config.context = keys.required_int("context_length");
  config.vocabulary = vocabulary_size(keys);
  config.head_dim = read_head_dim(keys, config);
  const char* epsilon_key = family.layer_norms ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
  const auto epsilon = keys.find_float(epsilon_key);
  if (!epsilon) refuse(file, "the key " + keys.name(epsilon_key) + " is missing");
  config.norm_epsilon = *epsilon;
  config.tied_embeddings = file.find_tensor("output.weight") == nullptr;
  config.bos_id = file.find_int("tokenizer.ggml.bos_token_id");
  config.eos_id = file.find_int("tokenizer.ggml.eos_token_id");
  config.parallel_blocks = family.parallel_key && keys.find_flag("use_parallel_residual").value_or(true);
  config.rotated_dims = read_rotated(keys, family, config.head_dim);
  config.rope = read_rope(keys, family, config);
  config.validate(file.where());
  read_windows(keys, family, config);
  read_scales(keys, family, config);
  for (int layer = 0; layer < config.layers && family.unrotated_pattern > 0; ++layer)
    if ((layer + 1) % family.unrotated_pattern == 0) config.unrotated_layers.push_back(layer);
  if (file.find_tensor(kLlama3Factors) != nullptr) recover_llama3(file, config);
  config.validate(file.where());
  return config;
}

std::unique_ptr<ModelSource> gguf_model(const GgufFile& file, const std::string& fallback_name) {
  const ModelConfig config = gguf_config(file, fallback_name);
  auto model = std::make_unique<StoredModel>(config);
  std::set<std::string_view> known{kLlama3Factors, kLongFactors, kShortFactors};
  const std::vector<WeightRow> wanted = model_tensors(config);
  for (const WeightRow& tensor : wanted) {
    const GgufTensor* stored = file.find_tensor(tensor.gguf_name);
    if (stored == nullptr) refuse_missing_tensor(file.where(), tensor.gguf_name);
    const std::string& where = stored->file ? stored->file->path() : file.where();
    model->add(tensor, {where, stored->shape, stored->type, stored->data, stored->file}, true);
    known.insert(tensor.gguf_name);
  }
  for (const GgufTensor& tensor : file.tensors()) {
    if (!known.contains(tensor.name)) refuse_extra_tensor(file.where(), tensor.name);
  }
  return model;
}

}  // namespace carryover
