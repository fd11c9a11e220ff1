// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/checkpoints/model_folder.h"
#include "engine/checkpoints/text_half.h"
#include "engine/families/weight_rows.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSupportedAdapters =
    "Supported: a plain LoRA adapter that peft saved as safetensors (no DoRA, no bias, one rank for all modules).";

/// Returns the fields with which peft would compute more than scale · B·A·x, each with the value that turns it off.
const json& neutral_fields() {
  static const json kFields{{"bias", "none"},
                            {"fan_in_fan_out", false},
                            {"use_dora", false},
                            {"lora_bias", false},
                            {"use_qalora", false},
                            {"modules_to_save", json::array()},
                            {"rank_pattern", json::object()},
                            {"alpha_pattern", json::object()},
                            {"layers_to_transform", json::array()},
                            {"target_parameters", json::array()},
                            {"trainable_token_indices", json::array()},
                            {"layer_replication", json::array()},
                            {"alora_invocation_tokens", json::array()},
                            {"use_bdlora", false},
                            {"arrow_config", json::object()},
                            {"kasa_config", json::object()},
                            {"monteclora_config", json::object()},
                            {"velora_config", json::object()}};
  return kFields;
}

class AdapterReader {
 public:
  AdapterReader(const json& root, std::string where) : fields_(root, where), where_(std::move(where)) {}

  LoraConfig read() const {
    const std::string type = fields_.find_text("peft_type").value_or("(none)");
    if (type != "LORA") unsupported("peft_type is '" + type.substr(0, 40) + "'");
    for (const auto& [key, neutral] : neutral_fields().items()) {
      const json* value = fields_.find(key.c_str());
      const bool empty = value == nullptr || (value->is_structured() && value->empty());
      if (!empty && *value != neutral) unsupported(key + " is " + value->dump().substr(0, 60));
    }
    LoraConfig lora;
    lora.rank = fields_.integer("r");
    lora.alpha = fields_.find_number("lora_alpha").value_or(8);  // peft's default
    lora.dropout = fields_.find_number("lora_dropout").value_or(0);
    lora.rslora = fields_.find_flag("use_rslora").value_or(false);
    if (lora.rank < 1 || lora.rank > (1 << 18)) broken("r is " + std::to_string(lora.rank));
    if (!std::isfinite(lora.alpha)) broken("lora_alpha is not finite");
    if (!(lora.dropout >= 0 && lora.dropout < 1)) broken("lora_dropout is outside [0, 1)");
    read_modules(lora);
    return lora;
  }

  /// Reads the start as peft spells it. The names that are refused depend on data or chance that peft does not save.
  AdapterStart start(const LoraConfig& lora) const {
    const json* value = fields_.find("init_lora_weights");
    if (value == nullptr || value->is_boolean()) return AdapterStart::Beside;
    if (!value->is_string()) broken("init_lora_weights is neither a name nor true or false");
    const auto& name = value->get_ref<const std::string&>();
    for (const char* beside : {"gaussian", "eva", "orthogonal", "mica"})
      if (name == beside) return AdapterStart::Beside;
    if (name == "olora") return AdapterStart::Olora;
    if (name != "pissa") {
      const bool changes_base =
          name == "loftq" || name == "corda" || name == "lora_ga" || name.starts_with("pissa_niter_");
      if (!changes_base) {
        throw EngineError(Fault::Unsupported, where_,
                          "init_lora_weights is '" + name.substr(0, 60) + "', which is not a start that is known",
                          "Correct the name as peft spells it, such as pissa, or merge the adapter in peft.");
      }
      throw EngineError(Fault::Unsupported, where_,
                        "init_lora_weights is '" + name.substr(0, 60) +
                            "': the adapter belongs to a changed base model, and does not say which",
                        "In peft, save it with path_initial_model_for_weight_conversion, which makes it a plain LoRA, "
                        "or merge it (merge_and_unload) and open the merged model.");
    }
    if (!(lora.alpha > 0)) broken("lora_alpha is not above 0, which init_lora_weights 'pissa' needs");
    return AdapterStart::Pissa;
  }

 private:
  [[noreturn]] void unsupported(const std::string& problem) const {
    throw EngineError(Fault::Unsupported, where_, problem, kSupportedAdapters);
  }
  [[noreturn]] void broken(const std::string& problem) const {
    throw EngineError(Fault::BadInput, where_, problem, "Fetch the adapter again.");
  }

  /// Reads the names of modules, each of which may stand behind its path. A pattern leaves the list empty, and so do
  /// exceptions to the names: then the tensors say what was adapted.
  void read_modules(LoraConfig& lora) const {
    const json* modules = fields_.find("target_modules");
    lora.target_modules.clear();
    if (modules != nullptr && modules->is_string()) return;
    if (modules == nullptr || !modules->is_array() || modules->empty())
      unsupported("target_modules is neither a list of names nor a pattern");
    for (const json& module : *modules) {
      if (!module.is_string()) broken("target_modules holds something other than a name");
      const auto& path = module.get_ref<const std::string&>();
      const std::string name = path.substr(path.rfind('.') + 1);
      const std::vector<std::string>& known = lora_modules();
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        unsupported("target_modules names '" + path.substr(0, 60) + "'");
      }
      if (std::ranges::find(lora.target_modules, name) == lora.target_modules.end())  // each tensor's module is looked
                                                                                      // up in this list
        lora.target_modules.push_back(name);
    }
    const json* except = fields_.find("exclude_modules");
    if (except != nullptr && !except->empty()) lora.target_modules.clear();
  }

  JsonFields fields_;
  std::string where_;
};

