// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/experiment_cells.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include "engine/base/error.h"
#include "engine/checkpoints/hash_cache.h"
#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/cost/dtype_choice.h"
#include "engine/cost/model_work.h"
#include "engine/cost/policy_table.h"
#include "engine/data/corpus.h"
#include "engine/data/recall_samples.h"
#include "engine/data/text_source.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"
#include "engine/formats/sha256.h"
#include "engine/runs/values/prefix_control.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Raised where the same fields come to mean something else.
constexpr int kCellVersion = 1;

std::string hash_of(std::string_view bytes) {
  return hex_of(content_hash(std::as_bytes(std::span(bytes))));
}

std::string file_hash(const std::string& path) {
  return hash_of(read_whole_file(path));
}

/// Returns the fields without those that `defaults` has with the same value.
json changed_fields(json fields, const json& defaults) {
  for (const auto& [key, value] : defaults.items())
    if (fields.contains(key) && fields[key] == value) fields.erase(key);
  return fields;
}

std::string id_of(const json& inputs) {
  return hash_of(json_text(inputs));
}

/// Returns the FLOPs of all recall samples of a training, counted as forward passes.
double recall_flops(const TrainingPlan& plan, const ModelConfig& model) {
  const ModelWork work{model, plan.config, plan.policy};
  const std::vector<std::int64_t> lengths = recall_lengths(plan.training.recall_segments);
  double sum = 0;
  for (const std::int64_t segments : lengths) sum += work.forward_flops(segments * plan.config.segment_length, 0);
  return static_cast<double>(plan.training.max_steps * plan.training.recall_samples) * sum /
         static_cast<double>(lengths.size());
}

/// Returns the settings of a training that decide its numbers: the seed, and the fields with other values than their
/// defaults except those for saving checkpoints.
json deciding_fields(const TrainingConfig& training) {
  json fields = changed_fields(training, TrainingConfig{});
  for (const char* other : {"save_steps", "save_total_limit", "seed"}) fields.erase(other);
  fields["seed"] = training.seed;
  return fields;
}

class Resolver {
 public:
  Resolver(const ExperimentPlan& plan, std::string experiment) : plan_(plan), experiment_(std::move(experiment)) {}

  ExperimentCells resolve() {
    for (const PlanModel& model : plan_.models) add_model(model);
    add_texts();
    for (std::size_t model = 0; model < cells_.models.size(); ++model)
      for (const PlanRecipe& recipe : plan_.recipes)
        if (recipe.kind != PlanRecipe::Kind::Training) add_group(model, recipe, std::nullopt);
    for (const std::uint64_t seed : plan_.seeds)
      for (std::size_t model = 0; model < cells_.models.size(); ++model)
        for (const PlanRecipe& recipe : plan_.recipes)
          if (recipe.kind == PlanRecipe::Kind::Training) add_group(model, recipe, seed);
    return std::move(cells_);
  }

 private:
  void add_model(const PlanModel& model) {
    try {
      const auto source = ModelSource::open(model.path);
      cells_.models.push_back({model.name, model.path, cached_hash(*source), source->config()});
    } catch (const EngineError& error) {
      throw EngineError(error.fault(), error.where(), error.problem(),
                        error.advice() + " Or name another file of this model: --model " + model.name + "=PATH.");
    }
  }

  void add_texts() {
    std::set<std::string> names;
    for (const PlanText& text : plan_.texts) {
      std::error_code ignored;
      if (!fs::exists(text.path, ignored))
        throw EngineError(Fault::Io, text.path, "does not exist", "Fetch it, or name the texts: --texts PATH.");
      for (const std::string& path : corpus_files({text.path})) {
        CellText found{path, fs::path(path).filename().string(), text.title, text.author,
                       sha256(read_whole_file(path))};
        if (found.title.empty()) found.title = fs::path(path).stem().string();
        if (!text.sha256.empty() && found.sha256 != text.sha256)
          throw EngineError(Fault::BadInput, path, "is another text than the plan's (SHA-256 " + found.sha256 + ")",
                            "Fetch it again, or take the sum out of the plan to run what is there.");
        if (!names.insert(found.file).second)
          throw EngineError(Fault::BadInput, path, "has the name of another text of the experiment",
                            "Rename one: tables go by the name.");
        cells_.texts.push_back(std::move(found));
      }
    }
  }

  std::string where(const std::string& part) const { return plan_.where + ": " + part; }

  /// Returns the settings that recipes start from: those that the model was trained under, or else the paper's defaults
  /// for it, with the plan's fields over them.
  SegmentConfig base_config(const CellModel& model) const {
    const auto trained = read_trained_under(model.path);
    SegmentConfig config = trained ? trained->config : SegmentConfig::defaults_for(model.config);
    update_from_json(config, plan_.config, where("config"));
    return config;
  }

  DType dtype_of(DType asked, const ModelConfig& model) const {
    return choose_dtype(asked, plan_.device, this_cpu(), model, Phase::Prefill).dtype;
  }

