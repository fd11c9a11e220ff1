// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/hit_distances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

int distance_bin(std::int64_t distance) {
  CARRYOVER_CHECK(distance >= 1);
  return std::min(distance_bins - 1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(distance))) - 1);
}

QString distance_bin_name(int bin) {
  const std::int64_t distance = std::int64_t{1} << bin;
  if (bin < 10) return QString::number(distance);
  return bin < 20 ? QStringLiteral("%1K").arg(distance >> 10) : QStringLiteral("%1M").arg(distance >> 20);
}

std::int64_t HeadDistances::total() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

double HeadDistances::share(int bin) const {
  const std::int64_t all = total();
  return all == 0 ? 0 : static_cast<double>(counts[static_cast<std::size_t>(bin)]) / static_cast<double>(all);
}

std::optional<double> HeadDistances::median() const {
  const std::int64_t all = total();
  std::int64_t below = 0;
  for (int bin = 0; bin < distance_bins; ++bin) {
    below += counts[static_cast<std::size_t>(bin)];
    if (2 * below > all) return std::ldexp(std::sqrt(2.0), bin);
  }
  return {};
}

void add_hit_distances(std::vector<HeadDistances>& heads, const RunModel& run, int first, const SegmentRange& range) {
  const auto before = [](const HeadDistances& a, const HitIndex::Column& b) {
    return std::pair(a.layer, a.head) < std::pair(b.layer, b.head);
  };
  for (const HitIndex::Column& column : run.hit_index().columns()) {
    auto head = std::lower_bound(heads.begin(), heads.end(), column, before);
    const bool known = head != heads.end() && head->layer == column.layer && head->head == column.head;
    HeadDistances sum = known ? *head : HeadDistances{column.layer, column.head, {}};
    bool any = known;
    for (int segment = first; segment < run.segment_count(); ++segment) {
      const BriefHits hits = range.contains(segment) ? column.of(segment) : BriefHits();
      any = any || !hits.empty();
      const std::int64_t reader = hits.empty() ? 0 : run.record(segment).first_token;
      for (const BriefHit hit : hits)
        if (hit.is_evidence())
          ++sum.counts[static_cast<std::size_t>(distance_bin(std::max<std::int64_t>(1, reader - hit.position())))];
    }
    if (known)
      *head = sum;
    else if (any)
      heads.insert(head, sum);
  }
}

std::vector<HeadDistances> hit_distances(const RunModel& run, const SegmentRange& range) {
  std::vector<HeadDistances> heads;
  add_hit_distances(heads, run, 0, range);
  return heads;
}

HeadDistances sum_of(const std::vector<HeadDistances>& heads) {
  HeadDistances sum{-1, -1, {}};
  for (const HeadDistances& head : heads)
    for (std::size_t bin = 0; bin < sum.counts.size(); ++bin) sum.counts[bin] += head.counts[bin];
  return sum;
}

const HeadDistances* find_head(const std::vector<HeadDistances>& heads, int layer, int head) {
  const auto found = std::find_if(heads.begin(), heads.end(), [&](const HeadDistances& candidate) {
    return candidate.layer == layer && candidate.head == head;
  });
  return found == heads.end() ? nullptr : &*found;
}

std::optional<double> shared_mass(const HeadDistances& a, const HeadDistances& b) {
  if (a.total() == 0 || b.total() == 0) return {};
  double shared = 0;
  for (int bin = 0; bin < distance_bins; ++bin) shared += std::min(a.share(bin), b.share(bin));
  return shared;
}

std::optional<double> consistency(const std::vector<const HeadDistances*>& same_head) {
  double sum = 0;
  int pairs = 0;
  for (std::size_t i = 0; i < same_head.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (const auto shared = shared_mass(*same_head[i], *same_head[j])) {
        sum += *shared;
        ++pairs;
      }
  if (pairs == 0) return {};
  return sum / pairs;
}

}  // namespace carryover
