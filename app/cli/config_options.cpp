// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/config_options.h"

#include <charconv>

#include "engine/core/base/error.h"
#include "engine/core/base/json_integer.h"
#include "engine/core/base/text_parts.h"
#include "engine/core/config/segment_fields.h"
#include "engine/core/cost/policy_table.h"
#include "engine/core/run/prefix_control.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr const char* kFlagsName = "command line";
constexpr const char* segment_group = "Segmented execution";

/// "6,8,11,18"; "none" or nothing is the empty list.
json parse_indices(const std::string& text, const char* flag) {
  json list = json::array();
  if (text.empty() || text == "none") return list;
  for (const std::string& item : text_parts(text, ',')) {
    int value = 0;
    const auto [end, code] = std::from_chars(item.data(), item.data() + item.size(), value);
    if (code != std::errc() || end != item.data() + item.size()) {
      throw EngineError(Fault::Usage, flag, "'" + item + "' is not an index",
                        "Give a list such as 6,8,11,18, or none.");
    }
    list.push_back(value);
  }
  return list;
}

std::int64_t count_from(const json& value, const std::string& where, const std::string& key, std::int64_t most) {
  const auto count = find_integer(value);
  if (!count || *count < 0 || *count > most) {
    throw EngineError(Fault::BadInput, where, key + " is " + value.dump().substr(0, 60),
                      "Give a whole number from 0 to " + std::to_string(most) + ".");
  }
  return *count;
}

std::string text_from(const json& value, const std::string& where, const std::string& key) {
  if (!value.is_string()) throw EngineError(Fault::BadInput, where, key + " is not a text", "Put it into quotes.");
  return value.get<std::string>();
}

/// Takes the fields that are no SegmentConfig's out of `fields`.
void take_run_fields(RunSettings& settings, json& fields, const std::string& where) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  const auto take = [&](const char* key, auto use) {
    const auto at = fields.find(key);
    if (at == fields.end()) return;
    if (!at->is_null()) use(*at, key);
    fields.erase(key);
  };
  take("policy", [&](const json& value, const char* key) { settings.policy = text_from(value, where, key); });
  take("dtype",
       [&](const json& value, const char* key) { settings.dtype = parse_dtype(text_from(value, where, key)); });
  take("device",
       [&](const json& value, const char* key) { settings.device = parse_device(text_from(value, where, key)); });
  take("force_hits", [&](const json& value, const char* key) { settings.force_hits = text_from(value, where, key); });
  take("prefix", [&](const json& value, const char* key) {
    settings.prefix = text_from(value, where, key);
    const auto source = prefix_source(settings.prefix);
    if (!source || *source == PrefixSource::Oracle)
      throw EngineError(Fault::BadInput, where, "prefix is '" + settings.prefix.substr(0, 60) + "'",
                        "Use search, off, random, recent, constant or sinks.");
  });
  take("threads", [&](const json& value, const char* key) {
    settings.threads = static_cast<int>(count_from(value, where, key, 1024));
  });
  take("tokens", [&](const json& value, const char* key) {
    settings.tokens = count_from(value, where, key, most);
    if (settings.tokens == 0) throw EngineError(Fault::BadInput, where, "tokens is 0", "Run at least one token.");
  });
  take("seed", [&](const json& value, const char* key) {
    settings.seed = static_cast<std::uint64_t>(count_from(value, where, key, most));
  });
}

void apply(RunSettings& settings, json fields, const std::string& where) {
  if (!fields.is_object()) throw EngineError(Fault::BadInput, where, "is not a JSON object", "Give fields by name.");
  take_run_fields(settings, fields, where);
  update_from_json(settings.config, fields, where);
}

/// Settings only, or a run folder's config.json: there they stand under "config", beside a description of the run.
void apply_file(RunSettings& settings, const std::string& source) {
  json fields = read_settings(source);
  const std::string path = settings_name(source);
  if (fields.is_object() && fields.contains("config")) {
    for (const char* described :
         {"run_id", "model", "text", "text_tokens", "text_hash", "dtype_reason", "command_line", "environment"})
      fields.erase(described);
    const json config = fields["config"];
    fields.erase("config");
    apply(settings, config, path);
  }
  apply(settings, fields, path);
}

void check_policy(const std::string& policy, const std::string& where) {
  if (find_policy(policy) == nullptr)
    throw EngineError(Fault::BadInput, where, "policy '" + policy + "' is not known",
                      "Use one of " + listed_policies(", ") + ".");
}

const Grouping& preset(const std::vector<GroupingPreset>& presets, const std::string& name) {
  std::string names;
  for (const GroupingPreset& candidate : presets) {
    if (candidate.name == name) return candidate.grouping;
    names += (names.empty() ? "" : ", ") + candidate.name;
  }
  throw EngineError(Fault::BadInput, "--grouping", "'" + name + "' is no preset that fits this model",
                    "Use " + names + ".");
}

