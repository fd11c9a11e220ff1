// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_reader.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/npy.h"
#include "engine/runs/records/folder_segments.h"
#include "engine/runs/records/forced_hits.h"
#include "engine/runs/values/snapshot_check.h"

namespace carryover {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::optional<std::int64_t> optional_count(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(integer_of(value));
}

std::string text_or_empty(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

ModelInfo model_of(const json& config, const std::string& path) {
  const json& shape = config.at("model");
  ModelInfo model;
  model.config = model_config_from_json(shape, path);
  shape.at("path").get_to(model.path);
  model.adapter = shape.value("adapter", std::string());
  shape.at("weights_hash").get_to(model.weights_hash);
  if (shape.contains("trained")) {
    get_integer(shape.at("trained"), "steps", model.trained_steps);
    shape.at("trained").at("in").get_to(model.trained_in);
  }
  model.dtype = parse_dtype(config.at("dtype").get<std::string>());
  model.dtype_reason = config.value("dtype_reason", std::string());
  model.device = parse_device(config.at("device").get<std::string>());
  model.threads = static_cast<int>(std::clamp<std::int64_t>(integer_of(config.at("threads")), 0, 1024));
  config.at("environment").at("libraries").get_to(model.library_versions);
  return model;
}

RunDescription description_of(const json& config, const std::string& path) {
  RunDescription description;
  description.model = model_of(config, path);
  config.at("run_id").get_to(description.id);
  config.at("text").get_to(description.text);
  config.at("command_line").get_to(description.command_line);
  description.token_limit = optional_count(config.at("tokens"));
  description.seed = read_unsigned(config.at("seed"), path, "seed");
  description.force_hits = text_or_empty(config.at("force_hits"));
  config.at("prefix").get_to(description.prefix);
  config.at("policy").get_to(description.request.policy);
  update_from_json(description.request.config, config.at("config"), path);
  description.request.config.validate(description.model.config, path);
  return description;
}

/// Checks that segments follow one another inside the text, so that nothing that reads them needs to.
void check_places(const std::vector<SegmentRecord>& segments, const SnapshotLimits& limits, const std::string& path) {
  SegmentPlace next;
  for (const SegmentRecord& record : segments) {
    check_record(record, next, limits, path + ":" + std::to_string(next.index + 1));
    next = next.after(record);
  }
}

/// The run's own words for what its segments don't say.
void complete(RunSummary& summary, const json& stored) {
  stored.at("seconds").get_to(summary.seconds);
  get_integer(stored, "peak_memory_bytes", summary.peak_memory_bytes);
  stored.at("cancelled").get_to(summary.cancelled);
  stored.at("memory").get_to(summary.memory);
}

[[noreturn]] void refuse_fields(const std::string& path, const json::exception& error) {
  throw EngineError(Fault::BadInput, path, std::string("lacks what a run's has: ") + error.what(), kRunFolderAdvice);
}

}  // namespace

RunSummary sum_up(const RunOutline& outline) {
  RunSummary summary;
  summary.cancelled = true;
  for (int segment = 0; segment < outline.count(); ++segment) {
    const SegmentRecord& record = outline.segment(segment).record;
    summary.add(record);
    summary.seconds += record.seconds;
    summary.peak_memory_bytes = std::max(summary.peak_memory_bytes, record.memory.device_peak);
    summary.memory = record.memory;
  }
  return summary;
}

RunDescription read_description(const json& config, const std::string& path) {
  try {
    return description_of(config, path);
  } catch (const json::exception& error) {
    refuse_fields(path, error);
  }
}

bool is_run_folder(const std::string& directory) {
  std::error_code ignored;
  return !directory.empty() && fs::exists(path_in(directory, "segments.jsonl"), ignored) &&
         fs::exists(path_in(directory, "config.json"), ignored);
}

RunContents reopen_run(const std::string& directory) {
  const StoredRun stored = read_run_numbers(directory);
  RunContents run;
  run.directory = directory;
  run.description = read_description(*stored.config, path_in(directory, "config.json"));
  const std::string ids_path = path_in(directory, "ids.npy");
  auto ids = npy_ints(read_npy(ids_path), ids_path);
  const ModelConfig& model = run.description.model.config;
  check_ids(ids, model.vocabulary, ids_path);
  check_places(stored.segments, snapshot_limits(model, run.description.request.config, std::ssize(ids)),
               path_in(directory, "segments.jsonl"));
  if (!stored.segments.empty()) run.description.model.weight_bytes = stored.segments.back().memory.weights;
  run.description.request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  restore_forced_hits(run.description);
  FolderRun folder = open_folder_segments(stored, run.description);
  run.outline = std::move(folder.outline);
  run.segments = std::move(folder.segments);
  run.summary = sum_up(*run.outline);
  try {
    if (stored.summary) complete(run.summary, *stored.summary);
  } catch (const json::exception& error) {
    refuse_fields(path_in(directory, "summary.json"), error);
  }
  return run;
}

}  // namespace carryover
