// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "app/engine_thread/command_process.h"

namespace carryover {

/// Runs a command with `--dry-run --json` in a process of its own, which forecasts what the command will take: it reads
/// texts or makes samples, and may measure the machine. GUI thread.
class ForecastProcess : public CommandProcess {
  Q_OBJECT
 public:
  /// Turns the command's output into text for people. Throws EngineError{BadInput} naming `where`.
  using Reader = std::function<QString(const nlohmann::json& printed, const std::string& where)>;
  explicit ForecastProcess(Reader reader, QObject* parent = nullptr);

  /// Starts a forecast of a command, given as its words with the program's name first. Does nothing while one runs.
  void ask(const std::vector<std::string>& command);

 Q_SIGNALS:
  void done(const QString& forecast);

 protected:
  void conclude(const CommandExit& exit) override;

 private:
  Reader reader_;
};

}  // namespace carryover
