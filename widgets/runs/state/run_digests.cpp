// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/run_digests.h"

#include <QFileInfo>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "widgets/look/filled_text.h"
#include "widgets/runs/state/distinct_names.h"
#include "widgets/runs/state/model_label.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

QString run_name(const RunModel& run) {
  const SegmentConfig& config = run.request().config;
  const QString text = run.text_name().isEmpty() ? RunDigests::tr("text") : QFileInfo(run.text_name()).fileName();
  const QString policy = QString::fromStdString(run.request().policy);
  if (runs_in_chunks(run.request().policy)) {
    QString name = QStringLiteral("%1 · %2").arg(text, policy);
    if (policy_reads(run.request().policy, "attention_window"))
      name += QStringLiteral(" W %1").arg(config.of<WindowSettings>().attention_window);
    if (policy_reads(run.request().policy, "sink_length")) name += QStringLiteral(" n %1").arg(config.sink_length);
    return name;
  }
  const QString lengths = filled(QStringLiteral("%1 · %2 S %3 M %4 R %5"), text, policy, config.segment_length,
                                 config.carry_length, config.retrieval_length);
  return config.sink_length > 0 ? filled(QStringLiteral("%1 n %2"), lengths, config.sink_length) : lengths;
}

void RunDigests::add(const RunModel& run) {
  RunDigest digest{
      run_name(run), model_label(run.model()), run_provenance(run), 0, run.summary().ppl(), hit_distances(run), true};
  if (digest.heads.empty()) return;
  for (int segment = 0; segment < run.segment_count(); ++segment) digest.tokens += run.record(segment).length;
  const auto same = std::find_if(runs_.begin(), runs_.end(), [&](const RunDigest& other) {
    return other.name == digest.name && other.details == digest.details && other.tokens == digest.tokens;
  });
  if (same != runs_.end()) {
    digest.ticked = same->ticked;
    *same = std::move(digest);
    return Q_EMIT run_changed(static_cast<int>(same - runs_.begin()));
  }
  Q_EMIT about_to_add(count());
  runs_.push_back(std::move(digest));
  names_.push_back(runs_.back().name);
  Q_EMIT added(count() - 1);
  name_all();
}

void RunDigests::name_all() {
  std::vector<NamedRun> all;
  for (const RunDigest& run : runs_) all.push_back({run.name, run.model, run.details});
  names_ = distinct_names(all);
  Q_EMIT names_changed();
}

void RunDigests::remove(int index) {
  CARRYOVER_CHECK(index >= 0 && index < count());
  Q_EMIT about_to_remove(index);
  runs_.erase(runs_.begin() + index);
  names_.erase(names_.begin() + index);
  Q_EMIT removed(index);
  name_all();
}

void RunDigests::set_ticked(int index, bool ticked) {
  CARRYOVER_CHECK(index >= 0 && index < count());
  RunDigest& digest = runs_[static_cast<std::size_t>(index)];
  if (digest.ticked == ticked) return;
  digest.ticked = ticked;
  Q_EMIT run_changed(index);
}

std::optional<double> RunDigests::head_consistency(int layer, int head) const {
  std::vector<const HeadDistances*> same_head;
  for (const RunDigest& digest : runs_)
    if (const HeadDistances* found = digest.ticked ? find_head(digest.heads, layer, head) : nullptr)
      same_head.push_back(found);
  return consistency(same_head);
}

}  // namespace carryover
