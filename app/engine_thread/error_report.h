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

/// Says by a worker's signals why its job has no result: it was cancelled, or it failed.
template <typename Worker>
void tell_problem(Worker& worker, const ErrorReport& problem) {
  if (problem.fault == Fault::Cancelled)
    Q_EMIT worker.cancelled();
  else
    Q_EMIT worker.failed(problem);
}

}  // namespace carryover
