// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/alignment.h"

#include <QCoreApplication>

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("carryover", text);
}

}  // namespace

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
  compare("n", &SegmentConfig::sink_length);
  compare("R", &SegmentConfig::retrieval_length);
  compare("K", &SegmentConfig::truncation_depth);
  return found;
}

}  // namespace carryover
