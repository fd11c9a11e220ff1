// SPDX-License-Identifier: GPL-3.0-or-later
// Scores of heads are what the lens sees on each probe, kind by kind.
#include "engine/heads/head_profile.h"

#include <QTest>

#include "engine/base/error.h"
#include "engine/inspection/inspect.h"
#include "engine/runs/values/replay_request.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"
#include "tests/support/tiny_family.h"

using namespace carryover;
using namespace carryover::test;

namespace {

HeadProfileRequest small_request(const ModelConfig& model) {
  HeadProfileRequest request;
  request.kinds = {ProbeKind::Needle, ProbeKind::Passage, ProbeKind::Copy};
  request.tokens = 40;
  request.needle = 8;
  request.probes = 2;
  std::vector<std::int32_t> text;
  for (int i = 0; i < 60; ++i) text.push_back(static_cast<std::int32_t>(i * 7 % model.vocabulary));
  request.text = std::make_shared<const std::vector<std::int32_t>>(text);
  return request;
}

/// The probe as a text that one segment of full attention holds.
Inspection look_at(const Decoder& decoder, const HeadProbe& probe) {
  InspectRequest request;
  request.run.ids = std::make_shared<const std::vector<std::int32_t>>(probe.ids);
  request.run.policy = "full";
  request.run.config.segment_length = 64;
  request.run.config.carry_length = 0;
  request.parts.pairs = probe.pairs;
  StateArchive archive(0);
  RunControl control;
  return inspect_segment(decoder, request, control, archive);
}

}  // namespace

class HeadProfileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void scores_are_means_of_what_the_lens_sees() {
    for (unsigned seed = 0; seed < 3; ++seed) {
      std::mt19937 random(seed);
      const ModelConfig model = random_tiny_config(random);
      const TinyDecoder tiny(model, seed, at::kDouble);
      HeadProfileRequest request = small_request(model);
      std::vector<double> shares;
      request.progress = [&](double share, const std::string&) { shares.push_back(share); };
      RunControl control;
      const HeadProfile profile = profile_heads(tiny.decoder, request, control);
      QCOMPARE(profile.kinds.size(), std::size_t{3});
      QCOMPARE(shares.size(), std::size_t{6});
      QVERIFY(std::is_sorted(shares.begin(), shares.end()) && shares.back() < 1);
      const auto probes = make_probes(request, model.vocabulary);
      for (std::size_t kind = 0; kind < 3; ++kind) {
        const ProbeScores& scores = profile.kinds[kind];
        QVERIFY(scores.kind == request.kinds[kind]);
        QVERIFY(scores.attention.layers == model.layers && scores.attention.heads == model.heads);
        const Inspection first = look_at(tiny.decoder, probes[2 * kind]);
        const Inspection second = look_at(tiny.decoder, probes[2 * kind + 1]);
        for (std::size_t cell = 0; cell < scores.attention.values.size(); ++cell) {
          const auto mean = [cell](const Map& a, const Map& b) { return (a.values[cell] + b.values[cell]) / 2.0; };
          QVERIFY(std::abs(scores.attention.values[cell] - mean(first.pair_mass, second.pair_mass)) < 1e-6);
          QVERIFY(std::abs(scores.copies.values[cell] - mean(first.pair_top, second.pair_top)) < 1e-6);
          QVERIFY(scores.attention.values[cell] > 0 && scores.attention.values[cell] < 1);
        }
      }
    }
  }

  /// The pairs stay those of the probe's own tokens.
  void a_model_that_needs_bos_gets_it() {
    ModelConfig model = windowed_of(*find_family("gemma3_text"));
    const TinyDecoder tiny(model, 3, at::kDouble);
    HeadProfileRequest request = small_request(model);
    request.kinds = {ProbeKind::Needle};
    request.probes = 1;
    HeadProbe probe = make_probes(request, model.vocabulary).front();
    const auto scores_of = [&](const Decoder& decoder) {
      RunControl control;
      return profile_heads(decoder, request, control).kinds.front().attention.values;
    };
    const auto of_lens = [&](const HeadProbe& seen) {
      const Map map = look_at(tiny.decoder, seen).pair_mass;
      return std::vector<double>(map.values.begin(), map.values.end());
    };
    Decoder decoder = tiny.decoder;
    decoder.config.bos_id.reset();
    QCOMPARE(scores_of(decoder), of_lens(probe));
    decoder.config.bos_id = 5;
    probe.ids.insert(probe.ids.begin(), 5);
    for (AttentionPair& pair : probe.pairs) ++pair.query, ++pair.key;
    QCOMPARE(scores_of(decoder), of_lens(probe));
  }

  void a_stop_ends_it() {
    std::mt19937 random(5);
    const ModelConfig model = random_tiny_config(random);
    const TinyDecoder tiny(model, 5, at::kDouble);
    HeadProfileRequest request = small_request(model);
    RunControl control;
    int probes = 0;
    request.progress = [&](double, const std::string&) {
      if (++probes == 3) control.request_stop();
    };
    const auto error = error_of([&] { profile_heads(tiny.decoder, request, control); });
    QVERIFY(error && error->fault() == Fault::Cancelled);
    QCOMPARE(probes, 3);
  }

  void what_can_not_be_probed_is_said() {
    std::mt19937 random(6);
    const ModelConfig model = random_tiny_config(random);
    const TinyDecoder tiny(model, 6, at::kDouble);
    RunControl control;
    const auto refused = [&](auto change) {
      HeadProfileRequest request = small_request(model);
      change(request);
      const auto error = error_of([&] { profile_heads(tiny.decoder, request, control); });
      return error && error->fault() == Fault::BadInput;
    };
    QVERIFY(refused([](HeadProfileRequest& request) { request.kinds.clear(); }));
    QVERIFY(refused([](HeadProfileRequest& request) { request.text = nullptr; }));
    QVERIFY(refused([](HeadProfileRequest& request) { request.tokens = 400; }));
    QVERIFY(refused([](HeadProfileRequest& request) { request.needle = 1; }));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HeadProfileTest>};
#include "head_profile_test.moc"
