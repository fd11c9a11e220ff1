// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/session/session_fields.h"
#include "widgets/state/listed_run.h"

namespace carryover {

/// The list of runs as a session keeps it: runs, trainings, experiments, evaluations and prompt sets by their places.
/// What-ifs and questions have files of their own, and losses are read again. `place_json` says how the file names a
/// path.
nlohmann::json runs_json(const std::vector<ListedRun>& runs,
                         const std::function<nlohmann::json(const QString& path)>& place_json);
/// `absolute` makes a path of the file absolute. Whatever was in progress is partial now. Throws EngineError{BadInput}.
std::vector<ListedRun> runs_of(const SessionFields& fields,
                               const std::function<QString(const QString& path)>& absolute);
/// Whether a person sees the same list: places, names and tags.
bool same_list(const std::vector<ListedRun>& a, const std::vector<ListedRun>& b);

}  // namespace carryover
