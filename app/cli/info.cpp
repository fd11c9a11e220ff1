// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "engine/base/byte_size.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/checkpoints/adapter_fit.h"
#include "engine/checkpoints/hash_cache.h"
#include "engine/checkpoints/measured_memory.h"
#include "engine/checkpoints/model_folder.h"
#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/config/segment_fields.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/dtype_choice.h"
#include "engine/families/weight_rows.h"
#include "engine/formats/dequantize.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::int64_t kLengths[] = {4096, 65536, 1048576};

json storage_json(const ModelSource& source) {
  std::map<std::string, int> counts;
  for (const StoredTensor& tensor : source.tensors()) ++counts[std::string(storage_name(tensor.type))];
  return counts;
}

/// Returns the origin of the tokenizer; a model without one can still run on ids.
json tokenizer_json(const std::string& path) {
  namespace fs = std::filesystem;
  const auto optional_id = [](std::optional<std::int32_t> id) { return id ? json(*id) : json(); };
  try {
    const auto tokenizer = Tokenizer::load(path);
    std::string kind = "the GGUF's vocabulary";
    if (fs::is_directory(path)) {
      kind = fs::exists(fs::path(path) / "tokenizer.json") ? "BPE (tokenizer.json)" : "SentencePiece (tokenizer.model)";
    }
    return {{"kind", kind},
            {"vocabulary", tokenizer->vocabulary()},
            {"bos", optional_id(tokenizer->bos())},
            {"eos", optional_id(tokenizer->eos())},
            {"end", tokenizer->end_ids()},
            {"notes", tokenizer->notes()}};
  } catch (const EngineError& error) {
    return {{"kind", nullptr}, {"problem", error.what()}};
  }
}

json memory_json(const CostModel& cost) {
  json rows = json::array();
  for (std::int64_t tokens : kLengths) {
    const MemoryBytes full = cost.full(tokens);
    rows.push_back({{"tokens", tokens},
                    {"segmented", cost.segmented(tokens)},
                    {"full", {{"attention_kv", full.attention_kv}, {"total", full.device_peak}}}});
  }
  return rows;
}

json dtype_json(const DTypeChoice& choice) {
  return {{"dtype", dtype_name(choice.dtype)}, {"reason", choice.reason}};
}

std::string dtype_text(const json& choices) {
  const auto line = [](const json& choice) {
    return choice.at("dtype").get<std::string>() + " (" + choice.at("reason").get<std::string>() + ")\n";
  };
  return "dtype      prefill " + line(choices.at("prefill")) + "           decoding " + line(choices.at("decode"));
}

/// Returns the owner of the gates of policy nsa: "adapter" or "model", or none.
std::string gates_of(const ModelSource& source, const std::string& adapter) {
  const std::string name = gate_tensors(source.config()).front().hf_name;
  if (!adapter.empty() && std::filesystem::exists(std::filesystem::path(adapter) / "adapter_config.json")) {
    const StoredAdapter stored = read_adapter_folder(adapter);
    check_adapter_fits(stored, source.config());
    if (stored.tensors.find(std::string(adapter_prefix) + name) != nullptr) return "adapter";
  }
  return source.find(name) != nullptr ? "model" : "";
}

json presets_json(const ModelConfig& model) {
  json presets = json::array();
  for (const GroupingPreset& preset : grouping_presets(model)) {
    json entry = preset.grouping;
    entry["name"] = preset.name;
    entry["description"] = preset.description;
    presets.push_back(std::move(entry));
  }
  return presets;
}

std::string indices(const json& list) {
  std::string text = list.dump();
  return text == "[]" ? "none" : text.substr(1, text.size() - 2);
}

/// "S 1024, M 128, …": fields that the paper has a symbol for.
std::string settings_text(const SegmentConfig& config, const json& values) {
  std::string text, line = "\nsettings   ";
  for (const SegmentField& field : segment_fields()) {
    if (!field.is_count() || values.at(field.key).is_null()) continue;
    const std::string entry =
        std::string(*field.symbol == 0 ? field.key : field.symbol) + " " + values.at(field.key).dump();
    if (line.size() + entry.size() > 90) {
      text += line;
      line = ",\n           ";
    } else if (line.back() != ' ') {
      line += ", ";
    }
    line += entry;
  }
  if (!config.anchors) line += ", A " + std::to_string(config.anchor_count());
  return text + line + "\n           long-range layers " + indices(values.at("long_range_layers")) + "; heads " +
         indices(values.at("long_range_heads")) + "\n";
}

std::string memory_text(const json& rows, const std::string& dtype) {
  const auto bytes = [](const json& value) { return size_text(value.get<double>()); };
  std::string text = "\npredicted memory in " + dtype + " (attention-visible KV; everything)\n";
  text += "    tokens        segmented: KV, pool, all             full attention: KV, all\n";
  for (const json& row : rows) {
    char line[160];
    const json& segmented = row.at("segmented");
    std::snprintf(line, sizeof line, "%10lld   %10s %10s %10s   %14s %10s\n", row.at("tokens").get<long long>(),
                  bytes(segmented.at("attention_kv")).c_str(), bytes(segmented.at("pool")).c_str(),
                  bytes(segmented.at("device_peak")).c_str(), bytes(row.at("full").at("attention_kv")).c_str(),
                  bytes(row.at("full").at("total")).c_str());
    text += line;
  }
  return text;
}

