// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/hub/file_choice.h"

#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <map>

#include "engine/base/byte_size.h"
#include "engine/base/error.h"
#include "engine/formats/gguf_part_name.h"

namespace carryover {

namespace {

using Files = std::vector<HubFile>;

bool is_pickle(const HubFile& file) {
  constexpr std::string_view kSuffixes[] = {".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"};
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) { return file.path.ends_with(suffix); });
}

bool is_safetensors(const HubFile& file) {
  return file.path.ends_with(".safetensors") && file.path.find('/') == std::string::npos;
}

/// Files of a folder, beside its weights, that this program or transformers reads.
bool is_description(const HubFile& file) {
  constexpr std::string_view kNames[] = {"config.json",
                                         "generation_config.json",
                                         "tokenizer.json",
                                         "tokenizer_config.json",
                                         "tokenizer.model",
                                         "vocab.json",
                                         "merges.txt",
                                         "vocab.txt",
                                         "added_tokens.json",
                                         "chat_template.jinja",
                                         "special_tokens_map.json",
                                         "chat_template.json",
                                         "model.safetensors.index.json"};
  return std::ranges::find(kNames, file.path) != std::end(kNames);
}

template <typename Wanted>
Files files_that(const HubModel& model, Wanted wanted) {
  Files files;
  std::ranges::copy_if(model.files, std::back_inserter(files), wanted);
  return files;
}

/// Returns a repository's safetensors: those that are called as transformers calls a model's, where there are any,
/// since other programs' copies of the same weights may lie beside them.
Files safetensors_of(const HubModel& model) {
  Files files =
      files_that(model, [](const HubFile& file) { return is_safetensors(file) && file.path.starts_with("model"); });
  return files.empty() ? files_that(model, is_safetensors) : files;
}

/// Returns the GGUFs by the pattern that matches all parts of one, and that one alone.
std::map<std::string, Files> ggufs_of(const HubModel& model) {
  std::map<std::string, Files> ggufs;
  for (const HubFile& file : model.files) {
    if (!file.path.ends_with(".gguf")) continue;
    if (file.path.substr(file.path.rfind('/') + 1).starts_with("mmproj")) continue;  // of a model that sees
    const auto part = GgufPartName::of(file.path);
    ggufs[part ? part->stem + "-*" + part->extension : file.path].push_back(file);
  }
  return ggufs;
}

std::int64_t bytes_of(const Files& files) {
  std::int64_t bytes = 0;
  for (const HubFile& file : files) bytes += file.bytes;
  return bytes;
}

[[noreturn]] void refuse_pickles(const HubModel& model, const std::string& pickle) {
  throw EngineError(Fault::Unsupported, model.name.text(),
                    "is there as a pickle (" + pickle + "), which can run any program when it is read",
                    "Look for a revision or another repository with safetensors or GGUF files.");
}

[[noreturn]] void ask_which(const HubModel& model, const std::map<std::string, Files>& ggufs) {
  std::string list;
  for (const auto& [pattern, files] : ggufs)
    list += "\n  " + size_text(static_cast<double>(bytes_of(files))) + "  " + pattern;
  throw EngineError(
      Fault::Usage, model.name.text(), "has several GGUF models:" + list,
      "Choose one: `carryover fetch " + model.name.text() + " --include '" + ggufs.begin()->first + "'`.");
}

Files matching(const HubModel& model, const std::vector<std::string>& patterns) {
  const auto matches = [&](const HubFile& file) {
    return std::ranges::any_of(
        patterns, [&](const std::string& pattern) { return ::fnmatch(pattern.c_str(), file.path.c_str(), 0) == 0; });
  };
  const Files found = files_that(model, matches);
  if (found.empty())
    throw EngineError(Fault::Usage, "--include", "matches no file of " + model.name.text(),
                      "`carryover fetch " + model.name.text() + " --dry-run --include '*'` lists its files.");
  Files files;
  std::ranges::copy_if(found, std::back_inserter(files), std::not_fn(is_pickle));
  if (files.empty()) refuse_pickles(model, found.front().path);
  return files;
}

}  // namespace

Files choose_files(const HubModel& model, const std::vector<std::string>& patterns) {
  if (!patterns.empty()) return matching(model, patterns);
  Files files = files_that(model, is_description);
  const bool has_config = std::ranges::any_of(files, [](const auto& file) { return file.path == "config.json"; });
  if (const Files weights = safetensors_of(model); has_config && !weights.empty()) {
    files.insert(files.end(), weights.begin(), weights.end());
    return files;
  }
  const std::map<std::string, Files> ggufs = ggufs_of(model);
  if (ggufs.size() == 1) return ggufs.begin()->second;
  if (!ggufs.empty()) ask_which(model, ggufs);
  if (const Files pickles = files_that(model, is_pickle); !pickles.empty()) refuse_pickles(model, pickles.front().path);
  throw EngineError(Fault::Unsupported, model.name.text(), "has neither safetensors with a config.json nor a GGUF",
                    "See its files at the hub; --include fetches those that match a pattern.");
}

}  // namespace carryover
