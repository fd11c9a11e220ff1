// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/state/head_score_sets.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

namespace carryover {
namespace {

QString words(const char* text) {
  return QCoreApplication::translate("HeadScoreSets", text);
}

QString name_of(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::Copy:
      return words(QT_TRANSLATE_NOOP("HeadScoreSets", "random tokens again"));
    case ProbeKind::Needle:
      return words(QT_TRANSLATE_NOOP("HeadScoreSets", "needles"));
    default:
      return words(QT_TRANSLATE_NOOP("HeadScoreSets", "passages of the text"));
  }
}

}  // namespace

void HeadScoreSets::set_profile(const HeadProfile& profile, const QString& provenance) {
  std::erase_if(sets_, [](const HeadScoreSet& set) { return !set.imported(); });
  std::vector<HeadScoreSet> made;
  if (profile.kinds.size() > 1)
    made.push_back({words(QT_TRANSLATE_NOOP("HeadScoreSets", "all probes")), provenance,
                    mean_scores(profile, HeadMeasure::Attention), mean_scores(profile, HeadMeasure::Copies)});
  for (const ProbeScores& scores : profile.kinds)
    made.push_back({name_of(scores.kind), provenance, scores.attention, scores.copies});
  sets_.insert(sets_.begin(), made.begin(), made.end());
}

std::size_t HeadScoreSets::add_file(const QString& path, const HeadScores& scores) {
  const QString provenance = words(QT_TRANSLATE_NOOP("HeadScoreSets", "scores of %1")).arg(path);
  auto place = std::find_if(sets_.begin(), sets_.end(),
                            [&](const HeadScoreSet& set) { return set.imported() && set.provenance == provenance; });
  if (place == sets_.end()) place = sets_.insert(place, HeadScoreSet{});
  *place = {QFileInfo(path).fileName(), provenance, scores, std::nullopt};
  return static_cast<std::size_t>(place - sets_.begin());
}

std::optional<std::size_t> HeadScoreSets::first_file() const {
  const auto place = std::find_if(sets_.begin(), sets_.end(), [](const HeadScoreSet& set) { return set.imported(); });
  if (place == sets_.end()) return std::nullopt;
  return static_cast<std::size_t>(place - sets_.begin());
}

}  // namespace carryover
