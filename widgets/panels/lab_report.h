// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <vector>

namespace carryover {

class LabContext;
class PlotView;

/// A report of the run that the lab shows: its origin and settings, notes and bookmarks, its numbers, beside those of
/// the pinned run where there is one, its what-ifs, the questions that were asked, its segments, its strongest hits
/// with their texts, and these plots as pictures inside the file. `path` ends in .html or .pdf. GUI thread. Throws
/// EngineError{Usage} without a run or on another suffix, and {Io} naming the path.
void write_lab_report(LabContext& context, const std::vector<PlotView*>& plots, const QString& path);

}  // namespace carryover
