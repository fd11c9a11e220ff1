// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "widgets/lab/lab_context.h"

class QWidget;

namespace carryover {

/// The configuration, the grouping and the patterns of heads as JSON files. What reads and writes throws
/// EngineError{BadInput, Io}; what exports and imports asks for a file and shows what went wrong. GUI thread.
void write_config(const SegmentConfig& config, const QString& path);
void write_grouping(const SegmentConfig& config, const QString& path);  ///< with its searchers where they are shared
/// Fields of a SegmentConfig, a grouping alone, or a run folder's config.json ("config" within); checked against
/// `model`.
SegmentConfig read_config(const SegmentConfig& base, const ModelConfig& model, const QString& path);

/// The patterns of heads as MInference's file: with an object for each layer of the model, which it asks for.
void write_patterns(const SegmentConfig& config, const ModelConfig& model, const QString& path);
SegmentConfig read_patterns(const SegmentConfig& base, const ModelConfig& model, const QString& path);

void export_config(LabContext& context, QWidget* parent);
void export_grouping(LabContext& context, QWidget* parent);
void import_config(LabContext& context, QWidget* parent);  ///< undoable
void export_patterns(LabContext& context, QWidget* parent);
void import_patterns(LabContext& context, QWidget* parent);  ///< undoable

}  // namespace carryover
