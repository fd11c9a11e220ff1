// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/installed/ollama_store.h"

#include "engine/base/text_parts.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace fs = std::filesystem;

namespace {

constexpr int kTagDepth = 3;  ///< folders between manifests/ and a tag: registry, namespace, model

/// Returns "llama3.2:1b" or "user/model:tag" for models of Ollama's registry, and with the host for others, as
/// `ollama list` prints them.
std::string ollama_name(const fs::path& manifest) {
  const fs::path model = manifest.parent_path(), space = model.parent_path(), registry = space.parent_path();
  const std::string name = model.filename().string() + ":" + manifest.filename().string();
  if (registry.filename() != "registry.ollama.ai")
    return registry.filename().string() + "/" + space.filename().string() + "/" + name;
  return space.filename() == "library" ? name : space.filename().string() + "/" + name;
}

/// Returns the file name of the blob that a layer names; empty if the layer is not the model, or its digest is none.
std::string model_blob(const nlohmann::json& layer) {
  constexpr std::string_view kAlgorithm = "sha256";
  constexpr std::size_t kDigits = 64;
  const auto text = [&](const char* key) {
    const bool has = layer.is_object() && layer.contains(key) && layer.at(key).is_string();
    return has ? layer.at(key).get<std::string>() : std::string();
  };
  if (text("mediaType") != "application/vnd.ollama.image.model") return {};
  const std::string digest = text("digest");
  if (digest.size() != kAlgorithm.size() + 1 + kDigits || !digest.starts_with(kAlgorithm)) return {};
  const std::string hex = digest.substr(kAlgorithm.size() + 1);
  return is_hex(hex, kDigits) ? std::string(kAlgorithm) + "-" + hex : std::string();
}

void read_manifest(const ModelPlace& place, ModelWalk& walk, const fs::path& manifest) {
  const auto json = find_json_file(manifest.string(), JsonKind::Settings);
  if (!json || !json->is_object()) return;
  const auto layers = json->find("layers");
  if (layers == json->end() || !layers->is_array()) return;
  ModelCandidate candidate{place.program, ollama_name(manifest), manifest.string(), {}, {}, false};
  for (const nlohmann::json& layer : *layers) {
    const std::string blob = model_blob(layer);
    if (blob.empty()) continue;
    candidate.path = (fs::path(place.folder) / "blobs" / blob).string();
    candidate.weights = {candidate.path};
    break;
  }
  walk.found(candidate);
}

void visit_manifests(const ModelPlace& place, ModelWalk& walk, const fs::path& folder, int depth) {
  for (const fs::directory_entry& entry : walk.enter(folder)) {
    std::error_code gone;
    if (depth < kTagDepth && entry.is_directory(gone)) visit_manifests(place, walk, entry.path(), depth + 1);
    if (depth == kTagDepth && entry.is_regular_file(gone)) read_manifest(place, walk, entry.path());
  }
}

}  // namespace

void find_ollama_models(const ModelPlace& place, ModelWalk& walk) {
  visit_manifests(place, walk, fs::path(place.folder) / "manifests", 0);
}

}  // namespace carryover
