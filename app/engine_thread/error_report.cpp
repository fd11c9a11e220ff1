// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/error_report.h"

#include <QObject>
#include <new>

namespace carryover {

ErrorReport report_of(const EngineError& error) {
  return {error.fault(), QString::fromStdString(error.where()), QString::fromStdString(error.problem()),
          QString::fromStdString(error.advice())};
}

std::optional<ErrorReport> attempt(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const EngineError& error) {
    return report_of(error);
  } catch (const std::bad_alloc&) {
    return ErrorReport{Fault::OutOfMemory, QObject::tr("memory"), QObject::tr("the machine has no more memory to give"),
                       QObject::tr("Run fewer tokens, choose a smaller model, or close other programs.")};
  } catch (const std::exception& error) {
    return ErrorReport{Fault::Internal, QObject::tr("engine"), QString::fromUtf8(error.what()),
                       QObject::tr("This is an error of the program: please report it with what you did.")};
  }
}

}  // namespace carryover
