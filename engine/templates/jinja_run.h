// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace carryover::jinja {

/// What reading or rendering one template may cost. A template comes with a downloaded model, so anybody may have
/// written it.
inline constexpr std::size_t kMaxTemplateBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20;   ///< of the output, and of any string
inline constexpr std::size_t kMaxMadeBytes = std::size_t{256} << 20;  ///< strings and lists, kept or not
inline constexpr std::int64_t kMaxSteps = 3'000'000;
inline constexpr std::int64_t kMaxRange = 100'000;  ///< jinja2's sandbox has the same
inline constexpr std::size_t kMaxNameBytes = 200;   ///< looking for a name is one step, however long
inline constexpr std::size_t kMaxArguments = 255;   ///< of a call or a macro; Python once had the same
inline constexpr int kMaxSyntaxDepth = 200;         ///< of nested expressions and statements
inline constexpr int kMaxCallDepth = 600;           ///< of expressions and statements that are being evaluated
inline constexpr int kMaxValueDepth = 100;          ///< of lists in lists

/// The limits of one reading or rendering, and the line that it has reached. Everything that the functions of this
/// folder refuse is an EngineError whose `where` is the template's name and that line. Owner: one thread.
class Run {
 public:
  explicit Run(std::string name) : name_(std::move(name)) {}

  /// Throw EngineError{BadInput} where a limit is passed.
  void step(std::int64_t steps = 1);
  void scan(std::size_t bytes) { step(1 + static_cast<std::int64_t>(bytes / 128)); }  ///< work on so many bytes
  void decode(std::size_t bytes) { step(1 + static_cast<std::int64_t>(bytes / 8)); }  ///< the same, by characters
  void make(std::size_t bytes);                                                       ///< a new string or list

  /// `problem` is the template's or the messages' fault.
  [[noreturn]] void refuse(const std::string& problem) const;
  /// Jinja that this interpreter does not have: EngineError{Unsupported}.
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
