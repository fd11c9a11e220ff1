// SPDX-License-Identifier: GPL-3.0-or-later
// Replays beside the record of their run.
#include <QTest>
#include <cmath>

#include "engine/base/error.h"
#include "tests/support/demo_session.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using namespace carryover::test::demo;

class ReplayCheckTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_replay_of_other_weights_is_refused() {
    const auto session = open(DType::Float32);
    const auto segments = run(*session, request());
    const RecordedSegment record{session->model().weights_hash, DType::Float32, segments[3]->target_nll,
                                 segments[3]->hits};
    RunControl control;
    const auto replay = [&](const RecordedSegment& expected) {
      WhatIfRequest what_if{request(), 3, {SegmentEdit{}}, expected};
      session->what_if(
          what_if, [](std::size_t, const WhatIfOutcome&) {}, control);
      InspectRequest look{request(), 3, {}, expected};
      look.parts.masses = true;
      session->inspect(look, control);
    };
    replay(record);
    const auto refusal = [&](auto change, Fault fault, const std::string& part) {
      RecordedSegment other = record;
      change(other);
      std::string problems = unlike(fault, part, [&] { replay(other); });
      InspectRequest look{request(), 3, {}, other};
      look.parts.masses = true;
      return problems + unlike(fault, part, [&] { session->inspect(look, control); });
    };
    QCOMPARE(refusal([](RecordedSegment& r) { r.weights_hash = "0123456789abcdef"; }, Fault::Usage,
                     "0123456789abcdef, and the open model's are " + record.weights_hash),
             std::string());
    QCOMPARE(refusal([](RecordedSegment& r) { r.dtype = DType::BFloat16; }, Fault::Usage, "made in bf16"),
             std::string());
    QCOMPARE(refusal(
                 [](RecordedSegment& r) {
                   for (float& nll : r.target_nll) nll += 0.01f;
                 },
                 Fault::BadInput, "losses differ by 0.01"),
             std::string());
    QCOMPARE(refusal([](RecordedSegment& r) { r.target_nll[5] = std::nanf(""); }, Fault::BadInput, "losses differ"),
             std::string());
    QCOMPARE(refusal([](RecordedSegment& r) { r.target_nll.pop_back(); }, Fault::BadInput, "losses, and the record"),
             std::string());
    QCOMPARE(refusal(
                 [](RecordedSegment& r) {
                   for (Hit& hit : r.hits[0].hits) hit.position += 40;
                 },
                 Fault::BadInput, "retrieved positions are others"),
             std::string());
  }

  /// The bounds are above what rounding does: other threads here, and all of a dtype's rounding (its losses and hits
  /// beside those of fp64) for what another processor may do.
  void a_replay_may_round_otherwise_data() {
    QTest::addColumn<QString>("dtype");
    for (const char* dtype : {"fp32", "bf16", "q8"}) QTest::newRow(dtype) << QString(dtype);
  }

  void a_replay_may_round_otherwise() {
    QFETCH(QString, dtype);
    const auto exact = open(dtype == "fp32" ? DType::Float64 : DType::Float32);
    const auto rounded = open(parse_dtype(dtype.toStdString()));
    const auto recorded = run(*exact, request(1500));
    RunControl control;
    for (std::size_t segment = 0; segment < recorded.size(); ++segment) {
      InspectRequest look{request(1500), static_cast<std::int64_t>(segment), {}};
      look.record = {rounded->model().weights_hash, rounded->model().dtype, recorded[segment]->target_nll,
                     recorded[segment]->hits};
      look.parts.masses = true;
      const auto error = error_of([&] { rounded->inspect(look, control); });
      QVERIFY2(!error, error ? error->what() : "");
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ReplayCheckTest>};
#include "replay_check_test.moc"
