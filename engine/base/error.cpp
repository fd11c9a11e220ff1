// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/error.h"

namespace carryover {

namespace {
std::string sentence(const std::string& where, const std::string& problem, const std::string& advice) {
  std::string text = where.empty() ? problem : where + ": " + problem;
  if (!advice.empty()) text += "\n  " + advice;
  return text;
}
}  // namespace

std::string_view fault_name(Fault fault) {
  switch (fault) {
    case Fault::Usage:
      return "usage";
    case Fault::BadInput:
      return "bad input";
    case Fault::Unsupported:
      return "unsupported";
    case Fault::OutOfMemory:
      return "out of memory";
    case Fault::Io:
      return "input/output";
    case Fault::Cancelled:
      return "cancelled";
    case Fault::Shape:
      return "shape";
    case Fault::Internal:
      return "internal";
  }
  return "unknown";
}

EngineError::EngineError(Fault fault, std::string where, std::string problem, std::string advice)
    : std::runtime_error(sentence(where, problem, advice)),
      fault_(fault),
      where_(std::move(where)),
      problem_(std::move(problem)),
      advice_(std::move(advice)) {}

void fail_check(const char* condition, const char* file, int line) {
  throw EngineError(Fault::Internal, std::string(file) + ":" + std::to_string(line),
                    std::string("check failed: ") + condition,
                    "This is a bug in Carryover; please report it with this line.");
}

}  // namespace carryover
