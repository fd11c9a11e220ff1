// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/error_report.h"

#include "engine/base/current_error.h"

namespace carryover {

ErrorReport report_of(const EngineError& error) {
  return {error.fault(), QString::fromStdString(error.where()), QString::fromStdString(error.problem()),
          QString::fromStdString(error.advice())};
}

std::optional<ErrorReport> attempt(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (...) {
    return report_of(current_error());
  }
}

}  // namespace carryover
