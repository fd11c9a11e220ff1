// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/state/copied_tokens.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "engine/cost/policy_table.h"

namespace carryover {
namespace {

constexpr std::size_t enough_heads = 3;  ///< more of them make no better example

using Readers = std::map<std::int64_t, std::vector<HeadRef>>;  ///< by position

/// Returns the positions that the segment retrieved, each with the heads that retrieved it. Padding is left out.
Readers retrieved_by(const RunModel& run, int segment) {
  Readers readers;
  for (const HitIndex::Column& head : run.hit_index().columns())
    for (const BriefHit hit : head.of(segment))
      if (hit.is_evidence()) readers[hit.position()].push_back({head.layer, head.head});
  return readers;
}

std::int64_t carry_begin(const RunModel& run, int segment) {
  const std::int64_t first = run.record(segment).first_token;
  return first - tail_before(run.request().policy, run.request().config, first);
}

/// The positions before the segment that it sees, by token id: retrieved ones and carried ones.
struct Seen {
  std::unordered_map<std::int32_t, std::vector<std::int64_t>> retrieved, carried;
};
Seen seen_by(const RunModel& run, int segment, const Readers& readers) {
  const auto& ids = *run.request().ids;
  Seen seen;
  for (const auto& [position, heads] : readers)
    seen.retrieved[ids[static_cast<std::size_t>(position)]].push_back(position);
  for (std::int64_t i = carry_begin(run, segment); i < run.record(segment).first_token; ++i)
    seen.carried[ids[static_cast<std::size_t>(i)]].push_back(i);
  return seen;
}

class Search {
 public:
  Search(const RunModel& run, CopySource source) : run_(run), ids_(*run.request().ids), source_(source) {
    for (const std::int32_t id : ids_) ++count_[id];
  }

  std::optional<CopiedToken> best() {
    for (int segment = 1; segment < run_.segment_count(); ++segment) look_at(segment);
    return best_;
  }

 private:
  std::int32_t id(std::int64_t position) const { return ids_[static_cast<std::size_t>(position)]; }

  /// Every later segment sees the first tokens of the text too, where they are kept as sinks.
  bool is_sink(std::int32_t wanted) const {
    const std::int64_t sinks = std::min<std::int64_t>(run_.request().config.sink_length, std::ssize(ids_));
    return std::find(ids_.begin(), ids_.begin() + sinks, wanted) != ids_.begin() + sinks;
  }

  void look_at(int segment) {
    const SegmentRecord& record = run_.record(segment);
    const Readers readers = retrieved_by(run_, segment);
    const Seen seen = seen_by(run_, segment, readers);
    const auto& wanted = source_ == CopySource::Retrieved ? seen.retrieved : seen.carried;
    const std::int64_t end = std::min<std::int64_t>(record.first_token + record.length + 1, std::ssize(ids_));
    for (std::int64_t target = record.first_token + 1; target < end; ++target) {
      if (!(run_.nll_of_token(target) <= CopiedToken::most_loss)) continue;
      const auto found = wanted.find(id(target));
      if (found == wanted.end() || is_sink(id(target))) continue;
      if (source_ == CopySource::Retrieved && seen.carried.contains(id(target))) continue;
      const auto begin = ids_.begin() + record.first_token, here = ids_.begin() + target;
      if (std::find(begin, here, id(target)) == here) consider(segment, target, found->second, readers);
    }
  }

  void consider(int segment, std::int64_t target, const std::vector<std::int64_t>& sources, const Readers& readers) {
    CopiedToken made{.segment = segment, .target = target, .source = sources.back(), .heads = {}, .sources = sources};
    if (source_ == CopySource::Retrieved)
      for (const std::int64_t position : sources)
        if (const auto& heads = readers.at(position); heads.size() > made.heads.size()) {
          made.source = position;
          made.heads = heads;
        }
    if (!best_ || rank(made) > rank(*best_)) best_ = std::move(made);
  }

  std::tuple<std::size_t, std::int64_t, std::int64_t> rank(const CopiedToken& token) const {
    return {std::min(token.heads.size(), enough_heads), -count_.at(id(token.target)), token.target - token.source};
  }

  const RunModel& run_;
  const std::vector<std::int32_t>& ids_;
  CopySource source_;
  std::unordered_map<std::int32_t, std::int64_t> count_;
  std::optional<CopiedToken> best_;
};

}  // namespace

std::optional<CopiedToken> find_copied_token(const RunModel& run, CopySource source) {
  return Search(run, source).best();
}

}  // namespace carryover
