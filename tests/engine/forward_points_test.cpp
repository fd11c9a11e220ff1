// SPDX-License-Identifier: GPL-3.0-or-later
// The points of the forward pass: what they hold fits together, a value put back changes nothing, and one of another
// run moves what comes after it alone.
#include <QTest>
#include <cmath>
#include <limits>

#include "engine/inspection/inspect.h"
#include "engine/runs/values/forward_point.h"
#include "tests/support/patch_case.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr double kRounding = 1e-5;  ///< values are copied in fp32

Inspection inspect(PatchCase& c, const RunRequest& run, const std::vector<PointRef>& points) {
  InspectRequest request;
  request.run = run;
  request.segment = PatchCase::segment;
  request.parts.points = points;
  return inspect_segment(c.tiny.decoder, request, c.control, c.archive);
}

Map values_of(PatchCase& c, const RunRequest& run, PointRef place) {
  return inspect(c, run, {place}).points.front().values;
}

double difference(const Map& a, const Map& b) {
  if (a.rows != b.rows || a.columns != b.columns) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    largest = std::max(largest, std::abs(double(a.values[i]) - double(b.values[i])));
  return largest;
}

Map sum(Map a, const Map& b) {
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] += b.values[i];
  return a;
}

WhatIfOutcome patched(PatchCase& c, PointRef place, const Map& values, std::int64_t first = 0) {
  SegmentEdit edit;
  edit.point_patches.push_back({place, first, values});
  WhatIfRequest request{c.request, PatchCase::segment, {edit}};
  request.prediction = PredictionQuestion{c.length() - 1, 0};
  return c.run(request).edited;
}

WhatIfOutcome as_it_was(PatchCase& c, const RunRequest& run) {
  WhatIfRequest request{run, PatchCase::segment, {}};
  request.prediction = PredictionQuestion{c.length() - 1, 0};
  return c.run(request).base.as_it_was;
}

const std::vector<ForwardPoint>& all_points() {
  using enum ForwardPoint;
  static const std::vector<ForwardPoint> all{Entering,  Queries,  Keys,    Values,      HeadOutputs,
                                             Attention, Attended, Neurons, FeedForward, Leaving};
  return all;
}

}  // namespace

class ForwardPointsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void the_residual_stream_is_the_sum_of_what_is_added() {
    using enum ForwardPoint;
    for (unsigned seed = 0; seed < 8; ++seed) {
      PatchCase c(seed);
      for (int layer = 0; layer < c.model.layers; ++layer) {
        const auto at = [&](ForwardPoint point) { return values_of(c, c.request, {layer, point}); };
        QCOMPARE(at(Entering).rows, c.length());
        QCOMPARE(at(Queries).columns, c.model.heads * c.model.head_dim);
        QCOMPARE(at(Keys).columns, c.model.kv_heads * c.model.head_dim);
        QCOMPARE(at(Values).columns, at(Keys).columns);
        QCOMPARE(at(HeadOutputs).columns, at(Queries).columns);
        QCOMPARE(at(Neurons).columns, c.model.intermediate);
        QVERIFY(difference(at(Attended), sum(at(Entering), at(Attention))) < kRounding);
        QVERIFY(difference(at(Leaving), sum(at(Attended), at(FeedForward))) < kRounding);
        if (layer > 0) QVERIFY(difference(at(Entering), values_of(c, c.request, {layer - 1, Leaving})) == 0);
      }
    }
  }

  void several_points_come_in_the_order_of_the_request() {
    PatchCase c(20);
    const std::vector<PointRef> asked{{1, ForwardPoint::Neurons}, {0, ForwardPoint::Keys}, {1, ForwardPoint::Entering}};
    const Inspection seen = inspect(c, c.request, asked);
    QCOMPARE(seen.points.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      QVERIFY(seen.points[i].place == asked[i]);
      QVERIFY(difference(seen.points[i].values, values_of(c, c.request, asked[i])) == 0);
    }
    QVERIFY(error_of([&] { values_of(c, c.request, {99, ForwardPoint::Keys}); }));
  }

  void a_value_that_is_put_back_changes_nothing() {
    for (unsigned seed = 30; seed < 36; ++seed)
      for (const ForwardPoint point : all_points()) {
        PatchCase c(seed);
        const PointRef place{static_cast<int>(c.model.layers) - 1, point};
        const WhatIfOutcome before = as_it_was(c, c.request);
        const WhatIfOutcome after = patched(c, place, values_of(c, c.request, place));
        QVERIFY2(std::abs(before.prediction->logit - after.prediction->logit) < kRounding,
                 forward_point_name(point).data());
      }
  }

  /// The residual stream that leaves a layer is all that the layers above get of it.
  void what_leaves_the_last_layer_decides_the_prediction() {
    for (unsigned seed = 40; seed < 44; ++seed) {
      PatchCase c(seed);
      const PointRef place{static_cast<int>(c.model.layers) - 1, ForwardPoint::Leaving};
      const WhatIfOutcome other = as_it_was(c, c.other);
      const WhatIfOutcome mixed = patched(c, place, values_of(c, c.other, place));
      QVERIFY(std::abs(other.prediction->foil_logit - mixed.prediction->foil_logit) < kRounding);
    }
  }

  void each_point_moves_the_prediction() {
    for (const ForwardPoint point : all_points()) {
      PatchCase c(50);
      const PointRef place{0, point};
      const WhatIfOutcome before = as_it_was(c, c.request);
      const WhatIfOutcome mixed = patched(c, place, values_of(c, c.other, place));
      QVERIFY2(std::abs(before.prediction->logit - mixed.prediction->logit) > 1e-6, forward_point_name(point).data());
    }
  }

  void a_patch_of_late_tokens_leaves_the_losses_of_earlier_ones() {
    PatchCase c(60);
    const PointRef place{0, ForwardPoint::Values};
    Map last = values_of(c, c.other, place);
    last.values.erase(last.values.begin(), last.values.end() - 2 * last.columns);
    last.rows = 2;
    const WhatIfOutcome before = as_it_was(c, c.request), after = patched(c, place, last, c.length() - 2);
    for (std::size_t i = 0; i + 2 < before.target_nll.size() && i < static_cast<std::size_t>(c.length() - 2); ++i)
      QCOMPARE(before.target_nll[i], after.target_nll[i]);
    QVERIFY(before.prediction->logit != after.prediction->logit);
  }

  void a_patch_of_another_shape_is_refused() {
    PatchCase c(70);
    const PointRef place{0, ForwardPoint::Keys};
    const Map values = values_of(c, c.request, place);
    const auto refused = [&](PointRef at, const Map& map, std::int64_t first) {
      return error_of([&] { patched(c, at, map, first); }).has_value();
    };
    QVERIFY(!refused(place, values, 0));
    QVERIFY(refused(place, values, 1));
    QVERIFY(refused(place, values, -1));
    QVERIFY(refused(place, values, std::numeric_limits<std::int64_t>::max()));
    QVERIFY(refused({99, ForwardPoint::Keys}, values, 0));
    QVERIFY(refused({0, ForwardPoint::Neurons}, Map{1, 1, {0.F}}, 0));
    QVERIFY(refused(place, Map{2, values.columns, {0.F}}, 0));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ForwardPointsTest>};
#include "forward_points_test.moc"
