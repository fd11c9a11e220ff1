// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "app/engine_thread/command_process.h"

namespace carryover {

/// A command with `--dry-run --json` in a process of its own, which says what the command would take: it reads texts or
/// makes samples, and may measure the machine. GUI thread.
class ForecastProcess : public CommandProcess {
  Q_OBJECT
 public:
  /// What the command printed, for people. Throws EngineError{BadInput} naming `where`.
  using Reader = std::function<QString(const nlohmann::json& printed, const std::string& where)>;
  explicit ForecastProcess(Reader reader, QObject* parent = nullptr);

  /// Of a command as its parts, the program's name first. Nothing while one runs.
  void ask(const std::vector<std::string>& command);

 Q_SIGNALS:
  void done(const QString& forecast);

 protected:
  void conclude(const CommandExit& exit) override;

 private:
  Reader reader_;
};

}  // namespace carryover
