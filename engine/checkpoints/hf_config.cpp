// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/hf_config.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/families/config_range.h"
#include "engine/families/family.h"
#include "engine/families/refused_kinds.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

/// A model that reads images, too: the `text_config` of its config.json is the config.json of a model of text, which is
/// what we run.
struct ImageModel {
  std::string_view type, hf_class;
};
constexpr ImageModel kImageModels[] = {{"gemma3", "Gemma3ForConditionalGeneration"},
                                       {"mistral3", "Mistral3ForConditionalGeneration"}};

std::string advice_on_families() {
  std::string images;
  for (const ImageModel& model : kImageModels) images.append(images.empty() ? "" : ", ").append(model.hf_class);
  return "Supported: " + supported_classes() + " (" + supported_models() + "), and the text halves of " + images + ".";
}

[[noreturn]] void unsupported(const std::string& where, const std::string& problem, const std::string& advice) {
  throw EngineError(Fault::Unsupported, where, problem, advice);
}

/// The two names of what a config.json describes. One of them may be empty.
struct ModelKind {
  std::string type, hf_class;

  bool is(std::string_view other_type, std::string_view other_class) const {
    return (type.empty() || type == other_type) && (hf_class.empty() || hf_class == other_class);
  }
};

ModelKind read_kind(const JsonFields& fields, const std::string& where) {
  ModelKind kind{fields.find_text("model_type").value_or(""), ""};
  if (const nlohmann::json* list = fields.find("architectures")) {
    if (!list->is_array() || list->size() != 1 || !list->front().is_string()) {
      throw EngineError(Fault::BadInput, where, "architectures is not a list of one name", advice_on_families());
    }
    kind.hf_class = list->front().get<std::string>();
  }
  if (kind.type.empty() && kind.hf_class.empty()) {
    throw EngineError(Fault::BadInput, where, "neither model_type nor architectures is there", advice_on_families());
  }
  return kind;
}

/// Returns the config.json of the text half of a model that reads images, too, and any other as it is.
nlohmann::json text_half(const nlohmann::json& json, const std::string& where) {
  const JsonFields fields(json, where);
  const ModelKind kind = read_kind(fields, where);
  const auto is_kind = [&](const ImageModel& model) { return kind.is(model.type, model.hf_class); };
  if (std::ranges::none_of(kImageModels, is_kind)) return json;
  const nlohmann::json* half = fields.find("text_config");
  if (half == nullptr || !half->is_object())
    throw EngineError(Fault::BadInput, where, "text_config is missing or not an object", "Fetch config.json again.");
  nlohmann::json text = *half;
  for (const char* key : {"bos_token_id", "eos_token_id", "tie_word_embeddings", "quantization_config"})
    if (const nlohmann::json* value = fields.find(key)) text[key] = *value;  // transformers reads these of the whole
  return text;
}

const Family& read_family(const JsonFields& fields, const std::string& where) {
  const auto [type, name] = read_kind(fields, where);
  const Family* family = type.empty() ? find_class_family(name) : find_family(type);
  if (family != nullptr && (name.empty() || name == family->hf_class)) return *family;
  unsupported(where,
              "the architecture " +
                  (name.empty() ? type : name + (type.empty() ? "" : " (" + type + ")")).substr(0, 120) +
                  " is not supported" + why_refused(type.empty() ? name : type),
              advice_on_families());
}

/// The names of an activation in config.json, under the key of the families that have it.
struct ActivationNames {
  const char* key;
  std::string_view written;            ///< transformers' default, too
  std::vector<std::string_view> read;  ///< names of the same function in transformers
};
const ActivationNames& names_of(Activation activation) {
  static const std::map<Activation, ActivationNames> table{
      {Activation::Silu, {"hidden_act", "silu", {"silu", "swish"}}},
      {Activation::GeluTanh, {"hidden_activation", "gelu_pytorch_tanh", {"gelu_pytorch_tanh"}}},
      {Activation::Gelu, {"hidden_act", "gelu", {"gelu"}}}};
  return table.at(activation);
}

constexpr const char* kScoreCap = "attn_logit_softcapping";
constexpr const char* kLogitCap = "final_logit_softcapping";

