// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "widgets/state/lab_context.h"

class QWidget;

namespace carryover {

/// The configuration and the grouping as JSON files. The first three throw EngineError{BadInput, Io}; the dialogs ask
/// for a file and show what went wrong. GUI thread.
void write_config(const SegmentConfig& config, const QString& path);
void write_grouping(const SegmentConfig& config, const QString& path);  ///< with its searchers where they are shared
/// Fields of a SegmentConfig, a grouping alone, or a run folder's config.json ("config" within); checked against
/// `model`.
SegmentConfig read_config(const SegmentConfig& base, const ModelConfig& model, const QString& path);

void export_config(LabContext& context, QWidget* parent);
void export_grouping(LabContext& context, QWidget* parent);
void import_config(LabContext& context, QWidget* parent);  ///< undoable

}  // namespace carryover
