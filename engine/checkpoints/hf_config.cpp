// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/hf_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/families/config_range.h"
#include "engine/families/family.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

std::string advice_on_families() {
  return "Supported: " + supported_classes() + " (" + supported_models() + ").";
}

[[noreturn]] void unsupported(const std::string& where, const std::string& problem, const std::string& advice) {
  throw EngineError(Fault::Unsupported, where, problem, advice);
}

const Family& read_family(const JsonFields& fields, const std::string& where) {
  const std::string type = fields.find_text("model_type").value_or("");
  std::string name;
  if (const nlohmann::json* list = fields.find("architectures")) {
    if (!list->is_array() || list->size() != 1 || !list->front().is_string()) {
      throw EngineError(Fault::BadInput, where, "architectures is not a list of one name", advice_on_families());
    }
    name = list->front().get<std::string>();
  }
  if (type.empty() && name.empty()) {
    throw EngineError(Fault::BadInput, where, "neither model_type nor architectures is there", advice_on_families());
  }
  const Family* family = type.empty() ? find_class_family(name) : find_family(type);
  if (family != nullptr && (name.empty() || name == family->hf_class)) return *family;
  unsupported(where,
              "the architecture " +
                  (name.empty() ? type : name + (type.empty() ? "" : " (" + type + ")")).substr(0, 120) +
                  " is not supported",
              advice_on_families());
}

/// The names of an activation in config.json, under the key of the families that have it.
struct ActivationNames {
  const char* key;
  std::string_view written;            ///< transformers' default, too
  std::vector<std::string_view> read;  ///< names of the same function in transformers
};
const ActivationNames& names_of(Activation activation) {
  static const ActivationNames silu{"hidden_act", "silu", {"silu", "swish"}};
  static const ActivationNames gelu{"hidden_activation", "gelu_pytorch_tanh", {"gelu_pytorch_tanh"}};
  return activation == Activation::Silu ? silu : gelu;
}

/// Throws for every feature that would change the computation.
void check_features(const JsonFields& fields, const Family& family, const std::string& where) {
  const ActivationNames& names = names_of(family.activation);
  const std::string activation = fields.find_text(names.key).value_or(std::string(names.written));
  if (std::ranges::count(names.read, activation) == 0)
    unsupported(where, std::string(names.key) + " '" + activation.substr(0, 60) + "' is not supported",
                "Supported: " + std::string(names.written) + ".");
  for (const char* key : {"attention_bias", "mlp_bias", "use_bidirectional_attention"}) {
    if (fields.find_flag(key).value_or(false))
      unsupported(where, std::string(key) + " is not supported", advice_on_families());
  }
  for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"}) {
    if (fields.find(key) != nullptr) unsupported(where, std::string(key) + " is not supported", advice_on_families());
  }
  if (fields.find("quantization_config") != nullptr) {
    unsupported(where, "quantization_config: quantised HF weights are not supported",
                "Use the unquantised folder, or a GGUF file.");
  }
}

/// Returns the window of the layers that have one, in tokens, as transformers reads it; nothing if no layer has one.
std::optional<std::int64_t> find_window(const nlohmann::json& json, const JsonFields& fields, SlidingWindowRule rule) {
  constexpr std::int64_t kDefault = 4096;
  if (rule == SlidingWindowRule::Ignored) return std::nullopt;
  if (rule == SlidingWindowRule::Opted && !fields.find_flag("use_sliding_window").value_or(false)) return std::nullopt;
  return json.contains("sliding_window") ? fields.find_integer("sliding_window") : kDefault;
}

constexpr const char* kWindowedType = "sliding_attention";
constexpr const char* kGlobalType = "full_attention";

/// Reads `layer_types`, a name for each layer.
std::vector<int> layers_of_types(const nlohmann::json& types, std::int64_t layers, const std::string& where) {
  if (!types.is_array() || std::ssize(types) != layers)
    throw EngineError(Fault::BadInput, where, "layer_types is not a list of " + std::to_string(layers) + " names",
                      "Repair config.json.");
  std::vector<int> windowed;
  for (int layer = 0; layer < layers; ++layer) {
    const nlohmann::json& type = types[static_cast<std::size_t>(layer)];
    if (type == kWindowedType) windowed.push_back(layer);
    if (type != kWindowedType && type != kGlobalType)
      unsupported(where, "the layer type " + type.dump().substr(0, 60) + " is not supported",
                  std::string("Supported: ") + kGlobalType + " and " + kWindowedType + ".");
  }
  return windowed;
}

/// Returns the windowed layers that no list names.
std::vector<int> layers_by_rule(const JsonFields& fields, const Family& family, std::int64_t layers) {
  constexpr std::int64_t kDefaultFullLayers = 28;
  const std::int64_t first = family.window == SlidingWindowRule::Opted
                                 ? fields.find_integer("max_window_layers").value_or(kDefaultFullLayers)
                                 : 0;
  const std::int64_t pattern = family.window == SlidingWindowRule::Patterned
                                   ? fields.find_integer("sliding_window_pattern").value_or(family.window_pattern)
                                   : layers + 1;
  return layers_but_every(pattern, layers, first);
}

