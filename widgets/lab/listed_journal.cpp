// SPDX-License-Identifier: GPL-3.0-or-later
// This stands apart from listed_run.cpp because session files are also read without the window (fuzz/session_fuzz.cpp).
#include "widgets/lab/listed_run.h"

namespace carryover {

bool is_journal(const ListedRun& run) {
  return run.kind == ListedKind::Run && run.place.endsWith(QStringLiteral(".journal"));
}

}  // namespace carryover
