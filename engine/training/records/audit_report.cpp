// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/records/audit_report.h"

#include <algorithm>

namespace carryover {

bool AuditReport::passed() const {
  return std::all_of(checks.begin(), checks.end(), [](const AuditCheck& check) { return check.passed(); });
}

}  // namespace carryover
