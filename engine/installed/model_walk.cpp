// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/installed/model_walk.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/base/text_parts.h"
#include "engine/formats/gguf_part_name.h"
#include "engine/formats/input_file.h"

namespace carryover {

namespace fs = std::filesystem;

namespace {

constexpr int kDeepestFolder = 8;  ///< a hub's snapshot is at 3, LM Studio's files at 2

/// Returns true if the name ends so, in letters of either case. `suffix` is in lower case.
bool has_suffix(std::string_view name, std::string_view suffix) {
  const auto same = [](char of_suffix, char c) { return of_suffix == (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); };
  return name.size() > suffix.size() && std::equal(suffix.begin(), suffix.end(), name.end() - std::ssize(suffix), same);
}

/// Returns the revision that a hub's repository calls main; empty if it names none.
std::string main_revision(const fs::path& repository) {
  constexpr std::int64_t kMostBytes = 200;
  try {
    return std::string(trimmed(InputFile((repository / "refs" / "main").string()).read_up_to(0, kMostBytes), " \n"));
  } catch (const EngineError&) {
    return {};
  }
}

/// Returns the name of what is at `path` below a place's folder: its path from there, or its name on the hub.
std::string name_below(const fs::path& folder, const fs::path& path) {
  constexpr std::string_view kRepository = "models--";
  constexpr std::size_t kRevisionDigits = 8;
  const fs::path relative = path == folder ? path.filename() : path.lexically_relative(folder);
  std::string name;
  fs::path above = path == folder ? folder.parent_path() : folder;
  for (auto part = relative.begin(); part != relative.end(); ++part) {
    std::string text = part->string();
    const auto snapshots = std::next(part);
    const bool on_hub = text.starts_with(kRepository) && snapshots != relative.end() && *snapshots == "snapshots" &&
                        std::next(snapshots) != relative.end();
    above /= *part;
    if (on_hub) {
      text.erase(0, kRepository.size());
      if (const auto dashes = text.find("--"); dashes != std::string::npos) text.replace(dashes, 2, "/");
      part = std::next(snapshots);
      if (const std::string revision = part->string(); revision != main_revision(above))
        text += "@" + revision.substr(0, kRevisionDigits);
      name.clear();
    }
    name += (name.empty() ? "" : "/") + text;
  }
  return name;
}

/// The files of one folder that make models.
struct FolderFiles {
  bool has_config = false;
  std::vector<std::string> safetensors, indices;
  std::vector<std::vector<std::string>> ggufs;  ///< of each model its parts in order, or the one file
  std::map<std::string, std::size_t> places;    ///< the index in `ggufs` of a model, by the name of its first part
};

void sort_in(const fs::path& path, FolderFiles& files) {
  const std::string name = path.filename().string();
  if (name == "config.json") files.has_config = true;
  if (name == "model.safetensors.index.json") files.indices.push_back(path.string());
  if (has_suffix(name, ".safetensors")) files.safetensors.push_back(path.string());
  if (!has_suffix(name, ".gguf")) return;
  const auto part = GgufPartName::of(name);
  const auto [known, is_new] = files.places.emplace(part ? part->path(1) : name, files.ggufs.size());
  if (is_new) files.ggufs.emplace_back();
  files.ggufs[known->second].push_back(path.string());
}

bool may_matter(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "config.json" || name == "model.safetensors.index.json" || has_suffix(name, ".safetensors") ||
         has_suffix(name, ".gguf");
}

/// Returns the safetensors files that a model is read from, if there are any, or all: adapters and other formats of the
/// same weights may lie beside them.
std::vector<std::string> model_weights(const std::vector<std::string>& files) {
  std::vector<std::string> own;
  for (const std::string& file : files)
    if (fs::path(file).filename().string().starts_with("model")) own.push_back(file);
  return own.empty() ? files : own;
}

void report_models(const ModelPlace& place, ModelWalk& walk, const fs::path& folder, const FolderFiles& files) {
  if (files.has_config && !files.safetensors.empty()) {
    ModelCandidate candidate{
        place.program, name_below(place.folder, folder), folder.string(), {}, {(folder / "config.json").string()},
        true};
    candidate.weights = model_weights(files.safetensors);
    candidate.others.insert(candidate.others.end(), files.indices.begin(), files.indices.end());
    walk.found(candidate);
  }
  for (const std::vector<std::string>& parts : files.ggufs) {
    const fs::path named = fs::path(parts.front()).parent_path() / fs::path(parts.front()).stem();
    walk.found({place.program, name_below(place.folder, named), parts.front(), parts, {}, false});
  }
}

void visit_folder(const ModelPlace& place, ModelWalk& walk, const fs::path& folder, int depth) {
  FolderFiles files;
  std::vector<fs::path> below;
  for (const fs::directory_entry& entry : walk.enter(folder)) {
    std::error_code gone;
    if (may_matter(entry.path()) && entry.is_regular_file(gone))
      sort_in(entry.path(), files);
    else if (entry.is_directory(gone))
      below.push_back(entry.path());
  }
  report_models(place, walk, folder, files);
  if (depth == kDeepestFolder) return;
  for (const fs::path& path : below) visit_folder(place, walk, path, depth + 1);
}

}  // namespace

std::vector<fs::directory_entry> ModelWalk::enter(const fs::path& folder) {
  control_.checkpoint();
  std::vector<fs::directory_entry> entries;
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) unread_.push_back({folder.string(), std::strerror(errno)});
    return entries;
  }
  if (!S_ISDIR(status.st_mode)) return entries;
  if (!entered_.emplace(status.st_dev, status.st_ino).second) return entries;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed))
    entries.push_back(*entry);
  if (failed && failed != std::errc::no_such_file_or_directory) unread_.push_back({folder.string(), failed.message()});
  std::ranges::sort(entries, {}, [](const fs::directory_entry& entry) { return entry.path().native(); });
  return entries;
}

void find_models_below(const ModelPlace& place, ModelWalk& walk) {
  visit_folder(place, walk, place.folder, 0);
}

}  // namespace carryover
