// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/experiment_plan.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/checkpoints/random_model.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMostNames = 1000;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 32;

/// Names are parts of folders, flags and columns.
void check_name(const std::string& name, const std::string& where, const std::string& field) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+.-";
  const bool good = !name.empty() && name.size() <= 80 && name.front() != '.' && name.front() != '-' &&
                    name.find_first_not_of(allowed) == std::string::npos;
  if (!good)
    refuse_field(where, field, "is named '" + name.substr(0, 80) + "'",
                 "Use letters, digits and _ + . - in names; a \"title\" may hold anything.");
}

/// Reads a title of tables and figures. results_view() reads no longer ones.
std::string read_title_of(const json& value, const std::string& where, const std::string& field) {
  std::string title = read_string(value, where, field);
  if (title.size() > 1000)
    refuse_field(where, field, "has " + std::to_string(title.size()) + " bytes", "Use 1000 at most.");
  return title;
}

[[noreturn]] void refuse_key(const std::string& where, const std::string& field, const std::string& key,
                             const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(key, known);
  refuse_field(where, field.empty() ? key.substr(0, 80) : field + "." + key.substr(0, 80), "is not known here",
               nearest.empty() ? "Remove it, or correct its spelling." : "Do you mean " + nearest + "?");
}

const json& require_object(const json& value, const std::string& where, const std::string& field) {
  if (!value.is_object()) refuse_field(where, field, "is not a JSON object", "Give fields by name.");
  return value;
}

/// Reads one file; `names` gives an object's keys in the order of the text, which nlohmann::json sorts.
class PlanReader {
 public:
  PlanReader(std::string_view text, std::string where, std::string folder)
      : where_(std::move(where)),
        folder_(std::move(folder)),
        file_(parse_json(text, where_, JsonKind::Settings, JsonKeys::Unique)) {
    require_object(file_, where_, "the plan");
    order_ = parse_ordered_json(text, where_, JsonKind::Settings);
  }

  ExperimentPlan read() {
    plan_.where = where_;
    plan_.file = file_;
    const auto& readers = fields();
    std::vector<std::string> known;
    for (const auto& [key, reader] : readers) known.push_back(key);
    for (const auto& [key, value] : file_.items()) {
      if (!readers.contains(key)) refuse_key(where_, "", key, known);
      if (value.is_null()) continue;
      (this->*readers.at(key))(value);
    }
    check_whole();
    return std::move(plan_);
  }

 private:
  using Reader = void (PlanReader::*)(const json& value);
  static const std::map<std::string, Reader>& fields() {
    static const std::map<std::string, Reader> all{
        {"name", &PlanReader::read_name},
        {"title", &PlanReader::read_title},
        {"about", &PlanReader::read_about},
        {"models", &PlanReader::read_models},
        {"data", &PlanReader::read_data},
        {"texts", &PlanReader::read_texts},
        {"lengths", &PlanReader::read_lengths},
        {"each_length", &PlanReader::read_each_length},
        {"seeds", &PlanReader::read_seeds},
        {"dtype", &PlanReader::read_dtype},
        {"device", &PlanReader::read_device},
        {"threads", &PlanReader::read_threads},
        {"config", &PlanReader::read_config},
        {"training", &PlanReader::read_training},
        {"recipes", &PlanReader::read_recipes},
        {"evaluations", &PlanReader::read_evaluations},
        {"comparisons", &PlanReader::read_comparisons},
    };
    return all;
  }

  std::string path_of(const json& value, const std::string& field) const {
    const std::string path = read_string(value, where_, field);
    if (path.empty()) refuse_field(where_, field, "is empty", "Name a file or a folder.");
    if (folder_.empty() || names_random_model(path)) return path;
    return (fs::path(folder_) / path).lexically_normal().string();
  }

  std::vector<std::string> names_of(const json& value, const char* field) const {
    require_object(value, where_, field);
    if (value.empty() || value.size() > kMostNames)
      refuse_field(where_, field, "has " + std::to_string(value.size()) + " entries", "Give one to 1000.");
    std::vector<std::string> names;
    for (const auto& item : order_.at(field).items()) {
      check_name(item.key(), where_, field);
      names.push_back(item.key());
    }
    return names;
  }

  template <typename Number, typename Read>
  std::vector<Number> numbers_of(const json& value, const char* field, Read reader) const {
    if (!value.is_array() || value.empty() || value.size() > kMostNames)
      refuse_field(where_, field, "is not a list of 1 to 1000 numbers", "Give such as [1, 2, 3].");
    std::vector<Number> numbers;
    for (const json& entry : value) numbers.push_back(reader(entry, where_, std::string(field)));
    std::vector<Number> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      refuse_field(where_, field, "names a number twice", "Name each once.");
    return numbers;
  }

