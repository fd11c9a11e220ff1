// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/state/what_if_result.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

#include "engine/base/error.h"
#include "engine/config/segment_fields.h"
#include "engine/policies/minference/minference_settings.h"
#include "engine/runs/values/edit_json.h"
#include "widgets/heads/state/pattern_text.h"
#include "widgets/look/csv_text.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/foil_token.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {
namespace {

struct WhatIf {
  Q_DECLARE_TR_FUNCTIONS(WhatIf)
};

QString slot_text(const SlotRef& slot) {
  return filled(QStringLiteral("L%1 H%2 @%3"), slot.layer, slot.head, slot.position);
}

/// "2 hits dropped" or, for a few, which ones.
QString slots_text(const std::vector<SlotRef>& held, const QString& sign) {
  constexpr std::size_t most_named = 2;
  QStringList named;
  for (std::size_t i = 0; i < std::min(most_named, held.size()); ++i) named += sign + slot_text(held[i]);
  if (held.size() > most_named) named += filled(WhatIf::tr("%1%2 more"), sign, held.size() - most_named);
  return named.join(QStringLiteral(", "));
}

/// "L3 H0, L3 H1 and 7 more heads"
QString heads_text(const std::vector<HeadRef>& heads) {
  constexpr std::size_t most_named = 3;
  QStringList named;
  for (std::size_t i = 0; i < std::min(most_named, heads.size()); ++i)
    named += filled(QStringLiteral("L%1 H%2"), heads[i].layer, heads[i].head);
  const QString text = named.join(QStringLiteral(", "));
  return heads.size() <= most_named ? text
                                    : filled(WhatIf::tr("%1 and %2 more heads"), text, heads.size() - most_named);
}

/// Adds what `have` reads and `other` doesn't.
void add_missing(const std::vector<HeadHits>& have, const std::vector<HeadHits>& other, bool gained,
                 std::vector<HitChange>& changes) {
  for (const HeadHits& head : have) {
    const HeadHits* there = find_hits(other, head.layer, head.head);
    for (const Hit& hit : head.hits) {
      const auto by_position = [](const Hit& a, std::int64_t position) { return a.position < position; };
      const bool found = there && [&] {
        const auto at = std::lower_bound(there->hits.begin(), there->hits.end(), hit.position, by_position);
        return at != there->hits.end() && at->position == hit.position;
      }();
      if (!found) changes.push_back({head.layer, head.head, hit, gained});
    }
  }
}

}  // namespace

float WhatIfResult::loss_change(std::int64_t token) const {
  const std::int64_t index = token - first_token - 1;
  if (index < 0 || index >= std::ssize(after)) return std::numeric_limits<float>::quiet_NaN();
  return after[static_cast<std::size_t>(index)] - before[static_cast<std::size_t>(index)];
}

std::vector<float> loss_changes(const std::vector<float>& before, const std::vector<float>& after) {
  CARRYOVER_CHECK(before.size() == after.size());
  std::vector<float> changes(before.size());
  std::transform(after.begin(), after.end(), before.begin(), changes.begin(), std::minus<>());
  return changes;
}

std::vector<HitChange> changed_hits(const std::vector<HeadHits>& before, const std::vector<HeadHits>& after) {
  std::vector<HitChange> changes;
  add_missing(before, after, false, changes);
  add_missing(after, before, true, changes);
  std::sort(changes.begin(), changes.end(), [](const HitChange& a, const HitChange& b) {
    return std::tuple(a.layer, a.head, a.hit.position) < std::tuple(b.layer, b.head, b.hit.position);
  });
  return changes;
}

void compare(WhatIfResult& result, const RunModel& run, const WhatIfOutcome& as_it_was, const WhatIfOutcome& changed) {
  result.before = as_it_was.target_nll;
  result.after = changed.target_nll;
  result.changes = changed_hits(as_it_was.hits, changed.hits);
  result.change = bootstrap_mean(loss_changes(result.before, result.after));
  if (!as_it_was.prediction || !changed.prediction) return;
  const auto token = static_cast<std::size_t>(as_it_was.prediction->token);
  const auto loss = [token](const std::vector<float>& losses) { return token < losses.size() ? losses[token] : NAN; };
  const Prediction before = with_loss(*as_it_was.prediction, loss(result.before));
  const Prediction after = with_loss(*changed.prediction, loss(result.after));
  result.prediction = PredictionChange{result.first_token + before.token + 1, id_text(run, before.target),
                                       before.foil ? id_text(run, *before.foil) : QString(), before, after};
}

std::pair<QString, QString> bound_texts(const WhatIfResult& result) {
  if (result.change.has_bounds()) return {signed_text(result.change.low, 4), signed_text(result.change.high, 4)};
  return {QStringLiteral("n = %1").arg(result.after.size()), QString()};
}

