// SPDX-License-Identifier: GPL-3.0-or-later
// An answer of an engine elsewhere is refused if a view could not index with it, whichever value it is.
#include "engine/remote/answer_check.h"

#include <QTest>
#include <cmath>
#include <functional>

#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::error_of;

namespace {

const SnapshotLimits kLimits{64, 2, 4, 500, 16, 8};  // tokens, layers, heads, vocabulary, S, M

InspectRequest request() {
  InspectRequest asked;
  asked.segment = 2;
  return asked;
}

Map heads() {
  return {2, 4, std::vector<float>(8, 0.5F)};
}

Inspection inspection() {
  Inspection made;
  made.segment = 2;
  made.hits = {{2, 1, 3, {{4, HitKind::Anchor, 1, 4, 0}, {9, HitKind::Expanded, 0, 4, 0}}}};
  made.prefix_mass = made.pair_mass = made.pair_top = heads();
  made.slot_masses = {{{1, 3}, {0.25F, 0.5F}}};
  made.attention = AttentionMap{{1, 3}, 2, 16, 1, 1, 2, {16, 18, std::vector<float>(16 * 18)}, {4, 9}};
  made.search =
      SearchSteps{{1, 3}, {{28, 31}}, 1, {1, 32, std::vector<float>(32)}, {4}, {{0, 4, 1, true}}, made.hits[0]};
  made.recall = {{{1, 3}, 0.5, 0.5, 0.5, {4, 9}}};
  made.attribution = LogitAttribution{{3, 17}, 1, 0, 0, {0, 0}, heads(), heads(), heads(), heads()};
  made.attribution->neurons = {{1, 30, 0.5F, -0.25F}};
  made.sources = TokenSources{3, {4, 9}, {8, 2, std::vector<float>(16)}, {0.5F, -0.5F}};
  made.lens = LogitLens{3, 17, std::vector<LensReading>(3), {LensReading{}}, 1};
  made.ablations = PredictionAblations{{3, 17}, {{PrefixPart::Carry, {3, 17}, {-1.5F}}}};
  made.ablations->as_it_was.top = {{17, -0.5F}};
  return made;
}

StepSnapshot step() {
  auto segment = std::make_shared<SegmentSnapshot>();
  segment->record.length = 3;
  segment->ids = {1, 2, 3};
  StepSnapshot made;
  made.record.step = 1;
  made.record.reach = {{0, 1, 1, 0.5}};
  made.segments = {segment};
  return made;
}

using Damage = std::function<void(Inspection&)>;

}  // namespace

class AnswerCheckTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_is_possible_passes() {
    check_inspection(inspection(), request(), kLimits);
    Inspection nothing;
    nothing.segment = 2;
    check_inspection(nothing, request(), kLimits);
    check_step(step(), kLimits);
    check_outcome({{0.5F, 1}, inspection().hits, 1.5}, {2, 32}, kLimits);
  }

  void inspections_with_impossible_values_are_refused_data() {
    QTest::addColumn<Damage>("damage");
    const auto row = [](const char* name, Damage damage) { QTest::newRow(name) << std::move(damage); };
    row("segment", [](Inspection& i) { i.segment = 3; });
    row("layer of hits", [](Inspection& i) { i.hits[0].layer = 2; });
    row("position of a hit", [](Inspection& i) { i.hits[0].hits[1].position = 32; });
    row("prefix masses of a layer more", [](Inspection& i) { i.prefix_mass = {3, 4, std::vector<float>(12)}; });
    row("pairs without values", [](Inspection& i) { i.pair_mass.values.pop_back(); });
    row("pairs of a head more", [](Inspection& i) { i.pair_top = {2, 5, std::vector<float>(10)}; });
    row("masses of more slots", [](Inspection& i) { i.slot_masses[0].mass.push_back(1); });
    row("masses of another head", [](Inspection& i) { i.slot_masses[0].head = {1, 2}; });
    row("masses of no head", [](Inspection& i) { i.slot_masses[0].head = {-1, 2}; });
    row("head of the map", [](Inspection& i) { i.attention->head = {1, 4}; });
    row("steps of the map", [](Inspection& i) { i.attention->key_step = 0; });
    row("rows of the map", [](Inspection& i) { i.attention->mean = {300, 1, std::vector<float>(300)}; });
    row("prefix of the map", [](Inspection& i) { i.attention->prefix_columns = 19; });
    row("positions of the map", [](Inspection& i) { i.attention->prefix_positions = {4, -7}; });
    row("fewer positions of the map", [](Inspection& i) { i.attention->prefix_positions = {4}; });
    row("summary of a rank", [](Inspection& i) { i.search->ranked[0].summary = 1; });
    row("position of a rank", [](Inspection& i) { i.search->ranked[0].position = 1 << 30; });
    row("range of a summary", [](Inspection& i) { i.search->summaries[0] = {31, 28}; });
    row("rows of the scores", [](Inspection& i) { i.search->scores = {2, 16, std::vector<float>(32)}; });
    row("steps of the scores", [](Inspection& i) { i.search->position_step = 0; });
    row("best position of a search", [](Inspection& i) { i.search->best = {1 << 30}; });
    row("fewer best positions", [](Inspection& i) { i.search->best.clear(); });
    row("hits of the search", [](Inspection& i) { i.search->hits.head = 4; });
    row("head of recall", [](Inspection& i) { i.recall[0].head.layer = 7; });
    row("position of recall", [](Inspection& i) { i.recall[0].oracle[1] = 64; });
    row("token of an attribution", [](Inspection& i) { i.attribution->prediction.token = 16; });
    row("target of an attribution", [](Inspection& i) { i.attribution->prediction.target = 500; });
    row("foil of an attribution", [](Inspection& i) { i.attribution->prediction.foil = -1; });
    row("layers of an attribution", [](Inspection& i) { i.attribution->feed_forward.pop_back(); });
    row("token of the sources", [](Inspection& i) { i.sources->token = -1; });
    row("positions of the sources", [](Inspection& i) { i.sources->positions = {4, 1 << 30}; });
    row("order of the sources", [](Inspection& i) { i.sources->positions = {9, 4}; });
    row("rows of the sources", [](Inspection& i) { i.sources->attention = {2, 8, std::vector<float>(16)}; });
    row("logits of the sources", [](Inspection& i) { i.sources->logit.pop_back(); });
    row("sinks of an attribution", [](Inspection& i) { i.attribution->sinks = {}; });
    row("layer of a neuron", [](Inspection& i) { i.attribution->neurons[0].layer = 2; });
    row("number of a neuron", [](Inspection& i) { i.attribution->neurons[0].neuron = -1; });
    row("token of a lens", [](Inspection& i) { i.lens->token = 16; });
    row("target of a lens", [](Inspection& i) { i.lens->target = 500; });
    row("layers of a lens", [](Inspection& i) { i.lens->residual.pop_back(); });
    row("likeliest token of a lens", [](Inspection& i) { i.lens->residual[2].top.id = -1; });
    row("first layer with a carry", [](Inspection& i) { i.lens->first_carry_layer = 0; });
    row("token of an ablation", [](Inspection& i) { i.ablations->without[0].prediction.token = 16; });
    row("tokens of an ablation", [](Inspection& i) { i.ablations->without[0].logprobs.clear(); });
    row("likeliest token of a prediction", [](Inspection& i) { i.ablations->as_it_was.top[0].id = 500; });
    row("map of an attribution", [](Inspection& i) { i.attribution->retrieved = {1, 8, std::vector<float>(8)}; });
  }
  void inspections_with_impossible_values_are_refused() {
    QFETCH(Damage, damage);
    Inspection damaged = inspection();
    damage(damaged);
    const auto error = error_of([&] { check_inspection(damaged, request(), kLimits); });
    QVERIFY(error && error->fault() == Fault::BadInput);
  }

  void outcomes_with_impossible_values_are_refused() {
    QVERIFY(error_of([] { check_outcome({std::vector<float>(17), {}, 0}, {2, 32}, kLimits); }));
    QVERIFY(error_of([] { check_outcome({{}, {{2, 9, 0, {}}}, 0}, {2, 32}, kLimits); }));
    QVERIFY(error_of([] { check_outcome({{}, inspection().hits, 0}, {1, 32}, kLimits); }));
    QVERIFY(error_of([] { check_outcome({{}, {}, 0, Prediction{16, 17}}, {2, 32}, kLimits); }));
    QVERIFY(!error_of([] { check_sweep({Prediction{1, 2}, {}, 0}, kLimits); }));
    QVERIFY(error_of([] { check_sweep({Prediction{16, 17}, {}, 0}, kLimits); }));
    QVERIFY(error_of([] { check_sweep({Prediction{1, 2}, {}, -1}, kLimits); }));
  }

  void steps_with_impossible_values_are_refused() {
    const auto refused = [](const std::function<void(StepSnapshot&, SegmentSnapshot&)>& damage) {
      StepSnapshot damaged = step();
      auto segment = std::make_shared<SegmentSnapshot>(*damaged.segments[0]);
      damage(damaged, *segment);
      if (damaged.segments[0]) damaged.segments[0] = segment;
      return error_of([&] { check_step(damaged, kLimits); }).has_value();
    };
    QVERIFY(!refused([](StepSnapshot&, SegmentSnapshot&) {}));
    QVERIFY(refused([](StepSnapshot& s, SegmentSnapshot&) { s.segments[0] = nullptr; }));
    QVERIFY(refused([](StepSnapshot& s, SegmentSnapshot&) { s.record.step = -1; }));
    QVERIFY(refused([](StepSnapshot& s, SegmentSnapshot&) { s.record.reach[0].age = 0; }));
    QVERIFY(refused([](StepSnapshot& s, SegmentSnapshot&) { s.record.reach[0].transition = -4; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.record.length = 1'000'000'000; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.ids[1] = 500; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.hits = {{0, 1, 7, {}}}; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.carry_drift = {9, 1, std::vector<float>(9)}; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.sinks = {2, 7, std::vector<float>(14)}; }));
    const auto of_sinks = [&](float value, std::size_t place = 11) {
      return refused([&](StepSnapshot&, SegmentSnapshot& s) {
        s.sinks = {kLimits.layers, 8, std::vector<float>(static_cast<std::size_t>(8 * kLimits.layers), 0.2F)};
        s.sinks.values[place] = value;
      });
    };
    QVERIFY(!of_sinks(100) && !of_sinks(0));  // a norm
    QVERIFY(of_sinks(NAN) && of_sinks(-1) && of_sinks(INFINITY));
    QVERIFY(of_sinks(0.5, 12) && of_sinks(-0.1F, 12) && !of_sinks(0.4F, 12));  // a share, beside three of 0.2
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.sinks = {-2, -8, std::vector<float>(16)}; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.sinks = {1LL << 61, 8, {}}; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.sinks = {1LL << 61, 8, std::vector<float>(8)}; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.record.sinks = SinkSummary{NAN, 0, 0, 0, 1, false}; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.record.sinks = SinkSummary{0, 0, 0, 0, -1, false}; }));
    QVERIFY(refused([](StepSnapshot&, SegmentSnapshot& s) { s.record.sinks = SinkSummary{0.8, 0.8, 0, 0, 1, false}; }));
    QVERIFY(!refused([](StepSnapshot&, SegmentSnapshot& s) { s.record.sinks = SinkSummary{0.5, 0.1, 0, 0, 1, true}; }));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AnswerCheckTest>};
#include "answer_check_test.moc"