  void add_group(std::size_t model, const PlanRecipe& recipe, std::optional<std::uint64_t> seed) {
    CellGroup group{model, recipe.name, seed, {}, {}};
    SegmentConfig config = base_config(cells_.models[model]);
    if (recipe.kind == PlanRecipe::Kind::Training) {
      group.training = add_training(model, recipe, *seed, config);
      config = cells_.trainings[*group.training].plan.config;
    } else if (recipe.kind == PlanRecipe::Kind::Adapter) {
      if (const auto trained = read_trained_under(recipe.adapter)) config = trained->config;
    }
    for (const std::string& evaluation : recipe.evaluations)
      add_uses(group, recipe, *plan_.find_evaluation(evaluation), config);
    cells_.groups.push_back(std::move(group));
  }

  std::size_t add_training(std::size_t index, const PlanRecipe& recipe, std::uint64_t seed, const SegmentConfig& base) {
    const CellModel& model = cells_.models[index];
    const std::string from = where("recipes." + recipe.name);
    json fields = base;
    fields["data"] = plan_.data;
    fields["dtype"] = dtype_name(plan_.dtype);
    fields["device"] = device_name(plan_.device);
    fields["threads"] = plan_.threads;
    fields.update(plan_.training);
    fields.update(recipe.fields);
    fields["model"] = model.path;
    fields["seed"] = seed;
    TrainingCell cell;
    cell.plan = plan_from_json(fields, from);
    cell.plan.dtype = dtype_of(cell.plan.dtype, model.config);
    cell.plan.validate(model.config, from);
    // An alert of a cell ends it, and not the experiment: nobody is there to resume a pause.
    if (cell.plan.training.on_alert == AlertPolicy::Pause) cell.plan.training.on_alert = AlertPolicy::Stop;
    cell.inputs = {{"version", kCellVersion},
                   {"kind", "training"},
                   {"weights", model.weights_hash},
                   {"data", data_hashes(cell.plan.data)},
                   {"text_field", cell.plan.text_field},
                   {"dtype", dtype_name(cell.plan.dtype)},
                   {"policy", cell.plan.policy},
                   {"config", changed_fields(cell.plan.config, SegmentConfig{})},
                   {"training", deciding_fields(cell.plan.training)}};
    cell.id = id_of(cell.inputs);
    for (std::size_t i = 0; i < cells_.trainings.size(); ++i)
      if (cells_.trainings[i].id == cell.id) return i;
    cell.plan.output_dir = cell_folder(experiment_, cell.id);
    cell.model = index;
    cell.recipe = recipe.name;
    cell.seed = seed;
    const auto samples = static_cast<double>(cell.plan.training.max_steps * cell.plan.training.samples_per_step());
    const std::int64_t tokens = cell.plan.tokens_per_sample();
    cell.flops = samples * ModelWork{model.config, cell.plan.config, cell.plan.policy}.training_flops(tokens);
    if (cell.plan.training.distillation > 0)  // the teacher reads each sample once
      cell.flops += samples * ModelWork{model.config, cell.plan.config, "full"}.forward_flops(tokens, tokens);
    cell.flops += recall_flops(cell.plan, model.config);
    cells_.trainings.push_back(std::move(cell));
    return cells_.trainings.size() - 1;
  }

  json data_hashes(const std::vector<std::string>& data) {
    json& hashes = data_hashes_[json_text(json(data))];
    if (hashes.is_null())
      for (const std::string& path : corpus_files(data)) hashes.push_back(file_hash(path));
    return hashes;
  }

  RunSettings settings_of(const PlanEvaluation& evaluation, const CellModel& model, const SegmentConfig& config) const {
    const std::string from = where("evaluations." + evaluation.name);
    RunSettings settings;
    settings.config = config;
    settings.dtype = plan_.dtype;
    update_run_settings(settings, evaluation.fields, from);
    settings.device = plan_.device;
    settings.threads = plan_.threads;
    settings.dtype = dtype_of(settings.dtype, model.config);
    settings.tokens = std::min(settings.tokens.value_or(plan_.lengths.back()), plan_.lengths.back());
    if (settings.prefix == "off") settings.config.retrieval_length = 0;
    settings.validate(model.config, from);
    const RopeConfig::Kind rope = settings.config.rope.value_or(model.config.rope).kind;
    if (depends_on_length(rope) && runs_in_chunks(settings.policy) && plan_.lengths.size() > 1 && !plan_.each_length)
      throw EngineError(
          Fault::BadInput, from,
          "scales positions by the text's length (RoPE " + std::string(rope_kind_name(rope)) + ")",
          "Give one length, or \"each_length\": true: shorter ones are else the beginnings of the longest "
          "one's run.");
    return settings;
  }

