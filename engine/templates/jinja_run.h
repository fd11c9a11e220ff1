// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace carryover::jinja {

/// The limits for reading or rendering one template. A template comes with a downloaded model, so anybody may have
/// written it.
inline constexpr std::size_t kMaxTemplateBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20;   ///< for the output, and for any string
inline constexpr std::size_t kMaxMadeBytes = std::size_t{256} << 20;  ///< for all strings and lists, kept or not
inline constexpr std::int64_t kMaxSteps = 3'000'000;
inline constexpr std::int64_t kMaxRange = 100'000;  ///< the same as in jinja2's sandbox
inline constexpr std::size_t kMaxNameBytes = 200;   ///< because looking up a name is one step, however long it is
inline constexpr std::size_t kMaxArguments = 255;   ///< for a call or a macro; the same as once in Python
inline constexpr int kMaxSyntaxDepth = 200;         ///< for nested expressions and statements
inline constexpr int kMaxCallDepth = 600;           ///< for expressions and statements that are being evaluated
inline constexpr int kMaxValueDepth = 100;          ///< for lists in lists

/// The state of one reading or rendering: what it has used of the limits, and the line that it has reached. Everything
/// that the functions of this folder refuse is an EngineError whose `where` is the template's name and that line.
/// Owner: one thread.
class Run {
 public:
  explicit Run(std::string name) : name_(std::move(name)) {}

  /// Count work and memory; throw EngineError{BadInput} if a limit is exceeded.
  void step(std::int64_t steps = 1);
  void scan(std::size_t bytes) { step(1 + static_cast<std::int64_t>(bytes / 128)); }  ///< work on so many bytes
  void decode(std::size_t bytes) { step(1 + static_cast<std::int64_t>(bytes / 8)); }  ///< the same, by characters
  void make(std::size_t bytes);                                                       ///< a new string or list

  /// Throws EngineError{BadInput} for a problem of the template or the messages.
  [[noreturn]] void refuse(const std::string& problem) const;
  /// Throws EngineError{Unsupported} for Jinja that this interpreter does not have.
  [[noreturn]] void lack(const std::string& construct) const;

  int line() const { return line_; }
  void set_line(int line) { line_ = line; }

 private:
  friend class Level;
  std::string name_;
  int line_ = 1, level_ = 0;
  std::int64_t steps_ = 0;
  std::size_t made_ = 0;
};

/// One level of the interpreter's own recursion.
class Level {
 public:
  explicit Level(Run& run) : run_(run) {
    if (run_.level_ >= kMaxCallDepth) run_.refuse("macros or expressions are nested too deeply");
    ++run_.level_;
  }
  ~Level() { --run_.level_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  Run& run_;
};

}  // namespace carryover::jinja
