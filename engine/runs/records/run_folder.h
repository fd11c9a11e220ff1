// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runs/values/model_info.h"
#include "engine/runs/values/run_request.h"

namespace carryover {

/// Everything that is needed to repeat a run: the contents of config.json.
struct RunDescription {
  ModelInfo model;
  std::string text;  ///< path, "-" or the ids' file
  RunRequest request;
  std::vector<std::string> command_line;
  std::optional<std::int64_t> token_limit;  ///< the text was cut after this many tokens
  std::uint64_t seed = 0;
  std::string force_hits;         ///< path of the replayed hits, or empty
  std::string id;                 ///< of the run; empty: run_id() of model and request
  std::string prefix = "search";  ///< of run_prefix_names()
  std::string missing_hits;       ///< of a run that was read back: the reason why its forced hits are not known, or
                                  ///< empty
};

/// Returns the contents of config.json: settings under "config", "policy", "dtype", … as `--config` reads them back,
/// and the environment of the run (processor, threads, library versions).
nlohmann::json config_json(const RunDescription& description);

/// Returns "environment" of a config.json: the program's versions, compiler and processor.
nlohmann::json environment_json(const ModelInfo& model);

/// Returns the contents of summary.json; `ppl` and `nll_mean` are null without targets.
nlohmann::json summary_json(const RunSummary& summary, const RunDescription& description);

/// Writes the folder of `carryover run --out DIR` and of the window's saved runs: config.json, ids.npy, segments.jsonl,
/// hits.jsonl, nll.json, summary.json, index.bin (run_index.h), and carry_maps.npy and sinks.npy where snapshots have
/// such maps. Lines are appended as segments close, and each file is whole after each append, also after a failed one;
/// a file that is written at once goes to a temporary name, is synced and renamed. If the folder is destroyed
/// unfinished before any segment closed, nothing is left behind. Owner: the thread that runs. Throws EngineError{Io}
/// when the disk is full or DIR can't be written, and EngineError{Usage} where DIR already holds a run (unless
/// `overwrite`).
class RunFolder {
 public:
  RunFolder(const std::string& directory, const RunDescription& description, bool overwrite);
  ~RunFolder();
  void append(const SegmentSnapshot& snapshot);
  void finish(const RunSummary& summary);
  const std::string& directory() const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

/// A run read back. Throws EngineError{Io, BadInput} with file and line.
struct StoredRun {
  std::string directory;
  std::shared_ptr<const nlohmann::json> config;
  std::shared_ptr<const nlohmann::json> summary;  ///< null where the run did not finish
  std::vector<SegmentRecord> segments;
  std::vector<HeadHits> hits;
  std::vector<float> target_nll;
};
StoredRun read_run_folder(const std::string& directory);
StoredRun read_run_numbers(const std::string& directory);  ///< likewise, without its hits

/// Returns a segment's row of carry_maps.npy: norms of keys, of values, and drift, [layers, slots] each. The last slot
/// is the segment's last token; NaN where there is no value.
std::vector<float> carry_map_row(const SegmentSnapshot& snapshot, std::int64_t layers, std::int64_t slots);

/// Returns a segment's row of sinks.npy, [layers, kSinkColumns]; NaN where it has no map.
std::vector<float> sinks_row(const SegmentSnapshot& snapshot, std::int64_t layers);

/// Reads a hits.jsonl; for --force-hits see forced_hits.h.
std::vector<HeadHits> read_hits(const std::string& path);

}  // namespace carryover
