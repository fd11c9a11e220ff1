// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTest>
#include <optional>

#include "app/script/script_runner.h"
#include "tests/support/demo_window.h"

namespace carryover::test {

/// Runs a script to its end in a window; what went wrong, or nothing.
inline std::optional<ErrorReport> run_script(MainWindow& window, const QString& text) {
  ScriptRunner runner(window, parse_script(text, QStringLiteral("s.txt")), QStringLiteral("s.txt"));
  std::optional<ErrorReport> problem;
  bool over = false;
  QObject::connect(&runner, &ScriptRunner::finished, &runner, [&] { over = true; });
  QObject::connect(&runner, &ScriptRunner::failed, &runner, [&](const ErrorReport& report) {
    problem = report;
    over = true;
  });
  runner.start();
  if (!QTest::qWaitFor([&] { return over; }, 2 * patience_ms)) qFatal("the script does not end");
  return problem;
}

/// Does the same, and returns the problem as a line; empty if there is none.
inline QString script_problem(MainWindow& window, const QString& text) {
  const auto problem = run_script(window, text);
  return problem ? problem->where + QStringLiteral(": ") + problem->problem + QStringLiteral(". ") + problem->advice
                 : QString();
}

}  // namespace carryover::test
