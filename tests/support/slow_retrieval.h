// SPDX-License-Identifier: GPL-3.0-or-later
// All of retrieval for one query head (app:retrieval), as plainly as it can be written: everything in double, every
// list sorted in full, every rule a sentence. It shares no code with what it tests. With the inputs of
// random_retrieval_case() all sums are exact in fp32, so any right implementation gives equal hits, ties included.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/runs/values/hits.h"

namespace carryover::slow {

using Vector = std::vector<double>;

/// One anchor of the ranking: the pool index, its best score, and the lowest summary that gives it.
struct Anchor {
  std::int64_t index;
  double score;
  int summary;
};

inline Vector mean(const std::vector<Vector>& rows, std::size_t first, std::size_t count) {
  Vector sum(rows.at(first).size(), 0.0);
  for (std::size_t row = first; row < first + count; ++row) {
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += rows.at(row).at(c);
  }
  for (double& value : sum) value /= static_cast<double>(count);
  return sum;
}

/// Step 1. `queries`: all unrotated queries of the segment, in order, at least one. The tail mean comes last.
inline std::vector<Vector> summaries(const std::vector<Vector>& queries, const SegmentConfig& config) {
  const auto used = std::min(queries.size(), static_cast<std::size_t>(config.query_length));
  const std::vector<Vector> last(queries.end() - static_cast<std::ptrdiff_t>(used), queries.end());
  const auto window = static_cast<std::size_t>(config.summary_window);
  std::vector<Vector> result;
  if (used < window) result.push_back(mean(last, 0, used));
  for (std::size_t first = 0; first + window <= used; first += static_cast<std::size_t>(config.summary_stride)) {
    result.push_back(mean(last, first, window));
  }
  const auto tail = std::min(used, static_cast<std::size_t>(config.summary_tail));
  result.push_back(mean(last, used - tail, tail));
  return result;
}

inline double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a.at(c) * b.at(c);
  return sum;
}

/// Step 2: the anchors, best first.
inline std::vector<Anchor> anchors(const std::vector<Vector>& summary_list, const std::vector<Vector>& keys,
                                   const SegmentConfig& config) {
  std::map<std::int64_t, std::set<std::pair<double, int>>> found;  // index → (-score, summary), best first
  for (std::size_t s = 0; s < summary_list.size(); ++s) {
    std::set<std::pair<double, std::int64_t>> ranking;
    for (std::size_t key = 0; key < keys.size(); ++key) {
      ranking.emplace(-dot(summary_list[s], keys[key]), static_cast<std::int64_t>(key));
    }
    std::int64_t rank = 0;
    for (const auto& [negative_score, index] : ranking) {
      if (rank++ < config.top_k) found[index].emplace(negative_score, static_cast<int>(s));
    }
  }
  std::set<std::pair<double, std::int64_t>> best;
  for (const auto& [index, scores] : found) best.emplace(scores.begin()->first, index);
  std::vector<Anchor> result;
  for (const auto& [negative_score, index] : best) {
    if (static_cast<std::int64_t>(result.size()) == config.anchor_count()) break;
    result.push_back({index, -negative_score, found[index].begin()->second});
  }
  return result;
}

/// Step 3: which positions are held, not yet why.
inline std::set<std::int64_t> held_positions(const std::vector<Anchor>& ranked, std::int64_t pool,
                                             const SegmentConfig& config) {
  std::vector<std::int64_t> wishes;
  for (const Anchor& anchor : ranked) {
    for (std::int64_t offset = -config.expand_before; offset <= config.expand_after; ++offset) {
      wishes.push_back(anchor.index + offset);
    }
  }
  for (std::int64_t position = 0; position < pool; ++position) wishes.push_back(position);  // padding
  std::set<std::int64_t> held;
  for (const std::int64_t wish : wishes) {
    const bool room = static_cast<std::int64_t>(held.size()) < config.retrieval_length;
    if (room && wish >= 0 && wish < pool) held.insert(wish);
  }
  return held;
}

/// Step 5: a position's reason follows from the ranking alone.
inline Hit explain(std::int64_t position, const std::vector<Anchor>& ranked, const SegmentConfig& config) {
  for (const Anchor& anchor : ranked) {
    if (anchor.index == position) {
      return {position, HitKind::Anchor, static_cast<float>(anchor.score), anchor.index, anchor.summary};
    }
  }
  for (const Anchor& anchor : ranked) {
    const std::int64_t offset = position - anchor.index;
    if (offset >= -config.expand_before && offset <= config.expand_after) {
      return {position, HitKind::Expanded, static_cast<float>(anchor.score), anchor.index, anchor.summary};
    }
  }
  return {position, HitKind::Padding, 0.0f, -1, -1};
}

/// R for one head from the queries of the segment that closed and the pool's keys, pool index = position; ascending.
inline std::vector<Hit> retrieve(const std::vector<Vector>& queries, const std::vector<Vector>& keys,
                                 const SegmentConfig& config) {
  const std::vector<Anchor> ranked = anchors(summaries(queries, config), keys, config);
  std::vector<Hit> hits;
  for (const std::int64_t position : held_positions(ranked, static_cast<std::int64_t>(keys.size()), config)) {
    hits.push_back(explain(position, ranked, config));
  }
  return hits;
}

