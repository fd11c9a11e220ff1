// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace carryover {

/// The kind of a failure. The command line maps each kind to an exit code.
enum class Fault { Usage, BadInput, Unsupported, OutOfMemory, Io, Cancelled, Shape, Internal };

std::string_view fault_name(Fault fault);

/// An error that a user, a file or a machine can cause. `where` names the file or field, `problem` says what is wrong,
/// `advice` what to do. Caught once, at a thread boundary or in main. Any thread.
class EngineError : public std::runtime_error {
 public:
  EngineError(Fault fault, std::string where, std::string problem, std::string advice = {});

  Fault fault() const { return fault_; }
  const std::string& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& advice() const { return advice_; }

 private:
  Fault fault_;
  std::string where_, problem_, advice_;
};

/// Reports a broken invariant of this program (never of its input): throws EngineError{Internal} with file and line.
[[noreturn]] void fail_check(const char* condition, const char* file, int line);

}  // namespace carryover

/// Checks an invariant, in release builds too.
#define CARRYOVER_CHECK(condition)                                             \
  do {                                                                         \
    if (!(condition)) ::carryover::fail_check(#condition, __FILE__, __LINE__); \
  } while (false)
