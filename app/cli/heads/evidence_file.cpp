// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/heads/evidence_file.h"

#include <filesystem>
#include <utility>

#include "engine/api/engine_library.h"
#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

EvidenceFile::EvidenceFile(std::string path, std::string inputs, const ModelInfo& model)
    : path_(std::move(path)), inputs_(std::move(inputs)), model_(model) {
  if (!path_.empty()) lock_.emplace(path_, FolderLock::Of::File);
}

std::optional<nlohmann::json> EvidenceFile::read(const char* key) const {
  if (path_.empty() || !std::filesystem::exists(path_)) return std::nullopt;
  const nlohmann::json told = read_json_file(path_);
  const JsonFields fields(told, path_);
  if (fields.find_text("inputs") != inputs_)
    throw EngineError(Fault::Usage, path_, "was made from other texts, settings or weights",
                      "Name another file, or remove this one.");
  const nlohmann::json* found = fields.find(key);
  return found != nullptr ? *found : nlohmann::json();
}

void EvidenceFile::write(nlohmann::json findings) const {
  if (path_.empty()) return;
  findings["model"] = model_.path;
  findings["weights"] = model_.weights_hash;
  findings["inputs"] = inputs_;
  write_file_atomically(path_, json_text(findings, 2) + "\n");
}

}  // namespace carryover