/// Returns true for a gate of policy nsa. Gates are stored beside the adapter's own tensors; peft ignores them, and the
/// code that reads them checks them.
bool is_gate(const SafetensorsTensor& tensor) {
  return tensor.name.ends_with(".self_attn.g_proj.weight") || tensor.name.ends_with(".self_attn.g_proj.bias");
}

/// Returns the name of a tensor of an adapter for a model of text. An adapter of a model that reads images, too, has
/// other names for the text half, and perhaps a part for images, which is left out.
std::optional<std::string> name_in_adapter_of_text(std::string_view name) {
  if (!name.starts_with(adapter_prefix)) return std::string(name);
  const auto rest = name_in_text_half(name.substr(adapter_prefix.size()));
  return rest ? std::optional(std::string(adapter_prefix) + *rest) : std::nullopt;
}

/// Returns the modules that tensors are for, in the order of lora_modules(). Others are left to check_tensors().
std::vector<std::string> modules_of(const SafetensorsFile& file) {
  std::vector<std::string> modules;
  for (const std::string& module : lora_modules()) {
    const std::string end = "." + module + ".lora_A.weight";
    if (std::ranges::any_of(file.tensors(),
                            [&](const SafetensorsTensor& tensor) { return tensor.name.ends_with(end); }))
      modules.push_back(module);
  }
  return modules;
}

/// Throws unless every other tensor is lora_A [r, in] or lora_B [out, r] of a targeted module.
void check_tensors(const SafetensorsFile& file, const LoraConfig& lora) {
  for (const SafetensorsTensor& tensor : file.tensors()) {
    if (is_gate(tensor)) continue;
    const bool is_a = tensor.name.ends_with(".lora_A.weight"), is_b = tensor.name.ends_with(".lora_B.weight");
    const std::string_view module = std::string_view(tensor.name).substr(0, is_a || is_b ? tensor.name.size() - 14 : 0);
    const bool targeted = std::any_of(lora.target_modules.begin(), lora.target_modules.end(),
                                      [&](const std::string& name) { return module.ends_with("." + name); });
    if (!targeted) {
      throw EngineError(Fault::Unsupported, file.where(),
                        "the adapter's tensor " + tensor.name.substr(0, 120) +
                            " is not a LoRA A or B of a module that target_modules names",
                        kSupportedAdapters);
    }
    if (!tensor.name.starts_with(adapter_prefix)) {
      throw EngineError(Fault::Unsupported, file.where(),
                        "the adapter's tensor " + tensor.name.substr(0, 120) + " lacks peft's prefix '" +
                            std::string(adapter_prefix) + "'",
                        "Save the adapter with peft's save_pretrained, or put the prefix before its tensors' names.");
    }
    const std::size_t side = is_a ? 0 : 1;
    if (!tensor.type || tensor.shape.size() != 2 || tensor.shape[side] != lora.rank) {
      throw EngineError(Fault::BadInput, file.where(),
                        "the adapter's tensor " + tensor.name.substr(0, 120) + " is not a matrix of rank " +
                            std::to_string(lora.rank) + " in F64, F32, F16 or BF16",
                        "Fetch the adapter again.");
    }
  }
}

}  // namespace

void write_adapter_folder(const std::string& directory, const LoraConfig& lora, const std::string& base_model,
                          const std::vector<OutgoingTensor>& tensors) {
  const bool whole_alpha = lora.alpha == std::floor(lora.alpha) && std::abs(lora.alpha) < 1e15;
  const json config{{"peft_type", "LORA"},
                    {"task_type", "CAUSAL_LM"},
                    {"base_model_name_or_path", base_model},
                    {"r", lora.rank},
                    {"lora_alpha", whole_alpha ? json(static_cast<std::int64_t>(lora.alpha)) : json(lora.alpha)},
                    {"lora_dropout", lora.dropout},
                    {"use_rslora", lora.rslora},
                    {"target_modules", lora.target_modules},
                    {"bias", "none"},
                    {"fan_in_fan_out", false},
                    {"init_lora_weights", true},
                    {"inference_mode", true}};
  const fs::path folder = directory;
  write_file_atomically((folder / "adapter_config.json").string(), json_text(config, 2) + "\n");
  write_safetensors((folder / "adapter_model.safetensors").string(), tensors, {{"format", "pt"}});
}

StoredAdapter read_adapter_folder(const std::string& directory) {
  const fs::path folder = directory;
  const std::string path = (folder / "adapter_config.json").string();
  const std::string weights = (folder / "adapter_model.safetensors").string();
  const auto present = [&](const char* name) {
    std::error_code ignored;
    return fs::exists(folder / name, ignored);
  };
  if (!present("adapter_config.json")) {
    throw EngineError(Fault::Io, directory, "has no adapter_config.json",
                      present("config.json")
                          ? "This is a model's folder: open it as the model, or give an adapter's folder."
                          : "Give a folder that peft or training saved.");
  }
  const json root = read_json_file(path, JsonKind::Settings);
  const AdapterReader reader(root, path);
  StoredAdapter adapter;
  adapter.lora = reader.read();
  adapter.start = reader.start(adapter.lora);
  adapter.base_model = JsonFields(root, path).find_text("base_model_name_or_path").value_or("");
  if (!present("adapter_model.safetensors")) {
    throw EngineError(Fault::Io, directory, "the adapter has no adapter_model.safetensors",
                      present("adapter_model.bin")
                          ? "adapter_model.bin is not read, since it can run code: load the adapter with peft and save "
                            "it with save_pretrained(safe_serialization=True)."
                          : "Fetch the adapter again, all its files.");
  }
  adapter.tensors = SafetensorsFile::open(weights).renamed(name_in_adapter_of_text);
  if (adapter.lora.target_modules.empty()) adapter.lora.target_modules = modules_of(adapter.tensors);
  check_tensors(adapter.tensors, adapter.lora);
  return adapter;
}

}  // namespace carryover