  void read_name(const json& value) {
    plan_.name = read_string(value, where_, "name");
    check_name(plan_.name, where_, "name");
  }
  void read_title(const json& value) { plan_.title = read_title_of(value, where_, "title"); }
  void read_about(const json& value) { plan_.about = read_string(value, where_, "about"); }
  void read_models(const json& value) {
    for (const std::string& name : names_of(value, "models"))
      plan_.models.push_back({name, path_of(value.at(name), "models." + name)});
  }
  void read_data(const json& value) {
    read_strings(value, where_, "data");
    const json list = value.is_string() ? json::array({value}) : value;
    for (const json& entry : list) plan_.data.push_back(path_of(entry, "data"));
  }
  void read_texts(const json& value) {
    const json list = value.is_array() ? value : json::array({value});
    for (const json& entry : list) plan_.texts.push_back(read_text_entry(entry));
  }
  PlanText read_text_entry(const json& entry) const {
    PlanText text;
    if (entry.is_string()) {
      text.path = path_of(entry, "texts");
      return text;
    }
    require_object(entry, where_, "texts");
    for (const auto& [key, value] : entry.items()) {
      if (key == "path")
        text.path = path_of(value, "texts.path");
      else if (key == "title")
        text.title = read_title_of(value, where_, "texts.title");
      else if (key == "author")
        text.author = read_string(value, where_, "texts.author");
      else if (key == "sha256")
        text.sha256 = read_string(value, where_, "texts.sha256");
      else
        refuse_key(where_, "texts", key, {"path", "title", "author", "sha256"});
    }
    if (text.path.empty()) refuse_field(where_, "texts", "has an entry without a path", "Name its file.");
    if (!text.sha256.empty() && !is_hex(text.sha256, 64))
      refuse_field(where_, "texts.sha256", "is not 64 hex digits", "Give what sha256sum prints, or leave it out.");
    return text;
  }
  void read_lengths(const json& value) {
    plan_.lengths = numbers_of<std::int64_t>(value, "lengths", read_integer);
    std::sort(plan_.lengths.begin(), plan_.lengths.end());
    plan_.lengths.erase(std::unique(plan_.lengths.begin(), plan_.lengths.end()), plan_.lengths.end());
    if (plan_.lengths.front() < 2 || plan_.lengths.back() > kMostTokens)
      refuse_field(where_, "lengths", "has one out of range", "Give tokens, from 2 on, such as [2048, 8192].");
  }
  void read_each_length(const json& value) { plan_.each_length = read_flag(value, where_, "each_length"); }
  void read_seeds(const json& value) { plan_.seeds = numbers_of<std::uint64_t>(value, "seeds", read_unsigned); }
  /// Parses a value with a parser of flags, and reports what that refuses as an error of the file.
  template <typename Parse>
  auto one_of(Parse parse, const json& value, const char* field) const {
    const std::string text = read_string(value, where_, field);
    try {
      return parse(text);
    } catch (const EngineError& error) {
      refuse_field(where_, field, "is '" + text.substr(0, 60) + "'", error.advice());
    }
  }
  void read_dtype(const json& value) { plan_.dtype = one_of(parse_dtype, value, "dtype"); }
  void read_device(const json& value) { plan_.device = one_of(parse_device, value, "device"); }
  void read_threads(const json& value) {
    const std::int64_t threads = read_integer(value, where_, "threads");
    if (threads < 0 || threads > 1024)
      refuse_field(where_, "threads", "is " + std::to_string(threads), "Give 0 (all) to 1024.");
    plan_.threads = static_cast<int>(threads);
  }
  void read_config(const json& value) { plan_.config = require_object(value, where_, "config"); }

  void read_training(const json& value) {
    plan_.training = require_object(value, where_, "training");
    refuse_own(plan_.training, "training", {"model", "output_dir", "data"});
  }
  void refuse_own(const json& fields, const std::string& field, const std::vector<std::string>& keys) const {
    for (const std::string& own : keys)
      if (fields.contains(own))
        refuse_field(where_, field + "." + own, "is the experiment's own", "Remove it: the plan says it for all.");
  }

  /// Takes `key` out of an object's fields; null where it is absent.
  static json take(json& fields, const char* key) {
    const auto found = fields.find(key);
    if (found == fields.end()) return nullptr;
    json value = *found;
    fields.erase(found);
    return value;
  }

