// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace carryover {

/// A program with pipes at its standard input, output and error; ours are non-blocking. It is given its arguments as
/// they are: no shell is between. It has a session of its own, so that it can be ended with all that it started, and so
/// that a program that would ask for a password on a terminal says so instead of waiting unseen. Owner: one thread.
class ChildProcess {
 public:
  /// `words`: the program (see find_program()) and its arguments. `unset`: variables of this process that it does not
  /// get. Throws EngineError{Io} where there is no such program, or the system can't start it.
  explicit ChildProcess(const std::vector<std::string>& words, const std::vector<std::string>& unset = {});
  /// Closes its input, which ends an engine; where it continues, ends it by signals. Leaves no zombie.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int input() const { return input_; }    ///< to write to
  int output() const { return output_; }  ///< to read from
  int errors() const { return errors_; }  ///< to read from
  pid_t id() const { return id_; }

  void kill();  ///< at once, with all that it started
  /// Waits so long for its end. "exit code 3", "signal 9 (Killed)"; nothing while it runs.
  std::optional<std::string> wait(int milliseconds);

 private:
  pid_t id_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;
  std::optional<std::string> end_;
};

}  // namespace carryover
