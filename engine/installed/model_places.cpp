// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/installed/model_places.h"

#include <filesystem>

#include "engine/base/error.h"
#include "engine/installed/model_walk.h"
#include "engine/installed/ollama_store.h"
#include "engine/installed/place_rule.h"

namespace carryover {

namespace {

/// A program's cache. Of each list of rules, the first holds whose variable is set.
struct ProgramCache {
  const char* program;
  std::vector<std::vector<PlaceRule>> folders;
  void (*find)(const ModelPlace& place, ModelWalk& walk);
};

/// Hugging Face's is first: with that variable unset, llama.cpp keeps models there since March 2026.
const std::vector<ProgramCache>& program_caches() {
  static const std::vector<ProgramCache> table{
      {"Carryover",
       {{{"CARRYOVER_CACHE", "models"}, {"XDG_CACHE_HOME", "carryover/models"}, {"HOME", ".cache/carryover/models"}}},
       find_models_below},
      {"Hugging Face", {hub_cache_rules()}, find_models_below},
      {"Ollama",
       {{{"OLLAMA_MODELS", ""}, {"HOME", ".ollama/models"}}, {{nullptr, "/usr/share/ollama/.ollama/models"}}},
       find_ollama_models},
      {"LM Studio", {{{"HOME", ".lmstudio/models"}}, {{"HOME", ".cache/lm-studio/models"}}}, find_models_below},
      {"llama.cpp",
       {{{"LLAMA_CACHE", ""}, {"XDG_CACHE_HOME", "llama.cpp"}, {"HOME", ".cache/llama.cpp"}}},
       find_models_below},
      {"GPT4All",
       {{{"XDG_DATA_HOME", "nomic.ai/GPT4All"}, {"HOME", ".local/share/nomic.ai/GPT4All"}}},
       find_models_below},
      {"Jan",
       {{{"XDG_DATA_HOME", "Jan/data/llamacpp/models"}, {"HOME", ".local/share/Jan/data/llamacpp/models"}},
        {{"XDG_DATA_HOME", "Jan/data/models"}, {"HOME", ".local/share/Jan/data/models"}},
        {{"HOME", "jan/models"}}},
       find_models_below},
  };
  return table;
}

/// Returns the path of a user's folder, absolute, so that the paths below it are good in any folder.
std::string checked_folder(const std::string& folder) {
  std::error_code failed;
  const auto status = std::filesystem::status(folder, failed);
  if (!std::filesystem::exists(status)) {
    const bool missing = status.type() == std::filesystem::file_type::not_found;
    throw EngineError(Fault::Io, folder, missing ? "does not exist" : "can't be examined: " + failed.message(),
                      "Give a folder that holds models.");
  }
  if (!std::filesystem::is_directory(status))
    throw EngineError(Fault::Io, folder, "is not a folder", "Give the folder that holds it.");
  const auto whole = std::filesystem::absolute(folder, failed).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).string();
}

}  // namespace

std::vector<ModelPlace> model_places(const std::vector<std::string>& folders) {
  std::vector<ModelPlace> places;
  for (const ProgramCache& cache : program_caches())
    for (const std::vector<PlaceRule>& rules : cache.folders)
      if (const std::string folder = place_path(rules); !folder.empty())
        places.push_back({cache.program, folder, cache.find});
  for (const std::string& folder : folders) places.push_back({"folder", checked_folder(folder), find_models_below});
  return places;
}

}  // namespace carryover
