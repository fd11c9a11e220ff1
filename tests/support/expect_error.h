// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>

#include "engine/base/error.h"

namespace carryover::test {

/// The EngineError that `action` throws, or nothing.
template <typename Action>
std::optional<EngineError> error_of(Action action) {
  try {
    action();
  } catch (const EngineError& error) {
    return error;
  }
  return std::nullopt;
}

/// Returns an empty text if `action` throws an EngineError of this fault whose text holds `part`; else what happened
/// instead.
template <typename Action>
std::string unlike(Fault fault, const std::string& part, Action action) {
  const auto error = error_of(action);
  if (!error) return "nothing thrown, expected: " + part;
  const std::string text = error->what();
  if (error->fault() != fault || text.find(part) == std::string::npos) {
    return std::string(fault_name(error->fault())) + ": " + text + " (expected: " + part + ")";
  }
  return {};
}

}  // namespace carryover::test
