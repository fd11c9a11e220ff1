// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace carryover {

/// A prompt set to be run with the settings of the next run. A plain value.
struct PromptOrder {
  QString prompts;  ///< a .jsonl
  QString against;  ///< a control of `run --against`; empty: none
  QString out;      ///< folder of its runs
};

}  // namespace carryover