/// Reads which layers have a window. One that is as long as the context never binds within it, and is none, unless its
/// layers have a RoPE of their own.
void read_windows(const nlohmann::json& json, const JsonFields& fields, const Family& family, ModelConfig& config,
                  const std::string& where) {
  const auto window = find_window(json, fields, family.window);
  if (!config.window_rope && (!window || *window >= config.context)) return;
  if (window) check_range(where, "sliding_window", *window, 1, std::int64_t{1} << 31);
  const nlohmann::json* types = fields.find("layer_types");
  config.window_layers = types != nullptr && family.window_by_layer() ? layers_of_types(*types, config.layers, where)
                                                                      : layers_by_rule(fields, family, config.layers);
  if (config.window_layers.empty())
    config.window_rope.reset();
  else if (!window)
    unsupported(where, "sliding_window is null, but some layers have a window",
                "Set sliding_window, or make each of layer_types " + std::string(kGlobalType) + ".");
  else
    config.window = *window;
}

/// Writes what read_windows() reads. transformers has defaults for keys that are absent, which would make another
/// model.
void write_windows(nlohmann::json& json, const Family& family, const ModelConfig& model) {
  if (family.window == SlidingWindowRule::Ignored) return;
  const bool windowed = model.window > 0;
  if (family.window == SlidingWindowRule::Opted) json["use_sliding_window"] = windowed;
  if (windowed || !family.window_by_layer())
    json["sliding_window"] = windowed ? nlohmann::json(model.window) : nlohmann::json();
  if (!windowed && family.window != SlidingWindowRule::Patterned) return;
  if (!family.window_by_layer()) return;
  if (family.window == SlidingWindowRule::Opted) json["max_window_layers"] = model.window_layers.front();
  for (int layer = 0; layer < model.layers; ++layer)
    json["layer_types"].push_back(model.is_windowed(layer) ? kWindowedType : kGlobalType);
}

/// Returns the field's id, or the first id of a list that the vocabulary has: the others never occur. A negative id, as
/// -1 in the files of models without such a token, is none.
std::optional<std::int64_t> read_id(const JsonFields& fields, const char* key, std::int64_t vocabulary) {
  const nlohmann::json* value = fields.find(key);
  if (value == nullptr || !value->is_array()) {
    const auto id = fields.find_integer(key);
    return id && *id < 0 ? std::nullopt : id;
  }
  for (const nlohmann::json& entry : *value) {
    const nlohmann::json one{{key, entry}};
    const auto id = JsonFields(one, std::string("the list ") + key).find_integer(key);
    if (id && *id >= 0 && *id < vocabulary) return id;
  }
  return std::nullopt;
}

/// Reads the RoPE settings of global and of windowed layers, from `rope_parameters` by kind of layer, or from the keys
/// of transformers 4.
void read_ropes_by_kind(const JsonFields& fields, const Family& family, ModelConfig& config, const std::string& where) {
  const nlohmann::json* by_kind = fields.find("rope_parameters");
  const auto of_kind = [&](const char* kind, const char* theta, double otherwise, const nlohmann::json* scaling) {
    const nlohmann::json* object = scaling;
    if (by_kind != nullptr && by_kind->is_object() && by_kind->contains(kind)) object = &by_kind->at(kind);
    return rope_from_json(object != nullptr ? *object : nlohmann::json(), fields.find_number(theta).value_or(otherwise),
                          where);
  };
  config.rope = of_kind(kGlobalType, "rope_theta", family.default_theta, fields.find("rope_scaling"));
  config.window_rope = of_kind(kWindowedType, "rope_local_base_freq", family.default_window_theta, nullptr);
}

/// Reads the RoPE settings. As in transformers 5, a rope_scaling that is not empty replaces rope_parameters as a whole,
/// and fields of the top level complete either. Only for llama3's original context does the top level take precedence,
/// and dynamic scaling always uses the model's context.
RopeConfig read_rope(const JsonFields& fields, const std::string& where) {
  nlohmann::json object;
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const nlohmann::json* value = fields.find(key);
    if (value != nullptr && !value->empty()) object = *value;
  }
  RopeConfig rope = rope_from_json(object, fields.find_number("rope_theta").value_or(10000.0), where);
  std::optional<double> rotated = fields.find_number("partial_rotary_factor");
  if (object.is_object()) {
    if (const auto own = JsonFields(object, where).find_number("partial_rotary_factor")) rotated = own;
  }
  if (rotated.value_or(1.0) != 1.0)
    unsupported(where, "partial_rotary_factor is not supported", "Supported: RoPE over the whole head.");
  const auto original = fields.find_integer("original_max_position_embeddings");
  if (rope.kind == RopeConfig::Kind::Llama3 && original) rope.original_context = *original;
  if (rope.kind == RopeConfig::Kind::Dynamic) rope.original_context = 0;
  return rope;
}

