// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/bench_process.h"

namespace carryover {

BenchProcess::BenchProcess(QObject* parent) : CommandProcess(tr("bench"), parent) {}

void BenchProcess::conclude(const CommandExit& exit) {
  const bool normal = exit.normal && (exit.code == 0 || exit.code == stopped_code);
  if (normal && !exit.said.isEmpty()) {
    BenchReport report;
    const auto problem = attempt([&] {
      report = parse_bench(std::string_view(exit.said.constData(), static_cast<std::size_t>(exit.said.size())),
                           tr("what the bench printed").toStdString());
    });
    if (problem)
      Q_EMIT failed(*problem);
    else
      Q_EMIT done(exit.said, report);
  } else if (exit.stopped || (normal && exit.code == stopped_code)) {
    Q_EMIT stopped();
  } else {
    Q_EMIT failed(what_went_wrong(exit));
  }
}

}  // namespace carryover