  void read_recipes(const json& value) {
    for (const std::string& name : names_of(value, "recipes"))
      plan_.recipes.push_back(read_recipe(name, value.at(name)));
  }
  PlanRecipe read_recipe(const std::string& name, const json& value) const {
    const std::string field = "recipes." + name;
    PlanRecipe recipe;
    recipe.name = recipe.title = name;
    if (value.is_null()) return recipe;
    json fields = require_object(value, where_, field);
    if (const json title = take(fields, "title"); !title.is_null())
      recipe.title = read_title_of(title, where_, field + ".title");
    if (const json named = take(fields, "evaluations"); !named.is_null())
      recipe.evaluations = read_strings(named, where_, field + ".evaluations");
    const json adapter = take(fields, "adapter");
    refuse_own(fields, field, {"model", "output_dir"});
    if (!adapter.is_null()) {
      if (!fields.empty()) refuse_field(where_, field, "has an adapter and fields of a training", "Give one of both.");
      recipe.kind = PlanRecipe::Kind::Adapter;
      recipe.adapter = path_of(adapter, field + ".adapter");
    } else if (!fields.empty()) {
      recipe.kind = PlanRecipe::Kind::Training;
      if (fields.contains("data")) {
        json paths = json::array();
        for (const std::string& path : read_strings(fields["data"], where_, field + ".data"))
          paths.push_back(path_of(path, field + ".data"));
        fields["data"] = paths;
      }
      recipe.fields = std::move(fields);
    }
    return recipe;
  }
  void read_evaluations(const json& value) {
    for (const std::string& name : names_of(value, "evaluations")) {
      const std::string field = "evaluations." + name;
      PlanEvaluation evaluation;
      evaluation.name = evaluation.title = name;
      evaluation.fields = value.at(name).is_null() ? json::object() : require_object(value.at(name), where_, field);
      if (const json title = take(evaluation.fields, "title"); !title.is_null())
        evaluation.title = read_title_of(title, where_, field + ".title");
      for (const char* own : {"force_hits", "threads", "device"})
        if (evaluation.fields.contains(own))
          refuse_field(where_, field + "." + own, "is not an evaluation's", "Remove it.");
      plan_.evaluations.push_back(std::move(evaluation));
    }
  }
  PlanCondition read_condition(const json& value, const std::string& field) const {
    const std::vector<std::string> names = read_strings(value, where_, field);
    if (names.size() != 2) refuse_field(where_, field, "is not [recipe, evaluation]", "Name one of each.");
    return {names[0], names[1]};
  }
  void read_comparisons(const json& value) {
    if (!value.is_array()) refuse_field(where_, "comparisons", "is not a list", "Give [{\"of\": …, \"against\": …}].");
    for (const json& entry : value) {
      require_object(entry, where_, "comparisons");
      PlanComparison comparison;
      for (const auto& [key, part] : entry.items()) {
        if (key == "title")
          comparison.title = read_title_of(part, where_, "comparisons.title");
        else if (key == "of")
          comparison.of = read_condition(part, "comparisons.of");
        else if (key == "against")
          comparison.against = read_condition(part, "comparisons.against");
        else
          refuse_key(where_, "comparisons", key, {"title", "of", "against"});
      }
      const auto& [of, against] = std::pair(comparison.of, comparison.against);
      if (comparison.title.empty())
        comparison.title = of.recipe + ", " + of.evaluation + ": against " + against.recipe + ", " + against.evaluation;
      plan_.comparisons.push_back(std::move(comparison));
    }
  }

  void check_whole() {
    for (const char* needed : {"name", "models", "texts", "recipes", "evaluations"})
      if (!file_.contains(needed) || file_[needed].is_null() || file_[needed].empty())
        refuse_field(where_, needed, "is missing", "An experiment needs name, models, texts, recipes and evaluations.");
    if (plan_.title.empty()) plan_.title = plan_.name;
    for (PlanRecipe& recipe : plan_.recipes) resolve_evaluations(recipe);
    for (const PlanComparison& comparison : plan_.comparisons)
      for (const PlanCondition* side : {&comparison.of, &comparison.against}) check_condition(*side);
    const bool trains = std::ranges::any_of(plan_.recipes, [&](const PlanRecipe& recipe) {
      return recipe.kind == PlanRecipe::Kind::Training && !recipe.fields.contains("data");
    });
    if (trains && plan_.data.empty())
      refuse_field(where_, "data", "names no text to train on", "Give files or folders.");
  }
  /// Every evaluation where none is named.
  void resolve_evaluations(PlanRecipe& recipe) const {
    std::vector<std::string> known, kept;
    for (const PlanEvaluation& evaluation : plan_.evaluations) known.push_back(evaluation.name);
    for (const std::string& name : recipe.evaluations)
      if (std::ranges::find(known, name) == known.end())
        refuse_key(where_, "recipes." + recipe.name + ".evaluations", name, known);
    for (const std::string& name : known)
      if (recipe.evaluations.empty() || std::ranges::find(recipe.evaluations, name) != recipe.evaluations.end())
        kept.push_back(name);
    recipe.evaluations = std::move(kept);
  }
  void check_condition(const PlanCondition& condition) const {
    const PlanRecipe* recipe = plan_.find_recipe(condition.recipe);
    if (recipe == nullptr) {
      std::vector<std::string> known;
      for (const PlanRecipe& one : plan_.recipes) known.push_back(one.name);
      refuse_key(where_, "comparisons", condition.recipe, known);
    }
    if (std::ranges::find(recipe->evaluations, condition.evaluation) == recipe->evaluations.end())
      refuse_key(where_, "comparisons." + condition.recipe, condition.evaluation, recipe->evaluations);
  }

