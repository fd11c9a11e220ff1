// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/tasks/base/task.h"

namespace carryover {

/// Returns the kind's name in this program's files and lists.
inline const char* task_kind_name(TaskKind kind) {
  return kind == TaskKind::Generation ? "generation" : kind == TaskKind::Choice ? "choice" : "perplexity";
}

/// Returns the kind's name in lm-evaluation-harness.
inline const char* harness_output_type(TaskKind kind) {
  return kind == TaskKind::Generation ? "generate_until"
         : kind == TaskKind::Choice   ? "multiple_choice"
                                      : "loglikelihood_rolling";
}

}  // namespace carryover