  struct Reading {
    std::int64_t tokens;
    std::vector<std::int64_t> lengths;  ///< as in EvaluationCell
  };
  /// Returns the runs of a text of `tokens` tokens: one, or one for each of the plan's lengths that it has (its own
  /// length if it has none of them).
  std::vector<Reading> readings_of(std::int64_t tokens) const {
    std::vector<std::int64_t> lengths = plan_.lengths;
    std::erase_if(lengths, [&](std::int64_t length) { return length > tokens; });
    if (lengths.empty()) lengths.push_back(tokens);
    if (!plan_.each_length) return {{tokens, lengths}};
    std::vector<Reading> each;
    for (const std::int64_t length : lengths) each.push_back({length, {length}});
    return each;
  }

  void add_uses(CellGroup& group, const PlanRecipe& recipe, const PlanEvaluation& evaluation,
                const SegmentConfig& config) {
    EvaluationCell cell;
    cell.model = group.model;
    cell.adapter = recipe.adapter;
    cell.training = group.training;
    cell.settings = settings_of(evaluation, cells_.models[group.model], config);
    const std::vector<Reading> readings = readings_of(*cell.settings.tokens);
    for (cell.text = 0; cell.text < cells_.texts.size(); ++cell.text)
      for (const Reading& reading : readings) {
        cell.settings.tokens = reading.tokens;
        cell.lengths = reading.lengths;
        group.uses.push_back(add_use(group, evaluation, cell));
      }
  }

  /// `cell`: all but what follows from it.
  std::size_t add_use(const CellGroup& group, const PlanEvaluation& evaluation, EvaluationCell cell) {
    const CellModel& model = cells_.models[group.model];
    const RunSettings& settings = cell.settings;
    const std::size_t text = cell.text;
    json run_config = changed_fields(settings.config, SegmentConfig{});
    run_config.erase("truncation_depth");  // of training alone
    const auto control = prefix_source(settings.prefix);
    const bool drawn = control == PrefixSource::Random, forced = control && is_position_control(*control);
    cell.inputs = {{"version", kCellVersion},
                   {"kind", "evaluation"},
                   {"weights", model.weights_hash},
                   {"adapter", cell.adapter.empty() ? json() : json(adapter_hash(cell.adapter))},
                   {"training", group.training ? json(cells_.trainings[*group.training].id) : json()},
                   {"text", cells_.texts[cell.text].sha256},
                   {"tokens", *settings.tokens},
                   {"dtype", dtype_name(settings.dtype)},
                   {"policy", settings.policy},
                   {"prefix", forced ? json(settings.prefix) : json()},
                   {"seed", drawn ? json(settings.seed) : json()},
                   {"config", run_config}};
    cell.id = id_of(cell.inputs);
    const auto [known, added] = evaluation_of_.try_emplace(cell.id, cells_.evaluations.size());
    if (added) {
      cell.flops =
          ModelWork{model.config, settings.config, settings.policy}.forward_flops(*settings.tokens, *settings.tokens);
      cells_.evaluations.push_back(std::move(cell));
    }
    cells_.uses.push_back({group.model, group.recipe, evaluation.name, group.seed, text, known->second});
    return cells_.uses.size() - 1;
  }

  std::string adapter_hash(const std::string& folder) {
    std::string& hash = adapter_hashes_[folder];
    if (hash.empty()) {
      std::string both;
      for (const char* file : {"adapter_config.json", "adapter_model.safetensors"})
        both += file_hash(path_in(folder, file));
      hash = hash_of(both);
    }
    return hash;
  }

  const ExperimentPlan& plan_;
  std::string experiment_;
  ExperimentCells cells_;
  std::map<std::string, json> data_hashes_;
  std::map<std::string, std::string> adapter_hashes_;
  std::map<std::string, std::size_t> evaluation_of_;
};

}  // namespace

std::map<std::string, CellWork> cell_work(const ExperimentCells& cells) {
  std::map<std::string, CellWork> work;
  for (const TrainingCell& cell : cells.trainings) work[cell.id] = {cell.model, true, cell.plan.dtype, cell.flops};
  for (const EvaluationCell& cell : cells.evaluations)
    work[cell.id] = {cell.model, false, cell.settings.dtype, cell.flops};
  return work;
}

std::vector<std::int32_t> text_ids(const CellModel& model, const CellText& text, std::int64_t most) {
  std::vector<std::int32_t> ids = Tokenizer::load(model.path)->encode(read_text(text.path), false);
  if (std::ssize(ids) > most) ids.resize(static_cast<std::size_t>(most));
  return ids;
}

void require_tokens(const CellText& text, std::int64_t found, std::int64_t needed) {
  if (found < needed)
    throw EngineError(Fault::BadInput, text.path,
                      "has " + std::to_string(found) + " tokens of the " + std::to_string(needed) + " to read",
                      "Leave it out, or plan shorter lengths.");
}

std::string cell_folder(const std::string& experiment, const std::string& id) {
  return (fs::path(experiment) / "cells" / id).string();
}

ExperimentCells experiment_cells(const ExperimentPlan& plan, const std::string& experiment) {
  return Resolver(plan, experiment).resolve();
}

}  // namespace carryover
