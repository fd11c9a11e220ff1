// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/installed/installed_model.h"
#include "engine/installed/model_places.h"

namespace carryover {

class RunControl;

/// A folder that could not be read, and the system's reason.
struct UnreadFolder {
  std::string path, problem;
};

/// One pass over folders that others may be changing, with links to anywhere. No folder is entered twice, so that a
/// loop of links ends and places within each other give each model once. Owner: one thread.
class ModelWalk {
 public:
  using Found = std::function<void(const ModelCandidate& candidate)>;
  ModelWalk(RunControl& control, Found found) : control_(control), found_(std::move(found)) {}

  /// Returns what a folder holds, by name. Nothing if it was entered before, is no folder or can't be read; the last is
  /// noted. Throws EngineError{Cancelled} once the control was asked to stop.
  std::vector<std::filesystem::directory_entry> enter(const std::filesystem::path& folder);
  void found(const ModelCandidate& candidate) { found_(candidate); }
  const std::vector<UnreadFolder>& unread() const { return unread_; }

 private:
  RunControl& control_;
  Found found_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> entered_;  ///< device and inode
  std::vector<UnreadFolder> unread_;
};

/// Finds Hugging Face folders and GGUF files in a folder and those below it, to a depth of 8. In a cache of Hugging
/// Face's layout (models--ORG--NAME/snapshots/REVISION), a model is called ORG/NAME, with its revision where refs/main
/// names another. A GGUF that is split into parts is one model.
void find_models_below(const ModelPlace& place, ModelWalk& walk);

}  // namespace carryover