/// Throws for every feature that would change the computation.
void check_features(const JsonFields& fields, const Family& family, const std::string& where) {
  const ActivationNames& names = names_of(family.activation);
  const std::string activation = fields.find_text(names.key).value_or(std::string(names.written));
  if (std::ranges::count(names.read, activation) == 0)
    unsupported(where, std::string(names.key) + " '" + activation.substr(0, 60) + "' is not supported",
                "Supported: " + std::string(names.written) + ".");
  const bool biased = family.biases == Biases::All;
  if (fields.find_flag("attention_bias").value_or(biased) != biased)
    unsupported(where, std::string("attention_bias ") + (biased ? "false" : "true") + " is not supported",
                advice_on_families());
  for (const char* key : {"mlp_bias", "use_bidirectional_attention"}) {
    if (fields.find_flag(key).value_or(false))
      unsupported(where, std::string(key) + " is not supported", advice_on_families());
  }
  for (const char* key : {kScoreCap, kLogitCap}) {
    if (family.default_score_cap == 0 && fields.find(key) != nullptr)
      unsupported(where, std::string(key) + " is not supported", advice_on_families());
  }
  if (family.unrotated_pattern != 0 && fields.find_flag("use_sliding_window").value_or(false))
    unsupported(where, "use_sliding_window is not supported", advice_on_families());
  if (fields.find("quantization_config") != nullptr) {
    unsupported(where, "quantization_config: quantised HF weights are not supported",
                "Use the unquantised folder, or a GGUF file.");
  }
}

/// Returns the window of the layers that have one, in tokens, as transformers reads it; nothing if no layer has one.
std::optional<std::int64_t> find_window(const nlohmann::json& json, const JsonFields& fields, const Family& family) {
  if (family.window == SlidingWindowRule::Ignored) return std::nullopt;
  if (family.window == SlidingWindowRule::Opted && !fields.find_flag("use_sliding_window").value_or(false))
    return std::nullopt;
  if (json.contains("sliding_window")) return fields.find_integer("sliding_window");
  return family.default_window > 0 ? std::optional(family.default_window) : std::nullopt;
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
  const auto window = find_window(json, fields, family);
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
  const auto of_kind = [&](const char* kind, std::string_view theta, double otherwise, const nlohmann::json* scaling) {
    const nlohmann::json* object = scaling;
    if (by_kind != nullptr && by_kind->is_object() && by_kind->contains(kind)) object = &by_kind->at(kind);
    const double base = theta.empty() ? otherwise : fields.find_number(std::string(theta).c_str()).value_or(otherwise);
    return rope_from_json(object != nullptr ? *object : nlohmann::json(), base, config.context, where);
  };
  config.rope = of_kind(kGlobalType, "rope_theta", family.default_theta, fields.find("rope_scaling"));
  config.window_rope = of_kind(kWindowedType, family.window_theta_key, family.default_window_theta, nullptr);
}

/// Reads a number under transformers' usual key, or under that of the family.
std::optional<double> find_either(const JsonFields& fields, const char* key, std::string_view family_key) {
  const auto value = fields.find_number(key);
  return value ? value : fields.find_number(std::string(family_key).c_str());
}

/// Reads the RoPE settings. As in transformers 5, a rope_scaling that is not empty replaces rope_parameters as a whole,
/// and fields of the top level complete either. Only for the original context does the top level take precedence, and
/// dynamic scaling always uses the model's context.
RopeConfig read_rope(const JsonFields& fields, const Family& family, std::int64_t context, const std::string& where) {
  nlohmann::json object;
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const nlohmann::json* value = fields.find(key);
    if (value != nullptr && !value->empty()) object = *value;
  }
  auto original = fields.find_integer("original_max_position_embeddings");
  if (!original && family.default_original_context > 0) original = family.default_original_context;
  if (original && object.is_object()) object["original_max_position_embeddings"] = *original;
  RopeConfig rope = rope_from_json(
      object, find_either(fields, "rope_theta", family.theta_key).value_or(family.default_theta), context, where);
  if (rope.kind == RopeConfig::Kind::Dynamic) rope.original_context = 0;
  return rope;
}

/// Reads how many dimensions of a head RoPE rotates.
void read_rotated(const JsonFields& fields, const Family& family, ModelConfig& config, const std::string& where) {
  const double outside =
      find_either(fields, "partial_rotary_factor", family.rotary_key).value_or(family.default_rotary);
  double share = outside;
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const nlohmann::json* object = fields.find(key);
    if (object != nullptr && object->is_object() && !object->empty())
      share = JsonFields(*object, where).find_number("partial_rotary_factor").value_or(outside);
  }
  if (share == 1) return;
  if (!family.partial_rotary || !(share > 0 && share < 1))
    unsupported(where, "partial_rotary_factor is not supported", "Supported: RoPE over the whole head.");
  config.rotated_dims = static_cast<std::int64_t>(static_cast<double>(config.head_dim) * share);
  check_range(where, "partial_rotary_factor · head_dim", config.rotated_dims, 2, config.head_dim);
}

