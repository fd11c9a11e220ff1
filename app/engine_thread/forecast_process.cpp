// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/forecast_process.h"

#include "engine/formats/json_file.h"

namespace carryover {

ForecastProcess::ForecastProcess(QObject* parent) : CommandProcess(tr("dry run"), parent) {}

void ForecastProcess::conclude(const CommandExit& exit) {
  if (exit.stopped) return;
  if (!exit.normal || exit.code != 0) return Q_EMIT failed(what_went_wrong(exit));
  ExperimentForecast forecast;
  const auto problem = attempt([&] {
    const std::string where = tr("what the dry run printed").toStdString();
    const auto printed = parse_json({exit.said.constData(), static_cast<std::size_t>(exit.said.size())}, where);
    const JsonFields fields(printed, where);
    forecast.cells = fields.integer("cells");
    forecast.done = fields.integer("done");
    forecast.seconds = fields.find_number("seconds").value_or(0);
    forecast.bytes_to_write = fields.find_number("bytes_to_write").value_or(0);
  });
  if (problem)
    Q_EMIT failed(*problem);
  else
    Q_EMIT done(forecast);
}

}  // namespace carryover
