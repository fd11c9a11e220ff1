// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_page.h"

#include <algorithm>

#include "widgets/controls/page_parts.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {
namespace {

bool retrieves(const RunModel& run) {
  const auto& heads = run.hit_index().columns();
  return std::any_of(heads.begin(), heads.end(), [](const HitIndex::Column& head) { return !head.hits.empty(); });
}

}  // namespace

QString comparison_provenance(const RunComparison& comparison) {
  return QStringLiteral("A, text: %1\n%2\nB, text: %3\n%4")
      .arg(comparison.a().text_name(), run_provenance(comparison.a()), comparison.b().text_name(),
           run_provenance(comparison.b()));
}

QString no_hits_text(const RunComparison& comparison) {
  const auto policy = [](const RunModel& run) { return QString::fromStdString(run.request().policy); };
  const RunModel &a = comparison.a(), &b = comparison.b();
  if (a.segment_count() == 0) return no_run_text(a);
  if (!retrieves(a) && !retrieves(b)) return ComparePage::tr("Neither run has retrieved anything");
  if (!retrieves(b))
    return ComparePage::tr("Run B has no hits to compare with (policy %1). The losses can be compared.").arg(policy(b));
  if (!retrieves(a))
    return ComparePage::tr("This run has no hits to compare with (policy %1). The losses can be compared.")
        .arg(policy(a));
  if (!comparison.same_vocabulary())
    return ComparePage::tr("The models have different vocabularies: their retrieved tokens cannot be compared");
  return ComparePage::tr("The runs have no segments that start at the same token and retrieve with the same heads");
}

}  // namespace carryover
