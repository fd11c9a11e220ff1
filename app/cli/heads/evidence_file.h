// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/formats/folder_lock.h"

namespace carryover {

struct ModelInfo;

/// The file of --evidence: what a search for heads has found so far and what it was made from. The same command
/// continues from it. It is locked while it is open, so that one process at a time continues and writes it; without a
/// path it reads and writes nothing. Owner: one thread; the model outlives it.
class EvidenceFile {
 public:
  /// `inputs`: a fingerprint of all that decides the findings. Throws EngineError{Usage} where another process has the
  /// file open, {Io} where it can't be locked.
  EvidenceFile(std::string path, std::string inputs, const ModelInfo& model);

  /// The findings under `key`; nothing where there are none yet. Throws EngineError{Usage} where they were made from
  /// other inputs, {Io, BadInput}.
  std::optional<nlohmann::json> read(const char* key) const;
  /// Replaces the file by `findings`, an object, and what they were made from. Throws EngineError{Io}; the file is
  /// then as it was.
  void write(nlohmann::json findings) const;

 private:
  std::string path_, inputs_;
  const ModelInfo& model_;
  std::optional<FolderLock> lock_;
};

}  // namespace carryover
