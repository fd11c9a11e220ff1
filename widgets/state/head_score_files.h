// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/core/analysis/head_scores.h"

namespace carryover {

/// Whether a file's name is one of a table of scores: .tsv or .json.
bool is_head_score_file(const QString& path);

/// DuoAttention's full_attention_heads.tsv, or retrieval-head JSON. Throws EngineError{Io, BadInput}; so where the file
/// is of a model of another shape.
HeadScores read_head_scores(const QString& path, const ModelConfig& model);

/// In the format that the suffix names. Throws EngineError{Usage} for another one, {Io}.
void write_head_scores(const HeadScores& scores, const ModelConfig& model, const QString& path);

}  // namespace carryover