/// "linear:8": the checkpoint's own parameters with another kind and factor.
RopeConfig parse_rope(const std::string& text, RopeConfig rope) {
  using Kind = RopeConfig::Kind;
  const std::size_t colon = text.find(':');
  const std::string kind_text = text.substr(0, colon);
  const EngineError wrong(Fault::Usage, "--rope", "'" + text + "' is not KIND or KIND:FACTOR",
                          "Use default, linear:8, dynamic:10 or llama3:8.");
  bool known = false;
  for (Kind kind : {Kind::Default, Kind::Linear, Kind::Dynamic, Kind::Llama3}) {
    if (kind_text != rope_kind_name(kind)) continue;
    if (kind == Kind::Llama3 && rope.kind != kind) rope.original_context = 8192;
    rope.kind = kind;
    known = true;
  }
  if (!known || (colon == std::string::npos && rope.kind != Kind::Default)) throw wrong;
  if (colon == std::string::npos) return rope;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + colon + 1, end, rope.factor);
  if (code != std::errc() || stop != end || !(rope.factor > 0)) throw wrong;
  return rope;
}

}  // namespace

json read_settings(const std::string& source) {
  return source.starts_with('{') ? parse_json(source, "--config") : read_json_file(source);
}

std::string settings_name(const std::string& source) {
  return source.starts_with('{') ? "--config" : source;
}

ConfigOptions::ConfigOptions(CLI::App& app) {
  app.add_option("--config", given_->config_file,
                 "JSON file of settings by name (segment_length, …), or such an object itself, or a run folder's "
                 "config.json: repeats that run. Flags win over it")
      ->type_name("FILE");
  add_fields(app);
  add_execution(app);
}

void ConfigOptions::add_fields(CLI::App& app) {
  for (const SegmentField& field : segment_fields()) {
    const std::string help = *field.symbol == '\0' ? field.help : std::string(field.symbol) + ": " + field.help;
    if (field.is<Grouping>())
      add_list(app, field, help);
    else if (field.is<bool>())
      add_switch(app, field, help);
    else if (field.is_count())
      add_value<std::int64_t>(app, field, "N", help);
    else if (field.is<PoolKeys>())
      add_value<std::string>(app, field, "FORMAT", help);
    else  // written out for the model by fields()
      app.add_option(field.flag(), given_->rope, help)->type_name("KIND:FACTOR")->group(segment_group);
  }
  app.add_option("--grouping", given_->grouping,
                 "a preset of long-range layers and heads: `carryover info MODEL` lists them")
      ->type_name("PRESET")
      ->group(segment_group);
}

template <typename Value>
void ConfigOptions::add_value(CLI::App& app, const SegmentField& field, const char* type, const std::string& help) {
  app.add_option_function<Value>(
         field.flag(), [given = given_, key = field.key](const Value& value) { given->fields[key] = value; }, help)
      ->type_name(type)
      ->group(segment_group);
}

void ConfigOptions::add_list(CLI::App& app, const SegmentField& field, const std::string& help) {
  app.add_option_function<std::string>(
         field.flag(),
         [given = given_, key = field.key, flag = field.flag()](const std::string& text) {
           given->fields[key] = parse_indices(text, flag.c_str());
         },
         help + "; such as 0,1,2, or none")
      ->type_name("LIST")
      ->group(segment_group);
}

void ConfigOptions::add_switch(CLI::App& app, const SegmentField& field, const std::string& help) {
  app.add_flag_function(
         field.flag() + ",!--no-" + field.flag().substr(2),
         [given = given_, key = field.key](std::int64_t count) { given->fields[key] = count > 0; }, help)
      ->group(segment_group);
}

void ConfigOptions::add_execution(CLI::App& app) {
  const auto given = given_;
  const auto text = [&](const char* flag, const char* field, const char* type, const std::string& help) {
    app.add_option_function<std::string>(
           flag, [given, field](const std::string& value) { given->fields[field] = value; }, help)
        ->type_name(type)
        ->group("Execution");
  };
  text("--policy", "policy", "NAME", "what attention sees: " + listed_policies(", ") + " (default: segmented)");
  text("--dtype", "dtype", "TYPE",
       "auto (default: by processor and model, see info), fp32, bf16, fp64, or q8: weights in 8 bits");
  text("--device", "device", "NAME", "auto (default: a GPU where there is one), cpu or cuda");
  app.add_option_function<std::int64_t>(
         "--threads", [given](std::int64_t value) { given->fields["threads"] = value; },
         "threads of the processor; 0 (default): all, or one for a very small model")
      ->type_name("N")
      ->group("Execution");
  app.add_option_function<std::int64_t>(
         "--seed", [given](std::int64_t value) { given->fields["seed"] = value; }, "seed of everything drawn at random")
      ->type_name("N")
      ->group("Execution");
}

json ConfigOptions::fields(const ModelConfig& model) const {
  json fields = json::object();
  if (!given_->grouping.empty()) fields = preset(grouping_presets(model), given_->grouping);
  if (!given_->rope.empty()) fields["rope"] = parse_rope(given_->rope, model.rope);
  fields.update(given_->fields);
  return fields;
}

RunSettings ConfigOptions::resolve(const ModelConfig& model, const SegmentConfig& defaults) const {
  RunSettings settings;
  settings.config = defaults;
  std::string where = kFlagsName;
  if (!given_->config_file.empty()) {
    apply_file(settings, given_->config_file);
    if (given_->fields.empty()) where = settings_name(given_->config_file);
  }
  apply(settings, fields(model), kFlagsName);
  settings.config.validate(model, where);
  check_policy(settings.policy, where);
  return settings;
}

}  // namespace carryover
