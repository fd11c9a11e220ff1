// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/training/train_options.h"

#include <charconv>

#include "app/cli/model_argument.h"
#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/checkpoints/model_source.h"
#include "engine/config/training_fields.h"
#include "engine/formats/json_file.h"
#include "engine/training/records/training_folder.h"

namespace carryover {

namespace {

using nlohmann::json;

/// A flag's text as a JSON value: a number where it reads as one; the field's own reader judges the rest.
json number_of(const std::string& text) {
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (std::from_chars(text.data(), end, whole).ptr == end) return whole;
  double real = 0;
  return std::from_chars(text.data(), end, real).ptr == end ? json(real) : json(text);
}

json text_of(const std::string& text) {
  return text;
}

json list_of(const std::string& text) {
  json list = json::array();
  for (const std::string& item : text_parts(text, ',')) list.push_back(number_of(item));
  return list;
}

const TrainingPreset& find_preset(const std::string& name) {
  std::string names;
  for (const TrainingPreset& preset : training_presets()) {
    if (preset.name == name) return preset;
    names += (names.empty() ? "" : ", ") + preset.name;
  }
  throw EngineError(Fault::Usage, "--preset", "'" + name + "' is not known", "Use " + names + ".");
}

std::string model_of(const json& fields, const std::string& where) {
  const auto model = fields.find("model");
  if (model != fields.end() && model->is_string()) return model->get<std::string>();
  throw EngineError(Fault::BadInput, where, "names no model",
                    "Set \"model\" (or --model) to a Hugging Face folder or a GGUF file.");
}

/// "field=JSON". The field's own reader judges the value.
void set_field(json& fields, const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto value =
      equals == std::string::npos ? std::nullopt : find_json(text.substr(equals + 1), JsonKind::Settings);
  if (!value)
    throw EngineError(Fault::Usage, "--set", "'" + text.substr(0, 60) + "' is not FIELD=JSON",
                      "Write it as adam_beta1=0.8 or 'long_range_heads=[[0],[1,2]]'.");
  fields[text.substr(0, equals)] = *value;
}

/// The value of --resume without a name: the folder that the run would write.
constexpr const char* kOutput = "--output";

std::string resumed_folder(const std::string& named, const json& file, const json& flags) {
  if (named.empty())
    throw EngineError(Fault::Usage, "--resume", "names no file or folder", "Give a run's folder: --resume DIR.");
  if (named != kOutput) return named;
  for (const json* fields : {&flags, &file}) {
    const auto found = fields->find("output_dir");
    if (found != fields->end() && found->is_string()) return found->get<std::string>();
  }
  throw EngineError(Fault::Usage, "--resume", "names no run",
                    "Give its folder: --resume DIR, or --output DIR --resume.");
}

}  // namespace

TrainOptions::TrainOptions(CLI::App& app) : config_(app) {
  add_data(app);
  for (const TrainingField& field : training_fields())
    if (field.has_flag()) add_field(app, field);
}

/// Adds an option whose text is the field's value as `read` takes it.
void TrainOptions::add_value(CLI::App& app, const char* key, const TrainingFlag& flag,
                             json (*read)(const std::string& text)) {
  app.add_option_function<std::string>(
         flag_of_field(key), [given = given_, key, read](const std::string& text) { given->fields[key] = read(text); },
         flag.help)
      ->type_name(flag.type)
      ->group(flag.group);
}

void TrainOptions::add_field(CLI::App& app, const TrainingField& field) {
  const std::string flag = flag_of_field(field.key);
  if (field.can_be_turned_off())
    app.add_flag_function(
           flag + ",!--no-" + flag.substr(2),
           [given = given_, key = field.key](std::int64_t count) { given->fields[key] = count > 0; }, field.flag.help)
        ->group(field.flag.group);
  else if (field.as<bool>() != nullptr)
    app.add_flag_callback(
           flag, [given = given_, key = field.key] { given->fields[key] = true; }, field.flag.help)
        ->group(field.flag.group);
  else if (field.as<std::vector<std::int64_t>>() != nullptr || field.as<std::vector<std::string>>() != nullptr)
    add_value(app, field.key, field.flag, list_of);
  else
    add_value(app, field.key, field.flag, field.named() != nullptr ? text_of : number_of);
}

void TrainOptions::add_data(CLI::App& app) {
  const auto given = given_;
  app.add_option_function<std::string>(
         "MODEL,--model", [given](const std::string& path) { given->fields["model"] = path; },
         "Hugging Face folder, GGUF file or hub name; or \"model\" in --config's file")
      ->type_name("");
  app.add_option_function<std::vector<std::string>>(
         "--data", [given](const std::vector<std::string>& paths) { given->fields["data"] = paths; },
         "text file, folder of texts, .jsonl or .json of ids; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATH");
  app.add_option_function<std::string>(
         "--output", [given](const std::string& path) { given->fields["output_dir"] = path; },
         "folder of the run: config.json, metrics.jsonl, checkpoints/, final/")
      ->type_name("DIR");
  add_value(app, "text_field", {"Training", "NAME", "the field of a JSONL line that holds its text (text)"}, text_of);
  app.add_option_function<std::vector<std::string>>(
         "--set",
         [given](const std::vector<std::string>& settings) {
           for (const std::string& setting : settings) set_field(given->fields, setting);
         },
         "set any field to a JSON value, such as adam_beta1=0.8; may be given several times")
      ->allow_extra_args(false)
      ->type_name("FIELD=JSON");
  app.add_option("--preset", given->preset, "start from paper-7b, smollm2-gpu, smollm2-cpu or tiny-demo")
      ->type_name("NAME");
  given->resume = app.add_option("--resume", given->resume_folder,
                                 "continue from the newest complete checkpoint of DIR (or of --output)")
                      ->expected(0, 1)
                      ->default_str(kOutput)
                      ->type_name("[DIR]");
}

TrainingPlan TrainOptions::resolve(bool quiet) const {
  const std::string file = settings_name(config_.config_file());
  const json from_file = file.empty() ? json::object() : read_settings(config_.config_file());
  if (!from_file.is_object()) throw EngineError(Fault::BadInput, file, "is not a JSON object", "Give fields by name.");
  const std::string resumed =
      resumes() ? resumed_folder(given_->resume_folder, from_file, given_->fields) : std::string();
  json fields = resumes() ? plan_json(read_training_folder(resumed).plan) : json::object();
  fields.update(from_file);
  fields.update(given_->fields);
  if (resumes()) fields["output_dir"] = resumed;  // it may have moved
  const std::string model_path = path_of_model(model_of(fields, file.empty() ? kFlagsName : file), quiet);
  fields["model"] = model_path;
  const ModelConfig model = ModelSource::open(model_path)->config();
  if (!file.empty()) {  // its faults are named as its own
    json checked = from_file;
    checked["model"] = model_path;
    plan_from_json(checked, file);
  }
  if (!given_->preset.empty()) {
    TrainingPlan preset = plan_from_json({{"model", model_path}}, "--preset");
    find_preset(given_->preset).apply(preset);
    json under = plan_json(preset);
    under.update(fields);
    fields = std::move(under);
  }
  const json segment_flags = config_.fields(model);
  fields.update(segment_flags);
  TrainingPlan plan = plan_from_json(fields, kFlagsName);
  const bool file_alone = !file.empty() && segment_flags.empty() && given_->fields.empty();
  plan.validate(model, file_alone ? file : kFlagsName);
  return plan;
}

}  // namespace carryover
