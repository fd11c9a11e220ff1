// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_folder.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/system_file.h"
#include "engine/base/text_parts.h"
#include "engine/config/head_reads.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/input_lines.h"
#include "engine/formats/json_file.h"
#include "engine/formats/npy.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/forced_hits.h"
#include "engine/runs/records/run_id.h"
#include "engine/runs/records/run_index.h"

namespace carryover {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kFileNames[] = {"config.json",  "ids.npy",        "segments.jsonl", "hits.jsonl", "nll.json",
                                      "summary.json", "carry_maps.npy", "sinks.npy",      "index.bin"};

/// A number that reads back as the same float, or null.
void append_number(std::string& text, float value) {
  if (!std::isfinite(value)) {
    text += "null";
    return;
  }
  append_digits(text, value);
}

/// Calls visit(json, "file:line") for each line of a .jsonl file.
template <typename Visit>
void each_line(const std::string& path, Visit visit) {
  InputLines input(path);
  for (std::string line; input.next(line);) {
    if (line.empty()) continue;
    const std::string where = path + ":" + std::to_string(input.number());
    try {
      visit(parse_json(line, where), where);
    } catch (const json::exception& error) {
      throw EngineError(Fault::BadInput, where, std::string("has the wrong fields: ") + error.what(),
                        "Use a file that `carryover run` wrote.");
    }
  }
}

std::vector<float> read_nll(const std::string& path) {
  const json values = read_json_file(path, JsonKind::Numbers);
  std::vector<float> result;
  try {
    for (const json& value : values) result.push_back(value.is_null() ? std::nanf("") : value.get<float>());
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, path, std::string("is not an array of numbers: ") + error.what(),
                      "Use a file that `carryover run` wrote.");
  }
  return result;
}

bool holds_run(const fs::path& directory) {
  std::error_code ignored;
  for (const char* name : kFileNames) {
    if (fs::exists(directory / name, ignored)) return true;
  }
  return false;
}

/// A config.json that a model or another program wrote marks a folder as somebody else's.
bool holds_foreign_config(const fs::path& directory) {
  const std::string path = (directory / "config.json").string();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return false;
  try {
    const json config = read_json_file(path);
    return !config.is_object() || !config.contains("model") || !config.contains("config");
  } catch (const EngineError&) {
    return true;
  }
}

/// Makes the folder; true where it was not there before.
bool make_folder(const std::string& directory, bool overwrite) {
  std::error_code code;
  if (fs::exists(directory, code) && !fs::is_directory(directory, code)) {
    throw EngineError(Fault::Io, directory, "is not a folder", "Name a folder for the run's files.");
  }
  if (holds_run(directory) && !overwrite) {
    throw EngineError(Fault::Usage, directory, "already holds a run", "Choose another folder, or add --overwrite.");
  }
  if (holds_foreign_config(directory))
    throw EngineError(Fault::Usage, directory, "holds a config.json that is no run's, which would be replaced",
                      "Choose another folder.");
  const bool made = fs::create_directories(directory, code);
  if (code) throw EngineError(Fault::Io, directory, "can't be made: " + code.message(), "Choose another folder.");
  return made;
}

}  // namespace

json environment_json(const ModelInfo& model) {
  return {{"carryover", CARRYOVER_VERSION},
          {"compiler", "g++ " __VERSION__},
          {"libraries", model.library_versions},
          {"processor", system_line("/proc/cpuinfo", "model name")},
          {"processor_flags", text_words(system_line("/proc/cpuinfo", "flags"))}};
}

json config_json(const RunDescription& description) {
  const RunRequest& request = description.request;
  const ModelInfo& model = description.model;
  json shape = model.config;
  shape["path"] = model.path;
  if (!model.adapter.empty()) shape["adapter"] = model.adapter;
  shape["weights_hash"] = model.weights_hash;
  if (model.trained_steps > 0) shape["trained"] = {{"steps", model.trained_steps}, {"in", model.trained_in}};
  return {{"run_id", description.id.empty() ? run_id(model, request) : description.id},
          {"model", std::move(shape)},
          {"text", description.text},
          {"text_tokens", request.ids ? request.ids->size() : 0},
          {"text_hash", request.ids ? json(text_hash(*request.ids)) : json()},
          {"tokens", description.token_limit ? json(*description.token_limit) : json()},
          {"policy", request.policy},
          {"dtype", dtype_name(model.dtype)},
          {"dtype_reason", model.dtype_reason},
          {"device", device_name(model.device)},
          {"threads", model.threads},
          {"seed", description.seed},
          {"prefix", description.prefix},
          {"force_hits", description.force_hits.empty() ? json() : json(description.force_hits)},
          {"config", request.config},
          {"command_line", description.command_line},
          {"environment", environment_json(description.model)}};
}

