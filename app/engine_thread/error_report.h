// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <functional>
#include <optional>

#include "engine/base/error.h"

namespace carryover {

/// An EngineError as a value that crosses threads.
struct ErrorReport {
  Fault fault = Fault::Internal;
  QString where, problem, advice;
};

ErrorReport report_of(const EngineError& error);

/// Does the work and gives back what went wrong, if anything: where errors of a working thread are caught.
std::optional<ErrorReport> attempt(const std::function<void()>& work);

}  // namespace carryover
