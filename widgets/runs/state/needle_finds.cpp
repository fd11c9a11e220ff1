// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/needle_finds.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr std::size_t most_heads_told = 8;

struct NeedleText {
  Q_DECLARE_TR_FUNCTIONS(NeedleText)
};

bool in_needle(std::int64_t position, const std::vector<TokenRange>& needles) {
  return std::ranges::any_of(needles, [&](const TokenRange& needle) { return needle.contains(position); });
}

QString head_text(const NeedleFind& find, std::int64_t all) {
  const QString head = filled(QStringLiteral("L%1H%2"), find.layer, find.head);
  if (find.found == 0) return NeedleText::tr("%1 no").arg(head);
  if (find.found == all) return NeedleText::tr("%1 yes").arg(head);
  return filled(NeedleText::tr("%1 %2 of %3 tokens"), head, find.found, all);
}

}  // namespace

int segment_of_answer(const RunModel& run, const TokenRange& answer) {
  return run.segment_of_token(std::max<std::int64_t>(0, answer.first - 1));
}

std::int64_t findable_tokens(const RunModel& run, int segment, const std::vector<TokenRange>& needles) {
  const std::int64_t start = segment == 0 ? 0 : run.tokens_after(segment - 1);
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < needles.size(); ++i)
    for (std::int64_t position = needles[i].first; position < std::min(start, needles[i].last); ++position)
      tokens += in_needle(position, {needles.begin(), needles.begin() + static_cast<std::ptrdiff_t>(i)}) ? 0 : 1;
  return tokens;
}

std::vector<NeedleFind> needle_finds(const RunModel& run, int segment, const std::vector<TokenRange>& needles) {
  std::vector<NeedleFind> finds;
  for (const HitIndex::Column& column : run.hit_index().columns()) {
    const BriefHits hits = column.of(segment);
    if (hits.empty()) continue;
    const auto found = std::ranges::count_if(
        hits, [&](const BriefHit& hit) { return hit.is_evidence() && in_needle(hit.position(), needles); });
    finds.push_back({column.layer, column.head, found});
  }
  std::ranges::stable_sort(finds, std::ranges::greater{}, &NeedleFind::found);
  return finds;
}

QString needle_text(const RunModel& run, const std::vector<TokenRange>& needles, const TokenRange& answer) {
  if (needles.empty()) return NeedleText::tr("The task does not say where the answer is");
  const int segment = segment_of_answer(run, answer);
  if (segment >= run.segment_count()) return NeedleText::tr("The run has not reached the answer yet");
  const std::int64_t all = findable_tokens(run, segment, needles);
  if (all == 0) return NeedleText::tr("The needle is in the same segment as the answer, %1").arg(segment);
  const std::vector<NeedleFind> finds = needle_finds(run, segment, needles);
  if (finds.empty()) return NeedleText::tr("Nothing was retrieved for the answer's segment, %1").arg(segment);
  const auto with = std::ranges::count_if(finds, [](const NeedleFind& find) { return find.found > 0; });
  QStringList heads;
  for (std::size_t i = 0; i < std::min(finds.size(), most_heads_told); ++i) heads += head_text(finds[i], all);
  if (finds.size() > most_heads_told) heads += QStringLiteral("…");
  return filled(NeedleText::tr("Needle retrieved for segment %1: %2 (%3 of %4 lists contain tokens of it)"), segment,
                heads.join(QStringLiteral(", ")), count_text(with), count_text(std::ssize(finds)));
}

}  // namespace carryover
