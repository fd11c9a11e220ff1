// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <fstream>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/session.h"

namespace carryover {

/// Everything needed to repeat a run: a config.json's contents.
struct RunDescription {
  ModelInfo model;
  std::string text;  ///< path, "-" or the ids' file
  RunRequest request;
  std::vector<std::string> command_line;
};

/// The folder that `carryover run --out DIR` writes, and the window saves: config.json, segments.jsonl, hits.jsonl,
/// nll.json, summary.json. Lines are appended as segments close; a whole file is written to a temporary name, synced and
/// renamed. Owner: the thread that runs. Throws EngineError{Io} when the disk is full or DIR can't be written, and
/// EngineError{Usage} where DIR already holds a run (unless `overwrite`).
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
  std::shared_ptr<const nlohmann::json> config, summary;
  std::vector<SegmentRecord> segments;
  std::vector<HeadHits> hits;
  std::vector<float> target_nll;
};
StoredRun read_run_folder(const std::string& directory);

/// hits.jsonl of an earlier run, for --force-hits.
std::vector<HeadHits> read_hits(const std::string& path);

/// Writes a whole file so that a reader or a crash never sees half of it. Throws EngineError{Io}.
void write_file_atomically(const std::string& path, std::string_view contents);

}  // namespace carryover