QStringList config_changes(const SegmentConfig& from, const SegmentConfig& to) {
  const nlohmann::json a = from, b = to;
  QStringList changes;
  bool grouping = false;
  for (const auto& [key, value] : b.items()) {
    if (a.contains(key) && a.at(key) == value) continue;
    if (key.starts_with("long_range_")) {
      grouping = true;
      continue;
    }
    const SegmentField* field = find_segment_field(key);
    const QString name =
        field && *field->symbol != '\0' ? QString::fromUtf8(field->symbol) : QString::fromStdString(key);
    if (field && field->is<HeadPatterns>()) {
      changes += QStringLiteral("%1 %2 → %3")
                     .arg(name, patterns_text(from.of<MinferenceSettings>().head_patterns),
                          patterns_text(to.of<MinferenceSettings>().head_patterns));
      continue;
    }
    const auto text = [&](const nlohmann::json& json) {
      return json.is_null() ? WhatIf::tr("by default") : QString::fromStdString(json.dump());
    };
    changes +=
        QStringLiteral("%1 %2 → %3").arg(name, a.contains(key) ? text(a.at(key)) : WhatIf::tr("unset"), text(value));
  }
  if (grouping) changes += WhatIf::tr("another grouping");
  return changes;
}

std::vector<SlotRef> slots_at(const RunModel& run, int segment, const std::vector<TokenRange>& positions) {
  std::vector<SlotRef> found;
  for (const HitIndex::Column& head : run.hit_index().columns())
    for (const BriefHit hit : head.of(segment))
      if (std::ranges::any_of(positions, [hit](const TokenRange& range) { return range.contains(hit.position()); }))
        found.push_back({head.layer, head.head, hit.position()});
  return found;
}

SlotRef slot_read_by(const RunModel& run, HeadRef head, std::int64_t position) {
  const HeadRef list = run.list_of(head.layer, head.head).value_or(head);
  return {list.layer, list.head, position};
}

QString unread_text(const HeadPart& unread) {
  const QString text = unread.part == PrefixPart::Sinks       ? WhatIf::tr("%1 without the sinks")
                       : unread.part == PrefixPart::Retrieved ? WhatIf::tr("%1 without what it retrieved")
                                                              : WhatIf::tr("%1 without the carry");
  return text.arg(heads_text({unread.head}));
}

QString edit_text(const SegmentEdit& edit, const SegmentConfig& run_config) {
  QStringList parts;
  if (edit.no_carry) parts += WhatIf::tr("no carry");
  if (edit.no_sinks) parts += WhatIf::tr("no sinks");
  if (edit.prefix == PrefixSource::Off) parts += WhatIf::tr("no prefix");
  if (edit.prefix == PrefixSource::Random) parts += WhatIf::tr("random prefix (seed %1)").arg(edit.seed);
  if (edit.prefix == PrefixSource::Recent) parts += WhatIf::tr("most recent prefix");
  if (edit.prefix == PrefixSource::Constant) parts += WhatIf::tr("constant prefix");
  if (edit.prefix == PrefixSource::Sinks) parts += WhatIf::tr("prefix of sinks and recent tokens");
  if (edit.prefix == PrefixSource::Oracle) parts += WhatIf::tr("oracle prefix");
  if (!edit.dropped.empty()) parts += slots_text(edit.dropped, QStringLiteral("−"));
  if (!edit.added.empty()) parts += slots_text(edit.added, QStringLiteral("+"));
  for (const TokenRange& range : edit.banned) parts += filled(WhatIf::tr("exclude %1–%2"), range.first, range.last - 1);
  if (edit.config) parts += config_changes(run_config, *edit.config);
  if (edit.patch_carry) parts += WhatIf::tr("carry patched");
  if (!edit.patched_heads.empty()) parts += WhatIf::tr("output of %1 patched").arg(heads_text(edit.patched_heads));
  if (!edit.zeroed_heads.empty()) parts += WhatIf::tr("output of %1 zeroed").arg(heads_text(edit.zeroed_heads));
  for (const HeadPart& unread : edit.unread) parts += unread_text(unread);
  return parts.isEmpty() ? WhatIf::tr("nothing changed") : parts.join(QStringLiteral(", "));
}

nlohmann::json what_if_json(const WhatIfResult& result) {
  nlohmann::json hits = nlohmann::json::array();
  for (const HitChange& change : result.changes)
    hits.push_back({{"layer", change.layer},
                    {"head", change.head},
                    {"position", change.hit.position},
                    {"kind", hit_kind_name(change.hit.kind)},
                    {"change", change.gained ? "gained" : "lost"}});
  nlohmann::json fields{
      {"name", result.name.toStdString()},
      {"segment", result.segment},
      {"first_token", result.first_token},
      {"edit", edit_json(result.edit)},
      {"change", {{"mean", result.change.mean}, {"low", result.change.low}, {"high", result.change.high}}},
      {"before", result.before},
      {"after", result.after},
      {"changed_hits", hits},
      {"seconds", result.seconds},
      {"run", result.provenance.toStdString()}};
  if (!result.patched_from.isEmpty()) fields["patched_from"] = result.patched_from.toStdString();
  if (result.prediction) fields["prediction"] = prediction_json(*result.prediction);
  return fields;
}

QString what_if_csv(const std::vector<WhatIfResult>& results) {
  QString text = QStringLiteral("what_if,run,segment,position,loss_before,loss_after,loss_change\n");
  for (const WhatIfResult& result : results) {
    const QString name = csv_quoted(result.name), run = csv_quoted(run_name_in(result.provenance));
    for (std::size_t i = 0; i < result.after.size(); ++i) {
      const std::int64_t position = result.first_token + static_cast<std::int64_t>(i) + 1;
      text += filled(QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n"), name, run, result.segment, position,
                     QString::number(result.before[i], 'g', 9), QString::number(result.after[i], 'g', 9),
                     QString::number(result.loss_change(position), 'g', 9));
    }
  }
  return text;
}

}  // namespace carryover
