// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/eval_forecast_process.h"

#include "engine/formats/json_file.h"

namespace carryover {

EvalForecastProcess::EvalForecastProcess(QObject* parent) : CommandProcess(tr("dry run"), parent) {}

void EvalForecastProcess::conclude(const CommandExit& exit) {
  if (exit.stopped) return;
  if (!exit.normal || exit.code != 0) return Q_EMIT failed(what_went_wrong(exit));
  EvaluationForecast forecast;
  const auto problem = attempt([&] {
    const std::string where = tr("what the dry run printed").toStdString();
    const auto printed = parse_json({exit.said.constData(), static_cast<std::size_t>(exit.said.size())}, where);
    const JsonFields fields(printed, where);
    forecast.seconds = fields.find_number("seconds").value_or(0);
    const nlohmann::json* tasks = fields.find("tasks");
    if (tasks == nullptr || !tasks->is_array()) return;
    for (const nlohmann::json& task : *tasks) {
      const JsonFields numbers(task, where);
      forecast.samples += numbers.integer("samples");
      forecast.tokens += numbers.integer("tokens");
      forecast.new_tokens += numbers.integer("new_tokens");
    }
  });
  if (problem)
    Q_EMIT failed(*problem);
  else
    Q_EMIT done(forecast);
}

}  // namespace carryover