std::string plain_text(const json& info, const ModelConfig& model, const SegmentConfig& config) {
  const auto count = [](std::int64_t value) { return std::to_string(value); };
  std::string text = "model      " + model.name + " (" + model.architecture + "), " +
                     fixed_text(static_cast<double>(model.parameters()) / 1e6, 1) + " M parameters\n";
  text += "shape      " + count(model.layers) + " layers, " + count(model.heads) + " query heads on " +
          count(model.kv_heads) + " KV heads of " + count(model.head_dim) + ", hidden " + count(model.hidden) +
          ", feed-forward " + count(model.intermediate) + "\n";
  text += "           vocabulary " + count(model.vocabulary) + ", context " + count(model.context) + " tokens" +
          (model.tied_embeddings ? ", tied embeddings" : "") + "\n";
  text +=
      "positions  RoPE " + std::string(rope_kind_name(model.rope.kind)) + ", base " + fixed_text(model.rope.theta, 0) +
      (model.rope.kind == RopeConfig::Kind::Default ? "" : ", factor " + fixed_text(model.rope.factor, 2)) +
      (model.rotated_dims == 0 ? "" : ", over " + count(model.rotated_dims) + " dimensions of a head") +
      (model.unrotated_layers.empty() ? "" : ", none in " + std::to_string(model.unrotated_layers.size()) + " layers") +
      "\n";
  if (model.window > 0)
    text += "windows    the last " + count(model.window) + " tokens in " + std::to_string(model.windowed_layers()) +
            " layers; the other " + std::to_string(model.layers - model.windowed_layers()) + " see everything\n";
  text += "stored as ";
  for (const auto& [type, tensors] : info.at("storage").items())
    text += " " + type + " (" + tensors.dump() + " tensors)";
  const json& tokenizer = info.at("tokenizer");
  text += "\ntokenizer  " + (tokenizer.at("kind").is_null() ? "none: " + tokenizer.at("problem").get<std::string>()
                                                            : tokenizer.at("kind").get<std::string>());
  for (const json& note : tokenizer.value("notes", json::array())) text += "\n           " + note.get<std::string>();
  text += "\nhash       " + info.at("weights_hash").get<std::string>() + "\n";
  if (info.contains("measured")) text += "measured   " + info.at("measured").get<std::string>() + "\n";
  text += dtype_text(info.at("dtype")) + settings_text(config, info.at("config"));
  if (info.contains("gates")) text += "gates      of policy nsa, in the " + info.at("gates").get<std::string>() + "\n";
  text += "\ngroupings for --grouping\n";
  for (const json& preset : info.at("groupings")) {
    auto name = preset.at("name").get<std::string>();
    name.resize(std::max<std::size_t>(name.size(), 16), ' ');
    text += "  " + name + preset.at("description").get<std::string>() + "\n";
  }
  return text + memory_text(info.at("memory"), info.at("memory_dtype").get<std::string>());
}

struct InfoOptions {
  std::string model, adapter;
  bool json = false;
};

int info(const InfoOptions& options, const ConfigOptions& config_options) {
  const std::string& path = options.model;
  const auto source = ModelSource::open(path);
  const ModelConfig& model = source->config();
  const RunSettings settings = config_options.resolve(model, initial_config(model, path, options.adapter));
  const auto dtype_of = [&](Phase phase) {
    return choose_dtype(settings.dtype, settings.device, this_cpu(), model, phase);
  };
  const DTypeChoice prefill = dtype_of(Phase::Prefill);
  const CostModel cost = cost_model(model, settings.config, prefill.dtype);
  json result{{"model", model},
              {"path", path},
              {"parameters", model.parameters()},
              {"weights_hash", cached_hash(*source)},
              {"storage", storage_json(*source)},
              {"tokenizer", tokenizer_json(path)},
              {"config", settings.config},
              {"groupings", presets_json(model)},
              {"dtype", {{"prefill", dtype_json(prefill)}, {"decode", dtype_json(dtype_of(Phase::Decode))}}},
              {"memory_dtype", dtype_name(prefill.dtype)},
              {"pool_bytes_per_token", cost.pool_bytes_per_token()},
              {"memory", memory_json(cost)}};
  if (const std::string gates = gates_of(*source, options.adapter); !gates.empty()) result["gates"] = gates;
  if (const auto measured = measured_memory(result.at("weights_hash").get<std::string>()))
    result["measured"] = measured_text(*measured);
  print(options.json ? json_text(result, 2) + "\n" : plain_text(result, model, settings.config));
  return kExitOk;
}

}  // namespace

VerbAction add_info(CLI::App& app) {
  const auto options = std::make_shared<InfoOptions>();
  add_model(app, options->model)->required();
  app.add_option("--adapter", options->adapter, "PEFT folder (LoRA): start from the settings that it was trained under")
      ->type_name("DIR");
  app.add_flag("--json", options->json, "print everything as JSON");
  const auto config = std::make_shared<ConfigOptions>(app);
  app.footer(
      R"(Loads no weights, but reads them once for their hash. Settings on the command line change the prediction:
  carryover info model.gguf
  carryover info model.gguf --segment-length 2048 --dtype bf16 --json)");
  return [options, config] { return info(*options, *config); };
}

}  // namespace carryover