json summary_json(const RunSummary& summary, const RunDescription& description) {
  const auto or_null = [](const auto& value) { return value ? json(*value) : json(); };
  const double rate = summary.seconds > 0 ? static_cast<double>(summary.tokens) / summary.seconds : 0;
  return {{"model", description.model.config.name},
          {"adapter", description.model.adapter.empty() ? json() : json(description.model.adapter)},
          {"weights_hash", description.model.weights_hash},
          {"policy", description.request.policy},
          {"dtype", dtype_name(description.model.dtype)},
          {"dtype_reason", description.model.dtype_reason},
          {"device", device_name(description.model.device)},
          {"tokens", summary.tokens},
          {"targets", summary.targets},
          {"segments", summary.segments},
          {"nll_mean", or_null(summary.nll_mean())},
          {"ppl", or_null(summary.ppl())},
          {"seconds", summary.seconds},
          {"tokens_per_s", rate},
          {"peak_memory_bytes", summary.peak_memory_bytes},
          {"near_ties", summary.near_ties},
          {"sinks_lost", or_null(summary.sinks_lost)},
          {"sinks_lost_share", or_null(summary.sinks_lost_share())},
          {"cancelled", summary.cancelled},
          {"memory", summary.memory},
          {"time", summary.time}};
}

struct RunFolder::Files {
  std::string directory;
  RunDescription description;
  std::unique_ptr<FolderLock> lock;  ///< for as long as the run is written
  bool made_folder = false;
  bool keep = true;  ///< false while the files belong to this run and hold no segment yet
  std::unique_ptr<OutputFile> segments, hits, nll, index;
  RunIndexWriter index_writer;
  std::unique_ptr<NpyFile> maps, sinks;  ///< made where a snapshot has some
  std::int64_t appended = 0;

  ~Files() {
    maps.reset();
    sinks.reset();
    segments.reset();
    hits.reset();
    nll.reset();
    index.reset();
    if (keep) return;
    std::error_code ignored;
    for (const char* name : kFileNames) fs::remove(path(name), ignored);
    lock.reset();
    if (made_folder) fs::remove(directory, ignored);
  }

  std::string path(const char* name) const { return (fs::path(directory) / name).string(); }
  void append_maps(const SegmentSnapshot& snapshot);

 private:
  /// `file` is made with the first snapshot whose map is kept; rows of those before it are of an empty one.
  template <typename Row>
  void append_row(std::unique_ptr<NpyFile>& file, const char* name, std::vector<std::int64_t> shape, const Map& map,
                  const SegmentSnapshot& snapshot, const Row& row) {
    if (!file && map.values.empty()) return;
    if (!file) {
      file = std::make_unique<NpyFile>(path(name), std::move(shape));
      for (std::int64_t i = 0; i < appended; ++i) file->append(row(SegmentSnapshot{}));
    }
    file->append(row(snapshot));
  }
};

void RunFolder::Files::append_maps(const SegmentSnapshot& snapshot) {
  const std::int64_t layers = description.model.config.layers,
                     slots = carry_slots(description.request.config, description.model.config);
  append_row(maps, "carry_maps.npy", {3, layers, slots}, snapshot.carry_key_norm, snapshot,
             [&](const SegmentSnapshot& of) { return carry_map_row(of, layers, slots); });
  append_row(sinks, "sinks.npy", {layers, std::ssize(kSinkColumns)}, snapshot.sinks, snapshot,
             [&](const SegmentSnapshot& of) { return sinks_row(of, layers); });
}

