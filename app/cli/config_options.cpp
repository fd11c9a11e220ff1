// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/config_options.h"

#include <charconv>

#include "engine/base/error.h"
#include "engine/config/field_text.h"
#include "engine/config/segment_fields.h"
#include "engine/config/settings_presets.h"
#include "engine/cost/policy_table.h"
#include "engine/formats/json_file.h"
#include "engine/heads/choice/head_pattern_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr const char* segment_group = "Segmented execution";

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
    update_run_settings(settings, config, path);
  }
  update_run_settings(settings, fields, path);
}

const Grouping& preset(const std::vector<GroupingPreset>& presets, const std::string& name) {
  std::string names;
  for (const GroupingPreset& candidate : presets) {
    if (candidate.name == name) return candidate.grouping;
    names += (names.empty() ? "" : ", ") + candidate.name;
  }
  throw EngineError(Fault::BadInput, "--grouping", "'" + name + "' is not a preset that fits this model",
                    "Use " + names + ".");
}

/// "linear:8": the checkpoint's own parameters with another kind and factor.
RopeConfig parse_rope(const std::string& text, RopeConfig rope) {
  using Kind = RopeConfig::Kind;
  const std::size_t colon = text.find(':');
  const std::string kind_text = text.substr(0, colon);
  const EngineError wrong(Fault::Usage, "--rope", "'" + text + "' is not KIND or KIND:FACTOR",
                          "Use default, linear:8, dynamic:10, llama3:8 or yarn:4.");
  const auto kind = find_rope_kind(kind_text);
  if (!kind || *kind == Kind::Longrope || (colon == std::string::npos && *kind != Kind::Default)) throw wrong;
  if (*kind == Kind::Llama3 && rope.kind != *kind) rope.original_context = 8192;
  rope.attention_factor = 0;  // which belongs to a kind and a factor
  rope.kind = *kind;
  if (colon == std::string::npos) return rope;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + colon + 1, end, rope.factor);
  if (code != std::errc() || stop != end || !(rope.factor > 0)) throw wrong;
  return rope;
}

}  // namespace

json read_settings(const std::string& source) {
  return source.starts_with('{') ? parse_json(source, "--config", JsonKind::Settings)
                                 : read_json_file(source, JsonKind::Settings);
}

std::string settings_name(const std::string& source) {
  return source.starts_with('{') ? "--config" : source;
}

ConfigOptions::ConfigOptions(CLI::App& app) {
  app.add_option("--config", given_->config_file,
                 "JSON file of settings by name (segment_length, …), a JSON object, or a run folder's config.json, "
                 "which repeats that run. Flags override it")
      ->type_name("FILE");
  add_fields(app);
  add_execution(app);
}

void ConfigOptions::add_preset(CLI::App& app) {
  app.add_option("--preset", given_->preset,
                 "paper; sinks: paper with attention sinks; recall: every head reads sinks, windows retrieved by one "
                 "shared search, and the carry, and a question is run twice. sinks and recall go beyond the paper. "
                 "--config and flags override it")
      ->check(CLI::IsMember({"paper", "sinks", "recall"}))
      ->type_name("NAME")
      ->group(segment_group);
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
    else if (const Choice* choice = field.choice())
      add_value<std::string>(app, field, choice->type, help);
    else if (field.is<std::vector<HeadRef>>())
      add_heads(app, field, help);
    else if (field.is<HeadPatterns>())
      add_patterns(app, field, help);
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
           given->fields[key] = json_of_indices(text, flag);
         },
         help + "; such as 0,1,2, or none")
      ->type_name("LIST")
      ->group(segment_group);
}

void ConfigOptions::add_heads(CLI::App& app, const SegmentField& field, const std::string& help) {
  app.add_option_function<std::string>(
         field.flag(),
         [given = given_, key = field.key, flag = field.flag()](const std::string& text) {
           given->fields[key] = json_of_heads(text, flag);
         },
         help + "; such as 18.6,15.6, or none")
      ->type_name("HEADS")
      ->group(segment_group);
}

void ConfigOptions::add_patterns(CLI::App& app, const SegmentField& field, const std::string& help) {
  app.add_option_function<std::string>(
         field.flag(),
         [given = given_, key = field.key](const std::string& path) { given->fields[key] = read_head_patterns(path); },
         help)
      ->type_name("FILE")
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
       "auto (default: by processor and model, see info), fp32, bf16, fp64, or q8 (8-bit weights)");
  text("--device", "device", "NAME", "auto (default: a GPU if there is one), cpu or cuda");
  app.add_option_function<std::int64_t>(
         "--threads", [given](std::int64_t value) { given->fields["threads"] = value; },
         "CPU threads; 0 (default): all, or one for a very small model")
      ->type_name("N")
      ->group("Execution");
  app.add_option_function<std::int64_t>(
         "--seed", [given](std::int64_t value) { given->fields["seed"] = value; }, "random seed")
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
  return resolve(model, std::move(settings));
}

RunSettings ConfigOptions::resolve(const ModelConfig& model, RunSettings settings) const {
  for (const SettingsPreset& preset : settings_presets(model, settings.config.search_heads))
    if (preset.name == given_->preset) settings.config = preset.config;
  std::string where = kFlagsName;
  if (!given_->config_file.empty()) {
    apply_file(settings, given_->config_file);
    if (given_->fields.empty()) where = settings_name(given_->config_file);
  }
  update_run_settings(settings, fields(model), kFlagsName);
  settings.validate(model, where);
  return settings;
}

}  // namespace carryover
