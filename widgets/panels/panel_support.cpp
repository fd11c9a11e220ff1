// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/panel_support.h"

#include <QObject>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/io/run_command.h"

namespace carryover {

int shown_segment(LabContext& context) {
  const int last = context.run().segment_count() - 1;
  const int selected = context.selected().segment;
  return selected >= 0 && selected <= last ? selected : last;
}

RunDescription describe(const RunModel& run) {
  RunDescription description;
  description.model = run.model();
  description.request = run.request();
  description.id = run.origin().id;
  description.text = run.origin().text;
  description.command_line = run.origin().command_line;
  return description;
}

QString run_provenance(const RunModel& run) {
  return run.is_empty() ? QString() : QString::fromStdString(run_provenance(describe(run)));
}

QString training_provenance(const TrainingModel& run) {
  const std::string folder = run.directory().toStdString();
  const std::string command =
      shell_command({"carryover", "train", "--config", folder + "/config.json", "--output", folder + "-again"});
  return QStringLiteral("training run: %1\nplan: %2\nmade by: %3")
      .arg(run.directory(), QString::fromStdString(plan_json(run.plan()).dump()), QString::fromStdString(command));
}

QString current_training_folder(LabContext& context) {
  const TrainingModel* run = context.training().current();
  return run == nullptr ? QString() : run->directory();
}

QString text_around(const RunModel& run, std::int64_t position, int before, int after) {
  QString text;
  const std::int64_t end = std::min(run.token_count(), position + after + 1);
  for (std::int64_t i = std::max<std::int64_t>(0, position - before); i < end; ++i) {
    const QString token = run.token_text(i);
    text += i == position ? QStringLiteral("⟦%1⟧").arg(token) : token;
  }
  return text.replace(QLatin1Char('\n'), QChar(0x23ce));
}

QString no_run_text() {
  return QObject::tr("No run yet: press Run");
}

}  // namespace carryover