/// Returns true for an entry of `no_rope_layers` that is 1 or true, false for one that is 0 or false.
bool is_set(const nlohmann::json& entry, const std::string& where) {
  if (entry.is_boolean()) return entry.get<bool>();
  return read_integer(entry, where, "an entry of no_rope_layers") != 0;
}

/// Reads which layers have no RoPE: those with a 0 in `no_rope_layers`, or every n-th.
void read_unrotated(const JsonFields& fields, const Family& family, ModelConfig& config, const std::string& where) {
  if (family.unrotated_pattern == 0) return;
  const std::int64_t every = fields.find_integer("no_rope_layer_interval").value_or(family.unrotated_pattern);
  const nlohmann::json* list = fields.find("no_rope_layers");
  if (list != nullptr && (!list->is_array() || std::ssize(*list) < config.layers))
    throw EngineError(Fault::BadInput, where,
                      "no_rope_layers is not a list of " + std::to_string(config.layers) + " numbers",
                      "Repair config.json.");
  for (int layer = 0; layer < config.layers; ++layer) {
    const bool rotated = list != nullptr ? is_set((*list)[static_cast<std::size_t>(layer)], where)
                                         : every < 1 || (layer + 1) % every != 0;
    if (!rotated) config.unrotated_layers.push_back(layer);
  }
}

/// Returns `query_pre_attn_scalar`: attention's scores are divided by its root. transformers takes only an integer, as
/// that of every published model is.
nlohmann::json query_scalar(const ModelConfig& model) {
  const double scalar = static_cast<double>(model.head_dim) / (model.query_scale * model.query_scale);
  const double whole = std::round(scalar);
  return std::abs(scalar - whole) < 1e-6 ? nlohmann::json(static_cast<std::int64_t>(whole)) : nlohmann::json(scalar);
}

/// Reads the factors of what a model computes.
void read_scales(const JsonFields& fields, const Family& family, ModelConfig& config) {
  constexpr double kDefaultScalar = 256;
  const double root = std::sqrt(static_cast<double>(config.head_dim));
  const auto factor = [&](const char* key) { return fields.find_number(key).value_or(1); };
  if (family.query_scalar)
    config.query_scale = std::sqrt(static_cast<double>(config.head_dim) /
                                   fields.find_number("query_pre_attn_scalar").value_or(kDefaultScalar));
  if (family.multipliers) {
    config.embedding_scale = factor("embedding_multiplier");
    config.query_scale = factor("attention_multiplier") * root;
    config.residual_scale = factor("residual_multiplier");
    config.logit_divisor = factor("logits_scaling");
  }
  if (std::abs(config.query_scale - 1) < 1e-12) config.query_scale = 1;
}

/// Reads the soft caps, which null switches off.
void read_caps(const nlohmann::json& json, const JsonFields& fields, const Family& family, ModelConfig& config) {
  if (family.default_score_cap == 0) return;
  const auto cap = [&](const char* key, double otherwise) {
    return json.contains(key) ? fields.find_number(key).value_or(0) : otherwise;
  };
  config.score_cap = cap(kScoreCap, family.default_score_cap);
  config.logit_cap = cap(kLogitCap, family.default_logit_cap);
}

/// Returns the number whose product with `root` is `product`, so that a reader of the file has the same bits.
double factor_of(double product, double root) {
  const double quotient = product / root;
  for (const double near : {quotient, std::nextafter(quotient, 0.0), std::nextafter(quotient, 2 * quotient)})
    if (near * root == product) return near;
  return quotient;
}

void write_scales(nlohmann::json& json, const Family& family, const ModelConfig& model) {
  if (family.query_scalar) json["query_pre_attn_scalar"] = query_scalar(model);
  const auto written_cap = [](double cap) { return cap > 0 ? nlohmann::json(cap) : nlohmann::json(); };
  if (family.default_score_cap != 0) {
    json[kScoreCap] = written_cap(model.score_cap);
    json[kLogitCap] = written_cap(model.logit_cap);
  }
  if (!family.multipliers) return;
  json["embedding_multiplier"] = model.embedding_scale;
  json["attention_multiplier"] = factor_of(model.query_scale, std::sqrt(static_cast<double>(model.head_dim)));
  json["residual_multiplier"] = model.residual_scale;
  json["logits_scaling"] = model.logit_divisor;
}

