// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/provenance.h"

#include <nlohmann/json.hpp>

#include "engine/records/run_command.h"

namespace carryover {

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

}  // namespace carryover
