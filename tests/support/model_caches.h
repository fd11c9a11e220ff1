// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QtGlobal>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/support/make_gguf.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_model.h"

namespace carryover::test {

/// A home without models: while it lives, the environment names no other folder in which a program may keep some. The
/// variables keep these values when it goes, so that no test reads the home of the person who runs it.
class EmptyHome {
 public:
  EmptyHome() {
    for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
                                 "OLLAMA_MODELS", "LLAMA_CACHE", "CARRYOVER_CACHE"})
      qunsetenv(variable);
    qputenv("HOME", folder_.path().c_str());
  }
  std::filesystem::path operator/(const std::string& name) const { return folder_.path() / name; }
  std::string path() const { return folder_.path().string(); }

 private:
  TempDir folder_{fast_parent()};
};

/// The configuration of a model of a few kilobytes.
inline ModelConfig small_config() {
  return tiny_config(1, 2, 1, 8, 32);
}

/// The file of such a model, with keys of `more` before its tensors.
inline std::string small_gguf(const std::function<void(GgufWriter& writer)>& more = {}) {
  GgufWriter writer;
  add_llama_keys(writer, small_config());
  if (more) more(writer);
  add_llama_tensors(writer, small_config(), random_weights(small_config(), 1));
  return writer.bytes();
}

/// Writes a file and the folders above it.
inline std::string write_below(const std::filesystem::path& path, std::string_view contents) {
  std::filesystem::create_directories(path.parent_path());
  write_bytes(path, contents);
  return path.string();
}

/// Writes a repository of a hub as huggingface_hub does: files are blobs, and a revision's folder has links to them.
/// Returns the folder of the revision.
inline std::filesystem::path write_on_hub(const std::filesystem::path& repository, const std::string& revision,
                                          const std::filesystem::path& files, bool is_main = true) {
  namespace fs = std::filesystem;
  const fs::path snapshot = repository / "snapshots" / revision;
  fs::create_directories(snapshot);
  fs::create_directories(repository / "blobs");
  int count = 0;
  for (const auto& file : fs::directory_iterator(files)) {
    const std::string blob = revision + std::to_string(count++);
    fs::copy_file(file.path(), repository / "blobs" / blob);
    fs::create_symlink(fs::path("../../blobs") / blob, snapshot / file.path().filename());
  }
  if (is_main) write_below(repository / "refs" / "main", revision);
  return snapshot;
}

/// Writes a model into an Ollama store. Returns the path of its blob.
inline std::string write_in_ollama(const std::filesystem::path& store, const std::string& manifest,
                                   const std::string& gguf, const std::string& digit) {
  std::string hex;
  while (hex.size() < 64) hex += digit;
  const nlohmann::json layers{
      {{"mediaType", "application/vnd.ollama.image.license"}, {"digest", "sha256:" + std::string(64, '0')}},
      {{"mediaType", "application/vnd.ollama.image.model"}, {"digest", "sha256:" + hex}, {"size", gguf.size()}}};
  write_below(store / "manifests" / manifest, nlohmann::json{{"schemaVersion", 2}, {"layers", layers}}.dump());
  return write_below(store / "blobs" / ("sha256-" + hex), gguf);
}

}  // namespace carryover::test
