// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

namespace carryover {

class ModelWalk;

/// A folder that may hold models, and the function that finds them in it.
struct ModelPlace {
  std::string program;  ///< "Ollama"; "folder" for one of the user's
  std::string folder;
  void (*find)(const ModelPlace& place, ModelWalk& walk);  ///< a function of model_walk.h or ollama_store.h
};

/// Returns the folders in which programs keep models for this user, as the environment has them, and then `folders`,
/// the user's own. A program has its folders whether or not they exist. Reads the environment: no other thread may
/// change it meanwhile. Throws EngineError{Io} if one of `folders` is not a folder.
std::vector<ModelPlace> model_places(const std::vector<std::string>& folders);

}  // namespace carryover
