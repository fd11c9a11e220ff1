// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/campaigns/kernel/text_tables.h"

namespace carryover {

/// Perplexity of every recipe under every evaluation at every length: over books, the mean of a book's loss, which is
/// the mean over its seeds. Pure: the same results give the same text. Throws EngineError{BadInput} naming `where`
/// where they are no results.json.
std::string experiment_table(const nlohmann::json& results, TableFormat format, const std::string& where);

/// The whole report in Markdown: what was asked, tables of perplexity, comparisons with intervals, loss by offset, the
/// frontier, trainings. `level`: of its first heading. Pure, and throws likewise.
std::string experiment_report(const nlohmann::json& results, const std::string& where, int level = 1);

}  // namespace carryover
