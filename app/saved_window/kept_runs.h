// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/saved_window/session_fields.h"
#include "widgets/lab/listed_run.h"

namespace carryover {

/// Returns the list of runs as a session keeps it: runs, trainings, experiments, evaluations and prompt sets by their
/// places. What-ifs and questions have files of their own, and losses are read again. `place_json` writes a path as the
/// file names it.
nlohmann::json runs_json(const std::vector<ListedRun>& runs,
                         const std::function<nlohmann::json(const QString& path)>& place_json);
/// Reads that list. `absolute` makes a path of the file absolute. Runs that were in progress are partial now. Throws
/// EngineError{BadInput}.
std::vector<ListedRun> runs_of(const SessionFields& fields,
                               const std::function<QString(const QString& path)>& absolute);
/// Returns true if a person sees the same list: places, names and tags.
bool same_list(const std::vector<ListedRun>& a, const std::vector<ListedRun>& b);

}  // namespace carryover
