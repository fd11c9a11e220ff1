// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/formats/folder_lock.h"
#include "engine/formats/output_file.h"

namespace carryover {

/// The file in which `needles` keeps its answers: JSON lines. The first line says what was measured; each method has a
/// line with its settings, and each document under a method a line with the answers. The file is locked while it is
/// open, so that one process at a time writes it, and only grows: an unfinished last line of a killed process is
/// removed. Owner: one thread.
class NeedleResults {
 public:
  /// Continues the file, or begins it. `plan` is its first line; a published file may have more members (its date).
  /// Each of `methods` has a `name` and a `config`. Throws EngineError{BadInput} where the file is no such file, or has
  /// another plan or other settings of a method, {Usage} where another process writes it, {Io} where it can't be
  /// written; the file is then unchanged.
  NeedleResults(const std::string& path, const nlohmann::json& plan, const std::vector<nlohmann::json>& methods);

  /// Returns true if the file has the answers to a document, which `segments`, `seed`, `document` and `method` of
  /// `line` name.
  bool has(const nlohmann::json& line) const { return done_.contains(key_of(line)); }
  /// Returns the answers so far, in the order of the file.
  const std::vector<nlohmann::json>& lines() const { return lines_; }
  /// Adds an answer. Throws EngineError{Io}; the file is then unchanged.
  void add(nlohmann::json line);

 private:
  static std::string key_of(const nlohmann::json& line);
  void remember(nlohmann::json line);

  FolderLock lock_;
  std::optional<OutputFile> file_;
  std::vector<nlohmann::json> lines_;
  std::set<std::string> done_;
};

}  // namespace carryover
