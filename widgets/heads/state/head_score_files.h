// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/heads/choice/head_scores.h"

namespace carryover {

/// Returns true if the file's name is that of a table of head scores: .tsv or .json.
bool is_head_score_file(const QString& path);

/// Reads DuoAttention's full_attention_heads.tsv, or retrieval-head JSON. Throws EngineError{Io, BadInput}, also if the
/// file is of a model of another shape.
HeadScores read_head_scores(const QString& path, const ModelConfig& model);

/// Writes the scores in the format that the suffix names. Throws EngineError{Usage} for another suffix, {Io}.
void write_head_scores(const HeadScores& scores, const ModelConfig& model, const QString& path);

}  // namespace carryover
