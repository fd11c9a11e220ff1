// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <QVariant>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// The steps by which a head's prefix comes about (app:retrieval), in order.
enum class SearchStep { Summaries, Scores, TopK, Anchors, Expansion, Padding };
constexpr int search_step_count = 6;
std::vector<SearchStep> steps_of(const SegmentConfig& config);  ///< those that its search has
QString search_step_name(SearchStep step, const SegmentConfig& config);

/// The result of a step, as a table. A plain value.
struct StepRows {
  QStringList columns;
  struct Row {
    QVariantList cells;          ///< texts, and scores as numbers
    std::int64_t position = -1;  ///< that the row is about; −1: none
  };
  std::vector<Row> rows;
};

/// Describes a step in words, with its numbers: "16 of 3 584 keys for each of 16 summaries: 101 different ones".
QString describe_step(SearchStep step, const SearchSteps& steps, const SegmentConfig& config);
/// Returns the step's result as rows. `text` returns the text around a position.
StepRows rows_of_step(SearchStep step, const SearchSteps& steps, const std::function<QString(std::int64_t)>& text);
/// Returns the slots that are there after a step: anchors, then what they expand to, then padding.
std::vector<Hit> slots_after(SearchStep step, const SearchSteps& steps);
/// Returns the names of the summaries: the queries that each is the mean of, the last one "tail".
std::vector<QString> summary_names(const SearchSteps& steps);

}  // namespace carryover
