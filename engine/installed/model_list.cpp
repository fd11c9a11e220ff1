// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/installed/model_list.h"

#include <algorithm>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/formats/cache_folder.h"
#include "engine/formats/folder_path.h"
#include "engine/installed/header_cache.h"
#include "engine/installed/model_facts.h"

namespace carryover {

namespace {

/// Returns the model that a candidate is, or nothing if its files are gone.
std::optional<InstalledModel> read_candidate(const ModelCandidate& candidate, HeaderCache& cache) {
  InstalledModel model{candidate.name, candidate.program, candidate.path, 0, {}};
  HeaderCache::Stamps stamps;
  for (const std::string& file : candidate.weights) {
    stamps.push_back(file_stamp(file));
    model.bytes += std::max<std::int64_t>(0, stamps.back().size);
  }
  for (const std::string& file : candidate.others) stamps.push_back(file_stamp(file));
  if (const ModelFacts* known = cache.find(candidate.path, stamps)) {
    model.facts = *known;
    return model;
  }
  model.facts = read_model_facts(candidate);
  if (file_stamp(candidate.path) == FileStamp()) return std::nullopt;
  cache.store(candidate.path, stamps, model.facts);
  return model;
}

}  // namespace

std::string header_cache_file() {
  const std::string folder = cache_folder("headers");
  return folder.empty() ? std::string() : path_in(folder, "models.json");
}

ModelList list_models(const std::vector<ModelPlace>& places, const std::string& cache_file, RunControl& control,
                      const std::function<void(const InstalledModel& model)>& found) {
  ModelList list;
  HeaderCache cache(cache_file);
  ModelWalk walk(control, [&](const ModelCandidate& candidate) {
    control.checkpoint();
    const auto model = read_candidate(candidate, cache);
    if (!model) return;
    list.models.push_back(*model);
    if (found) found(*model);
  });
  try {
    for (const ModelPlace& place : places) place.find(place, walk);
  } catch (const EngineError&) {
    cache.save();
    throw;
  }
  cache.save();
  list.unread = walk.unread();
  return list;
}

}  // namespace carryover
