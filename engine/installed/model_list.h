// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine/installed/installed_model.h"
#include "engine/installed/model_places.h"
#include "engine/installed/model_walk.h"

namespace carryover {

class RunControl;

/// The models of some places. A plain value; any thread.
struct ModelList {
  std::vector<InstalledModel> models;  ///< by place; in a folder by name, before those of the folders below it
  std::vector<UnreadFolder> unread;    ///< folders that may hold further ones
};

/// Returns the file in which lists remember what they read, in this user's cache; empty if the user has none.
std::string header_cache_file();

/// Lists the models of `places` by their headers, in the order of places; weights are never read. `cache_file`
/// remembers the headers; empty for none. `found`, if it is set, gets each model as it comes, in the calling thread. A
/// file that goes away meanwhile is left out. Throws EngineError{Cancelled} once `control` was asked to stop, after at
/// most one model; what was read by then is remembered. For any one thread: a window calls it in one of its own.
ModelList list_models(const std::vector<ModelPlace>& places, const std::string& cache_file, RunControl& control,
                      const std::function<void(const InstalledModel& model)>& found = {});

}  // namespace carryover
