// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/alignment.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/config/segment_fields.h"
#include "engine/cost/policy_table.h"
#include "engine/policies/minference/minference_settings.h"
#include "widgets/heads/state/pattern_text.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("carryover", text);
}

/// Returns false for settings that only generation, the loss, or the pool's place and format follow.
bool reaches_a_run(const SegmentField& field) {
  constexpr std::string_view others[] = {"cross_boundary_target", "boundary_at_prompt_end", "question_pass",
                                         "pool_on_host", "pool_keys"};
  return std::ranges::find(others, std::string_view(field.key)) == std::end(others);
}

QString text_of(const nlohmann::json& value) {
  if (value.is_null()) return tr("auto");
  return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

QStringList misalignments(const TrainedUnder& trained, const SegmentConfig& config, const std::string& policy) {
  QStringList found;
  if (policy != trained.policy)
    found += tr("policy %1 (%2)").arg(QString::fromStdString(policy), QString::fromStdString(trained.policy));
  if (runs_in_chunks(policy) && runs_in_chunks(trained.policy)) return found;  // whose attention has no segments
  const nlohmann::json now = config, then = trained.config;
  if (!(config.grouping == trained.config.grouping)) found += tr("grouping");
  for (const SegmentField& field : segment_fields()) {
    if (now[field.key] == then[field.key] || field.is<Grouping>() || !reaches_a_run(field)) continue;
    if (!policy_reads(policy, field.key) || !policy_reads(trained.policy, field.key)) continue;
    const QString symbol = QString::fromUtf8(field.symbol);
    const auto text = [&](const SegmentConfig& of, const nlohmann::json& fields) {
      if (field.is<HeadPatterns>()) return patterns_text(of.of<MinferenceSettings>().head_patterns);
      if (field.is<std::vector<HeadRef>>())
        return of.search_heads.empty() ? tr("none") : QString::fromStdString(text_of_heads(of.search_heads));
      return text_of(fields[field.key]);
    };
    found += QStringLiteral("%1 %2 (%3)")
                 .arg(symbol.isEmpty() ? tr(field.label) : symbol, text(config, now), text(trained.config, then));
  }
  return found;
}

}  // namespace carryover