  std::string where_, folder_;
  json file_;
  ordered_json order_;
  ExperimentPlan plan_;
};

std::vector<PlanText> texts_at(const std::string& path, const std::vector<PlanText>& planned) {
  std::error_code ignored;
  std::vector<PlanText> listed;  // by file
  for (const PlanText& text : planned)
    if (!fs::is_directory(text.path, ignored)) listed.push_back(text);
  if (!fs::is_directory(path, ignored) || listed.empty()) {
    PlanText text;
    for (const PlanText& one : listed)
      if (fs::path(one.path).filename() == fs::path(path).filename()) text = one;
    text.path = path;
    return {text};
  }
  std::vector<PlanText> found;
  for (PlanText text : listed) {
    const fs::path here = fs::path(path) / fs::path(text.path).filename();
    if (!fs::exists(here, ignored)) continue;
    text.path = here.string();
    found.push_back(std::move(text));
  }
  if (found.empty())
    throw EngineError(
        Fault::Io, path, "has none of the plan's texts",
        "Name the folder that has " + fs::path(listed.front().path).filename().string() + ", or files of your own.");
  return found;
}

}  // namespace

const PlanRecipe* ExperimentPlan::find_recipe(std::string_view recipe) const {
  const auto found = std::ranges::find(recipes, recipe, &PlanRecipe::name);
  return found == recipes.end() ? nullptr : &*found;
}

const PlanEvaluation* ExperimentPlan::find_evaluation(std::string_view evaluation) const {
  const auto found = std::ranges::find(evaluations, evaluation, &PlanEvaluation::name);
  return found == evaluations.end() ? nullptr : &*found;
}

bool ExperimentPlan::runs(std::string_view recipe) const {
  return only.empty() || std::ranges::find(only, recipe) != only.end();
}

ExperimentPlan experiment_plan(std::string_view text, const std::string& where, const std::string& folder) {
  return PlanReader(text, where, folder).read();
}

ExperimentPlan read_experiment_plan(const std::string& path) {
  return experiment_plan(read_whole_file(path), path, fs::path(path).parent_path().string());
}

void apply_overrides(ExperimentPlan& plan, const ExperimentOverrides& overrides) {
  for (const PlanModel& model : overrides.models) {
    const auto found = std::ranges::find(plan.models, model.name, &PlanModel::name);
    if (found == plan.models.end())
      throw EngineError(
          Fault::Usage, "--model", "'" + model.name + "' is not a model of the plan",
          "Its first one is " + plan.models.front().name + ": --model " + plan.models.front().name + "=PATH.");
    found->path = model.path;
  }
  if (!overrides.data.empty()) {
    plan.data = overrides.data;
    for (PlanRecipe& recipe : plan.recipes)
      if (recipe.kind == PlanRecipe::Kind::Training) recipe.fields.erase("data");
  }
  if (!overrides.texts.empty()) {
    std::vector<PlanText> texts;
    for (const std::string& path : overrides.texts)
      for (PlanText& text : texts_at(path, plan.texts)) texts.push_back(std::move(text));
    plan.texts = std::move(texts);
  }
  if (overrides.threads >= 0) plan.threads = overrides.threads;
  for (const std::string& name : overrides.only)
    if (plan.find_recipe(name) == nullptr)
      throw EngineError(Fault::Usage, "--only", "'" + name + "' is not a recipe of the plan",
                        "Its first one is " + plan.recipes.front().name + ".");
  plan.only = overrides.only;
}

}  // namespace carryover