/// Writes the RoPE of each kind of layer as transformers 5 reads it; 4 reads the other keys.
void write_ropes_by_kind(nlohmann::json& json, const Family& family, const ModelConfig& model) {
  if (!model.window_rope) return;
  const auto rope_json = [](const RopeConfig& rope) {
    nlohmann::json object = rope_scaling_json(rope);
    if (object.is_null()) object["rope_type"] = rope_kind_name(rope.kind);
    object["rope_theta"] = rope.theta;
    return object;
  };
  json["rope_parameters"] = {{kGlobalType, rope_json(model.rope)}, {kWindowedType, rope_json(*model.window_rope)}};
  if (!family.window_theta_key.empty()) json[std::string(family.window_theta_key)] = model.window_rope->theta;
}

void write_rotation(nlohmann::json& json, const Family& family, const ModelConfig& model) {
  if (family.partial_rotary)
    json[std::string(family.rotary_key)] = static_cast<double>(model.rope_dims()) / static_cast<double>(model.head_dim);
  if (family.unrotated_pattern == 0) return;
  for (int layer = 0; layer < model.layers; ++layer) json["no_rope_layers"].push_back(model.is_rotated(layer) ? 1 : 0);
}

/// The key of a norm's epsilon.
const char* epsilon_key(const Family& family) {
  return family.layer_norms ? "layer_norm_eps" : "rms_norm_eps";
}

/// Returns the context to write. For dynamic scaling this is the original context, behind which the scaling begins,
/// because a reader of the file knows no other.
std::int64_t written_context(const ModelConfig& model) {
  const bool own = model.rope.kind == RopeConfig::Kind::Dynamic && model.rope.original_context != 0;
  return own ? model.rope.original_context : model.context;
}

}  // namespace

ModelConfig hf_config_from_json(const nlohmann::json& whole, const std::string& name, const std::string& where) {
  const nlohmann::json json = text_half(whole, where);
  const JsonFields fields(json, where);
  const auto integer_or = [&](const char* key, std::int64_t otherwise) {
    return otherwise == 0 ? fields.integer(key) : fields.find_integer(key).value_or(otherwise);
  };
  ModelConfig config;
  const Family& family = read_family(fields, where);
  config.name = name;
  config.layers = fields.integer("num_hidden_layers");
  config.hidden = fields.integer("hidden_size");
  set_family_facts(family, config);
  config.intermediate = fields.integer("intermediate_size");
  config.heads = integer_or("num_attention_heads", family.default_heads);
  const std::int64_t default_groups = family.default_kv_heads != 0 ? family.default_kv_heads : config.heads;
  const bool in_groups = family.projections != StoredProjections::FusedByHead && json.contains("num_key_value_heads");
  config.kv_heads = in_groups ? fields.find_integer("num_key_value_heads").value_or(config.heads) : default_groups;
  config.vocabulary = integer_or("vocab_size", family.default_vocabulary);
  config.context = integer_or("max_position_embeddings", family.default_context);
  config.norm_epsilon = fields.find_number(epsilon_key(family)).value_or(family.default_epsilon);
  config.parallel_blocks = family.parallel_key && fields.find_flag("use_parallel_residual").value_or(true);
  config.tied_embeddings = fields.find_flag("tie_word_embeddings").value_or(family.default_tied);
  config.bos_id = read_id(fields, "bos_token_id", config.vocabulary);
  config.eos_id = read_id(fields, "eos_token_id", config.vocabulary);
  if (family.default_window_theta != 0)
    read_ropes_by_kind(fields, family, config, where);
  else
    config.rope = read_rope(fields, family, config.context, where);
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
  read_scales(fields, family, config);
  read_caps(json, fields, family, config);
  read_rotated(fields, family, config, where);
  config.validate(where);
  read_unrotated(fields, family, config, where);
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
                      {epsilon_key(family), model.norm_epsilon},
                      {std::string(family.theta_key), model.rope.theta},
                      {"rope_scaling", rope_scaling_json(model.rope)},
                      {"tie_word_embeddings", model.tied_embeddings},
                      {"torch_dtype", dtype},
                      {"bos_token_id", optional(model.bos_id)},
                      {"eos_token_id", optional(model.eos_id)},
                      {"pad_token_id", nullptr}};
  // These fields are written because transformers has defaults for absent ones, which would make another model.
  for (const WrittenFlag& flag : family.written_flags) json[std::string(flag.key)] = flag.value;
  if (family.parallel_key) json["use_parallel_residual"] = model.parallel_blocks;
  write_windows(json, family, model);
  if (family.default_original_context > 0)
    json["original_max_position_embeddings"] =
        model.rope.original_context > 0 ? model.rope.original_context : model.context;
  write_ropes_by_kind(json, family, model);
  write_rotation(json, family, model);
  write_scales(json, family, model);
  return json;
}

}  // namespace carryover
