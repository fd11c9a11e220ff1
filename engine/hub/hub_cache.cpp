// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/hub/hub_cache.h"

#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/formats/file_stamp.h"
#include "engine/formats/input_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/installed/model_walk.h"

namespace carryover {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kCommitDigits = 40;

std::string folder_name(const HubName& name) {
  std::string text = "models--" + name.repository;
  text.replace(text.find('/'), 1, "--");
  return text;
}

}  // namespace

HubCache::HubCache(const std::string& cache, const HubName& name)
    : cache_(cache),
      folder_name_(folder_name(name)),
      repository_((fs::path(cache) / folder_name_).string()),
      name_(name) {
  if (cache.empty())
    throw EngineError(Fault::Usage, name.text(), "has no folder to be in: neither HF_HOME nor HOME is set",
                      "Set HF_HOME to a folder for models.");
}

std::string HubCache::blob(const HubFile& file) const {
  return (fs::path(repository_) / "blobs" / file.blob).string();
}

std::string HubCache::lock_of(const HubFile& file) const {
  return (fs::path(cache_) / ".locks" / folder_name_ / file.blob).string();
}

std::string HubCache::snapshot(const std::string& commit) const {
  return (fs::path(repository_) / "snapshots" / commit).string();
}

std::string HubCache::find_snapshot() const {
  std::string commit = name_.revision;
  try {
    const fs::path ref = fs::path(repository_) / "refs" / name_.revision;
    commit = trimmed(InputFile(ref.string()).read_up_to(0, kCommitDigits), " \n");
  } catch (const EngineError&) {  // a commit has no file there
  }
  std::error_code ignored;
  const std::string folder = snapshot(commit);
  return is_hex(commit, kCommitDigits) && fs::is_directory(folder, ignored) ? folder : std::string();
}

bool HubCache::has(const HubFile& file) const {
  return file_stamp(blob(file)).size == file.bytes;
}

void HubCache::make_folders() const {
  const char* advice = "Set HF_HOME to a folder that you own.";
  make_folder((fs::path(repository_) / "blobs").string(), advice);
  make_folder((fs::path(cache_) / ".locks" / folder_name_).string(), advice);
}

void HubCache::link(const HubFile& file, const std::string& commit) const {
  const fs::path path = fs::path(snapshot(commit)) / file.path;
  const fs::path target = fs::path(blob(file)).lexically_relative(path.parent_path());
  make_folder(path.parent_path().string());
  std::error_code code;
  if (fs::read_symlink(path, code) == target) return;
  fs::remove(path, code);
  fs::create_symlink(target, path, code);
  if (code) throw write_error(path.string(), code.value());
}

void HubCache::write_ref(const std::string& commit) const {
  if (name_.revision == commit) return;
  const fs::path path = fs::path(repository_) / "refs" / name_.revision;
  make_folder(path.parent_path().string());
  write_file_atomically(path.string(), commit);
}

std::string cached_model(const std::string& cache, const HubName& name, RunControl& control) {
  const std::string snapshot = cache.empty() ? cache : HubCache(cache, name).find_snapshot();
  if (snapshot.empty()) return {};
  std::vector<ModelCandidate> models;
  ModelWalk walk(control, [&](const ModelCandidate& candidate) { models.push_back(candidate); });
  find_models_below({{}, snapshot, {}}, walk);
  for (const ModelCandidate& model : models)
    if (model.path == snapshot) return snapshot;
  if (models.size() < 2) return models.empty() ? std::string() : models.front().path;
  std::string list;
  for (const ModelCandidate& model : models) list += "\n  " + model.path;
  throw EngineError(Fault::Usage, name.text(), "is here as several models:" + list, "Give the path of one.");
}

}  // namespace carryover
