// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/campaigns/kernel/text_tables.h"

namespace carryover {

/// Results as evaluation_results() makes them, and where they were read.
struct ResultsFile {
  nlohmann::json results;
  std::string where;
};

/// Results of an evaluation's folder, in the order of its policies, those that are finished; or of one file. Throws
/// EngineError{Io, BadInput} naming the file.
std::vector<ResultsFile> read_results(const std::string& path);

/// Scores with their 95 % intervals, or with the number of samples where these are too few, and the bytes of keys and
/// values: a row for each task and length, a column for each model and policy. Shares have Wilson's intervals, also
/// where an earlier version wrote others. CSV has a row for each of these columns too. Pure: the same results give the
/// same text. Throws EngineError{BadInput} naming the file: it may be anybody's.
std::string evaluation_table(const std::vector<ResultsFile>& files, TableFormat format);

}  // namespace carryover