/// Returns the score of each of the first `searched` keys (SearchScores).
inline Vector position_scores(const std::vector<Vector>& queries, const std::vector<Vector>& keys, std::size_t searched,
                              const SegmentConfig& config) {
  const bool centred = config.search_scores == SearchScores::Centred;
  const auto used = std::min(queries.size(), static_cast<std::size_t>(config.query_length));
  const std::vector<Vector> probes =
      centred ? std::vector<Vector>(queries.end() - static_cast<std::ptrdiff_t>(used), queries.end())
              : summaries(queries, config);
  const Vector centre = centred ? mean(keys, 0, keys.size()) : Vector(keys.at(0).size(), 0.0);
  Vector scores;
  for (std::size_t key = 0; key < searched; ++key) {
    std::set<double> products;
    for (const Vector& probe : probes) products.insert(dot(probe, keys[key]) - dot(probe, centre));
    scores.push_back(*products.rbegin());
  }
  return scores;
}

/// Returns the scores in standard deviations from their mean.
inline Vector standardised(const Vector& scores) {
  double sum = 0, squares = 0;
  for (const double score : scores) sum += score;
  const double centre = sum / static_cast<double>(scores.size());
  for (const double score : scores) squares += std::pow(score - centre, 2);
  const double deviation = std::sqrt(squares / static_cast<double>(scores.size()));
  Vector result;
  for (const double score : scores) result.push_back(deviation == 0 ? 0 : (score - centre) / deviation);
  return result;
}

/// Returns the positions that are held (RetrieveBy): wishes in order, as many as there is room for.
inline std::set<std::int64_t> chosen_positions(const Vector& scores, const SegmentConfig& config) {
  const std::int64_t count = std::ssize(scores), width = config.window_length;
  std::set<std::int64_t> held;
  if (config.retrieve == RetrieveBy::Windows) {
    std::set<std::pair<double, std::int64_t>> windows;  // best first, of equal ones the first
    for (std::int64_t first = 0; first + width <= count; ++first) {
      double sum = 0;
      for (std::int64_t i = first; i < first + width; ++i) sum += scores[static_cast<std::size_t>(i)];
      windows.emplace(-sum / static_cast<double>(width), first);
    }
    for (const auto& [negated, first] : windows) {
      if (std::ssize(held) + width > config.retrieval_length / width * width) break;
      const auto next = held.lower_bound(first);
      if (next != held.end() && *next < first + width) continue;
      for (std::int64_t i = first; i < first + width; ++i) held.insert(i);
    }
  } else {
    std::set<std::pair<double, std::int64_t>> best;
    for (std::int64_t i = 0; i < count; ++i) best.emplace(-scores[static_cast<std::size_t>(i)], i);
    std::int64_t rank = 0;
    for (const auto& [negated, anchor] : best) {
      if (rank++ == config.anchor_count()) break;
      for (std::int64_t i = anchor - config.expand_before; i <= anchor + config.expand_after; ++i)
        if (i >= 0 && i < count && std::ssize(held) < config.retrieval_length) held.insert(i);
    }
  }
  for (std::int64_t i = 0; i < count && std::ssize(held) < config.retrieval_length; ++i) held.insert(i);
  return held;
}

/// One head's input. Divisors of means (w, t, and the number of queries where it is smaller) are powers of two.
struct RetrievalCase {
  SegmentConfig config;
  std::vector<Vector> queries;  ///< [m][d]
  std::vector<Vector> keys;     ///< [pool][d]
};

inline std::vector<Vector> exact_vectors(std::mt19937_64& random, std::int64_t count, std::int64_t head_dim) {
  std::vector<Vector> rows(static_cast<std::size_t>(count), Vector(static_cast<std::size_t>(head_dim)));
  for (Vector& row : rows) {
    for (double& value : row) value = (static_cast<double>(random() % 65) - 32.0) / 8.0;
  }
  return rows;
}

/// Random configs about every rule: few queries, pools smaller than R, k and A beyond the pool, wide and no expansion;
/// half of the cases repeat keys, so that ties decide. `head_dim` is even and at most 256.
inline RetrievalCase random_retrieval_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto whole = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const auto power_of_two = [&](std::int64_t highest) { return std::int64_t{1} << whole(0, highest); };
  RetrievalCase c;
  c.config.query_length = power_of_two(6);
  c.config.summary_window = power_of_two(4);
  c.config.summary_stride = whole(1, 8);
  c.config.summary_tail = power_of_two(3);
  c.config.top_k = whole(1, 20);
  c.config.expand_before = whole(0, 5);
  c.config.expand_after = whole(0, 5);
  c.config.retrieval_length = whole(1, 60);
  if (whole(0, 1) == 1) c.config.anchors = whole(1, 30);
  const std::int64_t few = power_of_two(4), many = whole(16, 80);
  const std::int64_t pool = whole(0, 3) == 0 ? whole(0, 20) : whole(1, 300);
  const std::int64_t head_dim = 2 * power_of_two(4);
  c.queries = exact_vectors(random, whole(0, 2) == 0 ? few : many, head_dim);
  c.keys = exact_vectors(random, pool, head_dim);
  if (whole(0, 1) == 1) {
    for (Vector& key : c.keys) key = c.keys[static_cast<std::size_t>(whole(0, std::min<std::int64_t>(pool - 1, 12)))];
  }
  return c;
}

}  // namespace carryover::slow
