// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <string>
#include <vector>

#include "widgets/what_if/state/what_ifs.h"

namespace carryover {

/// A what-if that was run, as a session keeps it. A plain value.
struct KeptWhatIf {
  WhatIfResult result;
  bool in_run = false;  ///< true if it belongs to the session's run
};

inline constexpr int most_kept_what_ifs = 50;  ///< the newest ones

/// Returns the what-ifs that a session keeps.
std::vector<KeptWhatIf> kept_of(const WhatIfs& what_ifs);
/// Returns the file's whole contents. Any thread.
std::string what_ifs_text(const std::vector<KeptWhatIf>& what_ifs);
/// Throws EngineError{Io, BadInput, Unsupported}. Any thread.
std::vector<KeptWhatIf> read_what_ifs(const QString& path);

}  // namespace carryover
