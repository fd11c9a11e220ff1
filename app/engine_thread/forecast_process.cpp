// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/forecast_process.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/formats/json_file.h"

namespace carryover {

ForecastProcess::ForecastProcess(Reader reader, QObject* parent)
    : CommandProcess(tr("dry run"), parent), reader_(std::move(reader)) {}

void ForecastProcess::ask(const std::vector<std::string>& command) {
  start(command, {QStringLiteral("--dry-run"), QStringLiteral("--json")});
}

void ForecastProcess::conclude(const CommandExit& exit) {
  if (exit.stopped) return;
  if (!exit.normal || exit.code != 0) return Q_EMIT failed(what_went_wrong(exit));
  QString forecast;
  const auto problem = attempt([&] {
    const std::string where = tr("what the dry run printed").toStdString();
    const auto printed = parse_json({exit.said.constData(), static_cast<std::size_t>(exit.said.size())}, where);
    forecast = reader_(printed, where);
  });
  if (problem)
    Q_EMIT failed(*problem);
  else
    Q_EMIT done(forecast);
}

}  // namespace carryover
