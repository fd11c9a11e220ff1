// SPDX-License-Identifier: GPL-3.0-or-later
// select_hits: the reference against core/hit_selection, and the CUDA kernel, run on the CPU, against the reference.
#include <QTest>

#include "engine/runs/values/hit_selection.h"
#include "tests/support/kernels/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "tests/support/kernel_runs/select_hits.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;

namespace {

/// Returns the hits that the engine selects from the same rows.
std::vector<Hit> by_the_rule(const SelectHitsCase& c, std::int32_t head) {
  std::vector<Candidate> candidates;
  for (std::int32_t summary = 0; summary < c.args.summaries; ++summary)
    for (std::int32_t rank = 0; rank < c.args.kept; ++rank) {
      const auto at = static_cast<std::size_t>((head * c.args.summaries + summary) * c.args.row_stride + rank);
      if (c.indices[at] >= 0) candidates.push_back({c.indices[at], c.scores[at], summary});
    }
  const SelectionRule rule{c.args.anchors, c.args.expand_before, c.args.expand_after, c.args.length};
  return select_hits(candidates, rule, c.args.entries);
}

/// Returns the hits that positions and origins stand for.
std::vector<Hit> hits_of(const SelectHitsCase& c, const SelectHitsResult& result, std::int32_t head) {
  std::vector<Hit> hits;
  const std::int64_t first_row = std::int64_t{head} * c.args.summaries * c.args.row_stride;
  for (std::int32_t slot = 0; slot < c.args.length; ++slot) {
    const auto at = static_cast<std::size_t>(std::int64_t{head} * c.args.length + slot);
    Hit& hit = hits.emplace_back(Hit{.position = result.positions[at]});
    if (result.origins[at] < 0) continue;
    const auto candidate = static_cast<std::size_t>(first_row + result.origins[at]);
    hit.anchor = c.indices[candidate];
    hit.score = c.scores[candidate];
    hit.summary = result.origins[at] / c.args.row_stride;
    hit.kind = hit.anchor == hit.position ? HitKind::Anchor : HitKind::Expanded;
  }
  return hits;
}

}  // namespace

class SelectHitsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reference_equals_the_rule() {
    int kinds[3] = {0, 0, 0}, ties = 0;
    for (int n = 0; n < kernel_cases::case_count; ++n) {
      const SelectHitsCase c = kernel_cases::select_hits_case(n);
      const SelectHitsResult result = run_reference(c);
      for (std::int32_t head = 0; head < c.args.heads; ++head) {
        const std::vector<Hit> hits = by_the_rule(c, head);
        QVERIFY2(hits_of(c, result, head) == hits, qPrintable(QString("case %1").arg(n)));
        for (const Hit& hit : hits) ++kinds[static_cast<int>(hit.kind)];
      }
      for (std::size_t i = 1; i < c.scores.size(); ++i) ties += c.indices[i] >= 0 && c.scores[i] == c.scores[i - 1];
    }
    QVERIFY2(kinds[0] > 1000 && kinds[1] > 1000 && kinds[2] > 1000, "each kind is meant to be common");
    QVERIFY2(ties > 1000, "the cases are meant to hold ties");
  }

  void device_code_equals_reference() {
    for (int n = 0; n < kernel_cases::case_count; n += 7) {
      const SelectHitsCase c = kernel_cases::select_hits_case(n);
      QVERIFY2(agrees(c, n), qPrintable(QString("case %1").arg(n)));
    }
  }

  /// As many candidates and slots as the kernel's shared memory holds.
  void device_code_takes_the_largest() {
    kernel_cases::Draw draw(3);
    SelectHitsCase c;
    c.args.heads = 1;
    c.args.summaries = 64, c.args.kept = c.args.row_stride = select_hits_max_candidates / 64;
    c.args.entries = 3 * select_hits_max_length, c.args.length = select_hits_max_length;
    c.args.anchors = 100, c.args.expand_before = 3, c.args.expand_after = 4;
    for (int row = 0; row < 64; ++row) kernel_cases::add_ranked_row(draw, c);
    QVERIFY(run_device_code(c) == run_reference(c));
  }

  /// A pool whose scores were all NaN leaves no candidate: the lowest positions are taken.
  void without_candidates_everything_is_padding() {
    SelectHitsCase c;
    c.args.heads = c.args.summaries = 1;
    c.args.kept = c.args.row_stride = 2;
    c.args.entries = 9, c.args.length = 3, c.args.anchors = 4, c.args.expand_before = c.args.expand_after = 1;
    c.scores.assign(2, -std::numeric_limits<float>::infinity());
    c.indices.assign(2, -1);
    const SelectHitsResult expected{{0, 1, 2}, {-1, -1, -1}};
    QVERIFY(run_reference(c) == expected);
    QVERIFY(run_device_code(c) == expected);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SelectHitsTest>};
#include "select_hits_test.moc"
