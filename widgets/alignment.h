// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <optional>
#include <string>

#include "engine/core/segment_config.h"

namespace carryover {

/// How the weights were trained to be executed.
struct TrainedUnder {
  SegmentConfig config;
  std::string policy = "segmented";
};

/// segment_config.json of a model's folder, which training writes; nothing where there is none. Throws
/// EngineError{BadInput, Io} where it can't be read.
std::optional<TrainedUnder> read_trained_under(const QString& model);

/// In what a run departs from what the weights were trained under, in words: "grouping", "S 512 (64)" …; empty:
/// aligned.
QStringList misalignments(const TrainedUnder& trained, const SegmentConfig& config, const std::string& policy);

}  // namespace carryover