nlohmann::json rope_scaling_json(const RopeConfig& rope) {
  if (rope.kind == RopeConfig::Kind::Default) return {};
  nlohmann::json json{{"rope_type", rope_kind_name(rope.kind)}, {"factor", rope.factor}};
  if (rope.kind == RopeConfig::Kind::Llama3) {
    if (rope.original_context != 0) json["original_max_position_embeddings"] = rope.original_context;
    json["low_freq_factor"] = rope.low_frequency_factor;
    json["high_freq_factor"] = rope.high_frequency_factor;
  }
  return json;
}

/// Returns `query_pre_attn_scalar`: attention's scores are divided by its root. transformers takes only an integer, as
/// that of every published model is.
nlohmann::json query_scalar(const ModelConfig& model) {
  const double scalar = static_cast<double>(model.head_dim) / (model.query_scale * model.query_scale);
  const double whole = std::round(scalar);
  return std::abs(scalar - whole) < 1e-6 ? nlohmann::json(static_cast<std::int64_t>(whole)) : nlohmann::json(scalar);
}

/// Returns the context to write. For dynamic scaling this is the original context, behind which the scaling begins,
/// because a reader of the file knows no other.
std::int64_t written_context(const ModelConfig& model) {
  const bool own = model.rope.kind == RopeConfig::Kind::Dynamic && model.rope.original_context != 0;
  return own ? model.rope.original_context : model.context;
}

}  // namespace

ModelConfig hf_config_from_json(const nlohmann::json& json, const std::string& name, const std::string& where) {
  const JsonFields fields(json, where);
  ModelConfig config;
  const Family& family = read_family(fields, where);
  config.architecture = family.name;
  config.name = name;
  config.layers = fields.integer("num_hidden_layers");
  config.hidden = fields.integer("hidden_size");
  config.intermediate = fields.integer("intermediate_size");
  config.heads = fields.integer("num_attention_heads");
  const bool default_groups = family.default_kv_heads != 0 && !json.contains("num_key_value_heads");
  config.kv_heads =
      default_groups ? family.default_kv_heads : fields.find_integer("num_key_value_heads").value_or(config.heads);
  config.vocabulary = fields.integer("vocab_size");
  config.context = fields.integer("max_position_embeddings");
  config.norm_epsilon = fields.find_number("rms_norm_eps").value_or(1e-6);
  config.tied_embeddings = fields.find_flag("tie_word_embeddings").value_or(family.default_tied);
  config.bos_id = read_id(fields, "bos_token_id", config.vocabulary);
  config.eos_id = read_id(fields, "eos_token_id", config.vocabulary);
  if (family.default_window_theta != 0)
    read_ropes_by_kind(fields, family, config, where);
  else
    config.rope = read_rope(fields, where);
  if (const auto head_dim = fields.find_integer("head_dim")) {
    config.head_dim = *head_dim;
  } else if (family.default_head_dim != 0) {
    config.head_dim = family.default_head_dim;
  } else if (config.heads >= 1) {
    config.head_dim = config.hidden / config.heads;
    if (config.hidden % config.heads != 0) {
      throw EngineError(Fault::BadInput, where,
                        "hidden_size is not a multiple of num_attention_heads, and head_dim is absent",
                        "Repair config.json.");
    }
  }
  if (const auto scalar = fields.find_number("query_pre_attn_scalar"); scalar && family.norms_after_blocks)
    config.query_scale = std::sqrt(static_cast<double>(config.head_dim) / *scalar);
  if (std::abs(config.query_scale - 1) < 1e-12) config.query_scale = 1;
  config.validate(where);
  check_features(fields, family, where);
  read_windows(json, fields, family, config, where);
  return config;
}

nlohmann::json hf_config_to_json(const ModelConfig& model, const std::string& dtype) {
  const auto optional = [](const std::optional<std::int64_t>& id) {
    return id ? nlohmann::json(*id) : nlohmann::json();
  };
  const Family& family = family_of(model);
  nlohmann::json json{{"architectures", {family.hf_class}},
                      {"model_type", family.name},
                      {names_of(family.activation).key, names_of(family.activation).written},
                      {"hidden_size", model.hidden},
                      {"intermediate_size", model.intermediate},
                      {"num_hidden_layers", model.layers},
                      {"num_attention_heads", model.heads},
                      {"num_key_value_heads", model.kv_heads},
                      {"head_dim", model.head_dim},
                      {"vocab_size", model.vocabulary},
                      {"max_position_embeddings", written_context(model)},
                      {"rms_norm_eps", model.norm_epsilon},
                      {"rope_theta", model.rope.theta},
                      {"rope_scaling", rope_scaling_json(model.rope)},
                      {"tie_word_embeddings", model.tied_embeddings},
                      {"torch_dtype", dtype},
                      {"bos_token_id", optional(model.bos_id)},
                      {"eos_token_id", optional(model.eos_id)}};
  // These fields are written because transformers has defaults for absent ones, which would make another model.
  for (const WrittenFlag& flag : family.written_flags) json[std::string(flag.key)] = flag.value;
  write_windows(json, family, model);
  if (model.window_rope) json["rope_local_base_freq"] = model.window_rope->theta;
  if (family.norms_after_blocks) json["query_pre_attn_scalar"] = query_scalar(model);
  return json;
}

}  // namespace carryover
