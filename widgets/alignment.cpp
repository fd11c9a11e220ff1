// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/alignment.h"

#include <QCoreApplication>
#include <QFile>
#include <nlohmann/json.hpp>

#include "engine/core/config_fields.h"
#include "engine/core/error.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("carryover", text);
}

}  // namespace

std::optional<TrainedUnder> read_trained_under(const QString& model) {
  QFile file(model + QStringLiteral("/segment_config.json"));
  if (!file.exists()) return std::nullopt;
  const std::string where = file.fileName().toStdString();
  if (!file.open(QIODevice::ReadOnly))
    throw EngineError(Fault::Io, where, file.errorString().toStdString(), "Make it readable.");
  nlohmann::json json = nlohmann::json::parse(file.readAll().toStdString(), nullptr, false);
  if (!json.is_object())
    throw EngineError(Fault::BadInput, where, "is not a JSON object", "Remove it, or restore it from its run.");
  TrainedUnder trained;
  if (json.contains("policy")) trained.policy = read_string(json["policy"], where, "policy");
  json.erase("policy");
  update_from_json(trained.config, json, where);
  return trained;
}

QStringList misalignments(const TrainedUnder& trained, const SegmentConfig& config, const std::string& policy) {
  QStringList found;
  if (policy != trained.policy)
    found += tr("policy %1 (%2)").arg(QString::fromStdString(policy), QString::fromStdString(trained.policy));
  if (policy == "full" && trained.policy == "full") return found;  // whose attention has no segments
  if (!(config.grouping == trained.config.grouping)) found += tr("grouping");
  const auto compare = [&](const char* letter, std::int64_t SegmentConfig::*field) {
    if (config.*field != trained.config.*field)
      found += QStringLiteral("%1 %2 (%3)").arg(QLatin1String(letter)).arg(config.*field).arg(trained.config.*field);
  };
  compare("S", &SegmentConfig::segment_length);
  compare("M", &SegmentConfig::carry_length);
  compare("R", &SegmentConfig::retrieval_length);
  compare("K", &SegmentConfig::truncation_depth);
  return found;
}

}  // namespace carryover
