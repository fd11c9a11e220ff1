// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/provenance.h"

#include <nlohmann/json.hpp>

#include "engine/runs/records/run_command.h"
#include "widgets/runs/state/model_label.h"

namespace carryover {
namespace {

/// Returns the text that follows a key at the beginning of a line; empty if no line begins with it.
QString value_in(const QString& provenance, const char* key) {
  for (const QString& line : provenance.split(QLatin1Char('\n')))
    if (line.startsWith(QLatin1String(key))) return line.mid(QLatin1String(key).size());
  return {};
}

/// Returns the model's name, path and adapter.
ModelInfo model_in(const QString& provenance) {
  const QString named = value_in(provenance, "model: ");
  const qsizetype path = named.indexOf(QLatin1String(" ("));  // name (path)
  ModelInfo model;
  model.config.name = named.left(path).toStdString();
  if (path >= 0) model.path = named.mid(path + 2).chopped(1).toStdString();
  model.adapter = value_in(provenance, "adapter: ").toStdString();
  return model;
}

}  // namespace

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

QString run_name_in(const QString& provenance) {
  const QString text = value_in(provenance, "text: ");
  QStringList parts{text.left(text.lastIndexOf(u',')),  // without its tokens
                    model_name(model_in(provenance)), value_in(provenance, "run: ").left(8)};
  parts.removeAll(QString());
  return parts.join(QStringLiteral(", "));
}

QString policy_in(const QString& provenance) {
  return value_in(provenance, "policy: ").section(QLatin1String(", dtype: "), 0, 0);
}

QString model_label_in(const QString& provenance) {
  if (value_in(provenance, "model: ").isEmpty()) return {};
  const QString dtype = value_in(provenance, "policy: ").section(QLatin1String("dtype: "), 1).section(u',', 0, 0);
  const QString hash = short_hash(value_in(provenance, "weights: ").toStdString());
  return QStringLiteral("%1 · %2 · %3").arg(model_name(model_in(provenance)), dtype, hash);
}

QString training_provenance(const TrainingModel& run) {
  const std::string folder = run.directory().toStdString();
  const std::string command =
      shell_command({"carryover", "train", "--config", folder + "/config.json", "--output", folder + "-again"});
  return QStringLiteral("training run: %1\nplan: %2\nmade by: %3")
      .arg(run.directory(), QString::fromStdString(plan_json(run.plan()).dump()), QString::fromStdString(command));
}

}  // namespace carryover
