// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/alignment.h"

#include <QCoreApplication>

#include "engine/core/config/segment_fields.h"
#include "engine/core/cost/policy_table.h"

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
  if (sees_whole_text(policy) && sees_whole_text(trained.policy)) return found;  // whose attention has no segments
  if (!(config.grouping == trained.config.grouping)) found += tr("grouping");
  for (const SegmentField& field : segment_fields()) {
    const auto* member = std::get_if<std::int64_t SegmentConfig::*>(&field.member);
    if (!member || config.**member == trained.config.**member) continue;
    found += QStringLiteral("%1 %2 (%3)")
                 .arg(QString::fromUtf8(field.symbol))
                 .arg(config.**member)
                 .arg(trained.config.**member);
  }
  return found;
}

}  // namespace carryover
