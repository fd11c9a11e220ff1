// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/model_label.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>
#include <optional>

#include "engine/base/json_integer.h"
#include "engine/formats/json_file.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

constexpr qsizetype digits_shown = 8;

QString tr(const char* text) {
  return QCoreApplication::translate("ModelLabel", text);
}

/// A folder that a training wrote: `final` or `checkpoints/step-N` of its output folder.
struct TrainedFolder {
  QString training;            ///< the output folder
  std::optional<qint64> step;  ///< of a checkpoint
};

std::optional<TrainedFolder> trained_folder(const QString& path) {
  static const QRegularExpression step(QStringLiteral("^step-(\\d{1,12})$"));
  const QFileInfo folder(QDir::cleanPath(path));
  if (folder.fileName() == QStringLiteral("final")) return TrainedFolder{folder.path(), std::nullopt};
  const auto match = step.match(folder.fileName());
  const QFileInfo parent(folder.path());
  if (!match.hasMatch() || parent.fileName() != QStringLiteral("checkpoints")) return std::nullopt;
  return TrainedFolder{parent.path(), match.captured(1).toLongLong()};
}

/// Reads a field of the plan that the training kept beside its results; null if there is none.
nlohmann::json plan_field(const TrainedFolder& trained, const char* key) {
  const auto plan = find_json_file((trained.training + QStringLiteral("/config.json")).toStdString());
  return plan && plan->is_object() ? plan->value(key, nlohmann::json()) : nlohmann::json();
}

QString steps_text(qint64 steps) {
  return steps == 1 ? tr("1 step") : tr("%L1 steps").arg(steps);
}

/// Returns the name of the training that wrote the folder, with the step if the folder is a checkpoint.
QString name_of_trained(const TrainedFolder& trained) {
  const QString name = QFileInfo(trained.training).fileName();
  return trained.step ? QStringLiteral("%1, %2").arg(name, steps_text(*trained.step)) : name;
}

/// Returns the training's own count if it is this session's, else what its folder says; 0 if it is not known.
qint64 steps_of(const ModelInfo& model, const TrainedFolder& trained) {
  if (model.trained_steps > 0) return model.trained_steps;
  return trained.step.value_or(find_integer(plan_field(trained, "max_steps")).value_or(0));
}

QString base_name(const ModelInfo& model) {
  const QString path = QString::fromStdString(model.path);
  const auto trained = trained_folder(path);
  if (!trained) {  // a GGUF file's own name for itself need not be what people know it by
    const QFileInfo file(path);
    const bool is_gguf = file.suffix().compare(QStringLiteral("gguf"), Qt::CaseInsensitive) == 0;
    return is_gguf ? file.completeBaseName() : QString::fromStdString(model.config.name);
  }
  const nlohmann::json model_path = plan_field(*trained, "model");
  const QString base = model_path.is_string() ? QString::fromStdString(model_path.get<std::string>()) : QString();
  const qint64 steps = steps_of(model, *trained);
  if (base.isEmpty() || steps == 0) return name_of_trained(*trained);
  const QString name = QFileInfo(QDir::cleanPath(base)).completeBaseName();
  return QStringLiteral("%1 + %2").arg(name, steps_text(steps));
}

QString adapter_name(const ModelInfo& model) {
  const QString path = QString::fromStdString(model.adapter);
  const auto trained = trained_folder(path);
  const QString name = trained ? name_of_trained(*trained) : QFileInfo(QDir::cleanPath(path)).fileName();
  if (trained && trained->step) return name;
  const qint64 steps = trained ? steps_of(model, *trained) : model.trained_steps;
  return steps > 0 ? QStringLiteral("%1, %2").arg(name, steps_text(steps)) : name;
}

}  // namespace

QString model_name(const ModelInfo& model) {
  return model.adapter.empty() ? base_name(model)
                               : QStringLiteral("%1 + %2").arg(base_name(model), adapter_name(model));
}

QString model_name(const std::string& name, const std::string& path, const std::string& adapter) {
  ModelInfo model;
  model.config.name = name;
  model.path = path;
  model.adapter = adapter;
  return model_name(model);
}

QString short_hash(const std::string& weights_hash) {
  static const QRegularExpression hash(QStringLiteral("^[0-9a-f]{16}(\\+[0-9a-f]{16})?$"));
  const QString whole = QString::fromStdString(weights_hash);
  if (!hash.match(whole).hasMatch()) return whole;
  QStringList parts = whole.split(u'+');
  for (QString& part : parts) part.truncate(digits_shown);
  return parts.join(u'+');
}

QString model_label(const ModelInfo& model) {
  return QStringLiteral("%1 · %2 · %3")
      .arg(model_name(model), QString::fromUtf8(dtype_name(model.dtype).data()), short_hash(model.weights_hash));
}

QString model_details(const ModelInfo& model) {
  QStringList lines;
  lines += tr("Model: %1").arg(QString::fromStdString(model.path));
  lines += model.adapter.empty() ? tr("Adapter: none") : tr("Adapter: %1").arg(QString::fromStdString(model.adapter));
  lines += tr("Weights: %1").arg(QString::fromStdString(model.weights_hash));
  lines += filled(tr("%1 on %2, threads: %3"), QString::fromUtf8(dtype_name(model.dtype).data()),
                  QString::fromUtf8(device_name(model.device).data()), model.threads);
  if (model.trained_steps > 0)
    lines += tr("Trained for %1 in %2").arg(steps_text(model.trained_steps), QString::fromStdString(model.trained_in));
  return lines.join(u'\n');
}

}  // namespace carryover
