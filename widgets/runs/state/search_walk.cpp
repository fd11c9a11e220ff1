// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/search_walk.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/config/head_reads.h"
#include "widgets/look/filled_text.h"
#include "widgets/runs/state/prefix_text.h"

namespace carryover {
namespace {

struct SearchWalk {
  Q_DECLARE_TR_FUNCTIONS(SearchWalk)
};

bool is_there(HitKind kind, SearchStep step) {
  return step == SearchStep::Padding || (step == SearchStep::Expansion && kind != HitKind::Padding) ||
         (step == SearchStep::Anchors && kind == HitKind::Anchor);
}

std::int64_t count_kind(const SearchSteps& steps, HitKind kind) {
  return std::count_if(steps.hits.hits.begin(), steps.hits.hits.end(),
                       [kind](const Hit& hit) { return hit.kind == kind; });
}

/// Anchors of the cut at A, each once, best first.
std::vector<SearchSteps::Ranked> anchors_of(const SearchSteps& steps) {
  std::vector<SearchSteps::Ranked> anchors;
  for (const SearchSteps::Ranked& ranked : steps.ranked)
    if (ranked.anchor) anchors.push_back(ranked);
  std::stable_sort(anchors.begin(), anchors.end(), [](const auto& a, const auto& b) {
    return a.score > b.score || (a.score == b.score && a.position < b.position);
  });
  std::set<std::int64_t> seen;
  std::erase_if(anchors, [&seen](const auto& ranked) { return !seen.insert(ranked.position).second; });
  return anchors;
}

QString summary_name(const SearchSteps& steps, int summary) {
  const TokenRange& range = steps.summaries[static_cast<std::size_t>(summary)];
  const bool tail = summary + 1 == static_cast<int>(steps.summaries.size());
  const QString where = filled(QStringLiteral("%1–%2"), range.first, range.last - 1);
  return tail ? SearchWalk::tr("tail %1").arg(where) : where;
}

/// The best of a summary's scores; NaN where nothing was searched.
float best_score(const SearchSteps& steps, std::int64_t summary) {
  float best = NAN;
  for (std::int64_t column = 0; column < steps.scores.columns; ++column)
    best = std::fmax(best, steps.scores.at(summary, column));  // which leaves NaN out
  return best;
}

QVariant number(float score) {
  return std::isnan(score) ? QVariant() : static_cast<double>(score);
}

using TextOf = std::function<QString(std::int64_t)>;

StepRows summary_rows(const SearchSteps& steps, const TextOf& text) {
  StepRows table{{SearchWalk::tr("Summary"), SearchWalk::tr("Mean of the queries"), SearchWalk::tr("Text")}, {}};
  for (std::size_t i = 0; i < steps.summaries.size(); ++i) {
    const TokenRange& range = steps.summaries[i];
    table.rows.push_back(
        {{QString::number(i), summary_name(steps, static_cast<int>(i)), text(range.last - 1)}, range.last - 1});
  }
  return table;
}

StepRows score_rows(const SearchSteps& steps, const TextOf& text) {
  StepRows table{{SearchWalk::tr("Summary"), SearchWalk::tr("Position of the best key"), SearchWalk::tr("Best score"),
                  SearchWalk::tr("Text")},
                 {}};
  for (std::int64_t i = 0; i < steps.scores.rows; ++i) {
    const std::int64_t best = steps.best[static_cast<std::size_t>(i)];
    const bool searched = best >= 0;
    table.rows.push_back({{summary_name(steps, static_cast<int>(i)), searched ? QString::number(best) : QString(),
                           number(best_score(steps, i)), searched ? text(best) : QString()},
                          best});
  }
  return table;
}

StepRows ranked_rows(const SearchSteps& steps, const TextOf& text) {
  StepRows table{{SearchWalk::tr("Summary"), SearchWalk::tr("Position"), SearchWalk::tr("Score"),
                  SearchWalk::tr("Anchor"), SearchWalk::tr("Text")},
                 {}};
  for (const SearchSteps::Ranked& ranked : steps.ranked)
    table.rows.push_back({{summary_name(steps, ranked.summary), QString::number(ranked.position), number(ranked.score),
                           ranked.anchor ? SearchWalk::tr("yes") : QString(), text(ranked.position)},
                          ranked.position});
  return table;
}

StepRows anchor_rows(const SearchSteps& steps, const TextOf& text) {
  StepRows table{{SearchWalk::tr("Rank"), SearchWalk::tr("Position"), SearchWalk::tr("Score"),
                  SearchWalk::tr("By summary"), SearchWalk::tr("Text")},
                 {}};
  for (const SearchSteps::Ranked& anchor : anchors_of(steps))
    table.rows.push_back({{QString::number(table.rows.size() + 1), QString::number(anchor.position),
                           number(anchor.score), summary_name(steps, anchor.summary), text(anchor.position)},
                          anchor.position});
  return table;
}

StepRows slot_rows(SearchStep step, const SearchSteps& steps, const TextOf& text) {
  StepRows table{{SearchWalk::tr("No."), SearchWalk::tr("Position"), SearchWalk::tr("Kind"),
                  SearchWalk::tr("Of anchor"), SearchWalk::tr("Text")},
                 {}};
  for (const Hit& hit : slots_after(step, steps)) {
    table.rows.push_back({{QString::number(table.rows.size()), QString::number(hit.position), hit_kind_text(hit.kind),
                           hit.anchor < 0 ? QString() : QString::number(hit.anchor), text(hit.position)},
                          hit.position});
  }
  return table;
}

/// Describes how this step of a search by positions differs from the paper's; empty for steps that are the same.
QString describe_position_step(SearchStep step, const SearchSteps& steps, const SegmentConfig& config) {
  const bool centred = config.search_scores == SearchScores::Centred, windows = config.retrieve == RetrieveBy::Windows;
  if (step == SearchStep::Summaries && centred)
    return filled(SearchWalk::tr("The last %1 queries of the previous segment, of layer %2, head %3."),
                  steps.summaries[0].last - steps.summaries[0].first, steps.head.layer, steps.head.head);
  if (step == SearchStep::Scores) {
    const QString scores =
        centred ? SearchWalk::tr(
                      "For each key of the pool, minus the mean of all keys: the largest dot product with a query.")
                : SearchWalk::tr("For each key of the pool: the largest dot product with a summary.");
    if (config.search != SearchBy::Shared) return scores;
    return scores + u' ' +
           SearchWalk::tr(
               "Search heads: %1. Their z-scores over the pool are added up; the first one's scores are shown.")
               .arg(config.search_heads.size());
  }
  if (step == SearchStep::Anchors && windows)
    return filled(SearchWalk::tr("The windows of %1 positions with the best mean score, best first: %2. Each is listed "
                                 "by its best position."),
                  config.window_length, anchors_of(steps).size());
  if (step == SearchStep::Expansion && windows)
    return SearchWalk::tr("All positions of these windows are read: %1.")
        .arg(count_kind(steps, HitKind::Anchor) + count_kind(steps, HitKind::Expanded));
  return {};
}

}  // namespace

std::vector<SearchStep> steps_of(const SegmentConfig& config) {
  using enum SearchStep;
  if (is_paper_search(config)) return {Summaries, Scores, TopK, Anchors, Expansion, Padding};
  return {Summaries, Scores, Anchors, Expansion, Padding};
}

QString search_step_name(SearchStep step, const SegmentConfig& config) {
  const bool windows = config.retrieve == RetrieveBy::Windows;
  if (step == SearchStep::Summaries && config.search_scores == SearchScores::Centred) return SearchWalk::tr("Queries");
  if (step == SearchStep::Anchors && windows) return SearchWalk::tr("Windows");
  if (step == SearchStep::Expansion && windows) return SearchWalk::tr("Tokens");
  const QString names[] = {SearchWalk::tr("Summaries"), SearchWalk::tr("Scores"),    SearchWalk::tr("Top-k"),
                           SearchWalk::tr("Anchors"),   SearchWalk::tr("Expansion"), SearchWalk::tr("Padding")};
  return names[static_cast<int>(step)];
}

std::vector<QString> summary_names(const SearchSteps& steps) {
  std::vector<QString> names;
  for (int i = 0; i < static_cast<int>(steps.summaries.size()); ++i) names.push_back(summary_name(steps, i));
  return names;
}

std::vector<Hit> slots_after(SearchStep step, const SearchSteps& steps) {
  std::vector<Hit> held;
  for (const Hit& hit : steps.hits.hits)
    if (is_there(hit.kind, step)) held.push_back(hit);
  return held;
}

QString describe_step(SearchStep step, const SearchSteps& steps, const SegmentConfig& config) {
  if (!is_paper_search(config))
    if (const QString text = describe_position_step(step, steps, config); !text.isEmpty()) return text;
  const auto summaries = steps.summaries.size();
  switch (step) {
    case SearchStep::Summaries:
      return SearchWalk::
          tr("The last queries of the previous segment, averaged into %1 summaries: overlapping windows, and the tail.")
              .arg(summaries);
    case SearchStep::Scores:
      return SearchWalk::tr("Raw dot products of each summary with every unrotated key of the pool.");
    case SearchStep::TopK: {
      std::set<std::int64_t> different;
      for (const SearchSteps::Ranked& ranked : steps.ranked) different.insert(ranked.position);
      return filled(SearchWalk::tr("The best keys of each summary: %1 in all, %2 different positions."),
                    steps.ranked.size(), different.size());
    }
    case SearchStep::Anchors:
      return SearchWalk::tr("Each position with its best score; the %1 best are the anchors.")
          .arg(anchors_of(steps).size());
    case SearchStep::Expansion:
      return filled(
          SearchWalk::tr(
              "Each anchor is expanded to its neighbours, the best anchor first, until R positions are selected: %1 "
              "anchors and %2 expanded."),
          count_kind(steps, HitKind::Anchor), count_kind(steps, HitKind::Expanded));
    case SearchStep::Padding:
      return filled(SearchWalk::tr("Padded to R with the earliest unused positions (%1 added): %2 slots in total."),
                    count_kind(steps, HitKind::Padding), steps.hits.hits.size());
  }
  return {};
}

StepRows rows_of_step(SearchStep step, const SearchSteps& steps, const TextOf& text) {
  switch (step) {
    case SearchStep::Summaries:
      return summary_rows(steps, text);
    case SearchStep::Scores:
      return score_rows(steps, text);
    case SearchStep::TopK:
      return ranked_rows(steps, text);
    case SearchStep::Anchors:
      return anchor_rows(steps, text);
    default:
      return slot_rows(step, steps, text);
  }
}

}  // namespace carryover
