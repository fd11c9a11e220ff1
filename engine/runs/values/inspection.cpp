// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/inspection.h"

#include "engine/base/error.h"

namespace carryover {

void check_parts(const InspectionParts& parts) {
  if (parts.map_rows > 0 && parts.map_columns > 0) return;
  throw EngineError(
      Fault::BadInput, "attention map",
      "has no size: " + std::to_string(parts.map_rows) + " rows, " + std::to_string(parts.map_columns) + " columns",
      "Ask for at least one row and one column.");
}

}  // namespace carryover