RunFolder::RunFolder(const std::string& directory, const RunDescription& description, bool overwrite)
    : files_(std::make_unique<Files>()) {
  files_->made_folder = make_folder(directory, overwrite);
  files_->lock = std::make_unique<FolderLock>(directory);
  files_->directory = directory;
  files_->description = description;
  files_->keep = false;
  std::error_code ignored;
  for (const char* name : kFileNames) fs::remove(files_->path(name), ignored);
  write_file_atomically(files_->path("config.json"), json_text(config_json(description), 2) + "\n");
  const auto& ids = description.request.ids;
  const std::span<const std::int32_t> tokens = ids ? std::span(*ids) : std::span<const std::int32_t>();
  write_file_atomically(files_->path("ids.npy"), npy_bytes(npy_array(tokens, {std::ssize(tokens)})));
  files_->segments = std::make_unique<OutputFile>(files_->path("segments.jsonl"));
  files_->hits = std::make_unique<OutputFile>(files_->path("hits.jsonl"));
  files_->nll = std::make_unique<OutputFile>(files_->path("nll.json"));
  files_->nll->append("[]\n");
  files_->index = std::make_unique<OutputFile>(files_->path("index.bin"));
  files_->index->append(files_->index_writer.head());
}

RunFolder::~RunFolder() = default;

const std::string& RunFolder::directory() const {
  return files_->directory;
}

void RunFolder::append(const SegmentSnapshot& snapshot) {
  std::string hits, losses;
  for (const HeadHits& head_hits : snapshot.hits) hits += json_text(head_hits) + "\n";
  OutputFile& nll = *files_->nll;
  for (float value : snapshot.target_nll) {
    if (nll.size() > 3 || !losses.empty()) losses += ",";
    append_number(losses, value);
  }
  files_->hits->append(hits);
  nll.replace_end(nll.size() - 2, losses + "]\n", "]\n");
  files_->append_maps(snapshot);
  files_->index->append(files_->index_writer.entry(snapshot, hits, files_->hits->size()));
  ++files_->appended;
  files_->segments->append(json_text(snapshot.record) + "\n");  // last: a listed segment has its hits and losses
  files_->keep = true;
}

void RunFolder::finish(const RunSummary& summary) {
  files_->segments->finish();
  files_->hits->finish();
  files_->nll->finish();
  files_->index->finish();
  if (files_->maps) files_->maps->finish();
  if (files_->sinks) files_->sinks->finish();
  write_file_atomically(files_->path("summary.json"), json_text(summary_json(summary, files_->description), 2) + "\n");
  files_->keep = true;
  files_->lock.reset();
}

StoredRun read_run_numbers(const std::string& directory) {
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) {
    throw EngineError(Fault::Io, directory, "is not a folder", "Name a folder that `carryover run --out` wrote.");
  }
  const auto path = [&](const char* name) { return (fs::path(directory) / name).string(); };
  StoredRun run;
  run.directory = directory;
  run.config = std::make_shared<const json>(read_json_file(path("config.json")));
  if (fs::exists(path("summary.json"), ignored)) {
    run.summary = std::make_shared<const json>(read_json_file(path("summary.json")));
  }
  each_line(path("segments.jsonl"),
            [&](const json& line, const std::string&) { run.segments.push_back(line.get<SegmentRecord>()); });
  run.target_nll = read_nll(path("nll.json"));
  return run;
}

StoredRun read_run_folder(const std::string& directory) {
  StoredRun run = read_run_numbers(directory);
  run.hits = read_hits((fs::path(directory) / "hits.jsonl").string());
  return run;
}

std::vector<float> carry_map_row(const SegmentSnapshot& snapshot, std::int64_t layers, std::int64_t slots) {
  std::vector<float> row(static_cast<std::size_t>(3 * layers * slots), std::nanf(""));
  const Map* planes[] = {&snapshot.carry_key_norm, &snapshot.carry_value_norm, &snapshot.carry_drift};
  auto end = row.begin();
  for (const Map* plane : planes) {
    CARRYOVER_CHECK(plane->columns <= slots && plane->rows <= layers);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      end += slots;
      if (layer >= plane->rows) continue;
      const auto first = plane->values.begin() + layer * plane->columns;
      std::copy_n(first, plane->columns, end - plane->columns);
    }
  }
  return row;
}

std::vector<float> sinks_row(const SegmentSnapshot& snapshot, std::int64_t layers) {
  const auto size = static_cast<std::size_t>(layers) * kSinkColumns.size();
  if (snapshot.sinks.values.empty()) return std::vector<float>(size, std::nanf(""));
  CARRYOVER_CHECK(snapshot.sinks.values.size() == size);
  return snapshot.sinks.values;
}

std::vector<HeadHits> read_hits(const std::string& path) {
  std::vector<HeadHits> hits;
  each_line(path,
            [&](const json& line, const std::string& where) { hits.push_back(head_hits_from_json(line, where)); });
  return hits;
}

}  // namespace carryover
