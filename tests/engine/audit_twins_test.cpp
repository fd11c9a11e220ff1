// SPDX-License-Identifier: GPL-3.0-or-later
// Each check of the audit has a twin here that it rejects: a trainer, or a way to run a text, with one thing wrong.
#include <QTest>

#include "engine/training/forward_audit.h"
#include "tests/support/test_program.h"
#include "tests/support/wrong_trainers.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr std::int64_t kSegments = 4;

/// Four segments of a small GQA model; every kind of head.
struct Twin {
  ModelConfig model = tiny_config(4, 4, 2, 8, 97);
  AuditRequest request;
  TinyDecoder tiny;
  RunControl control;

  explicit Twin(std::int64_t depth, at::ScalarType type = at::kDouble, std::int64_t segments = kSegments)
      : tiny(model, 21, type) {
    SegmentConfig& config = request.config;
    config.segment_length = 10;
    config.carry_length = 6;
    config.retrieval_length = 8;
    config.truncation_depth = depth;
    config.query_length = 4;
    config.summary_window = 3;
    config.summary_stride = 2;
    config.top_k = 4;
    config.expand_before = config.expand_after = 1;
    config.grouping = Grouping({1}, {{1, 2}});
    std::mt19937 random(22);
    request.ids =
        std::make_shared<const std::vector<std::int32_t>>(distinct_ids(random, segments * 10 - 3, model.vocabulary));
  }

  Decoder& decoder() { return tiny.decoder; }
  AuditedTrainer right() { return real_trainer(decoder(), request, request.config); }
  AuditedTrainer with(const std::function<void(SegmentConfig&)>& change) {
    SegmentConfig config = request.config;
    change(config);
    return real_trainer(decoder(), request, config);
  }
  AuditReport report(const AuditedTrainer& trainer) { return audit_trainer(decoder(), request, trainer, control); }
};

/// The pool's last entries are not those of the last segment; its size is right, and nobody reads them.
class SpoilsLastAppend final : public SamePolicy {
 public:
  using SamePolicy::SamePolicy;
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const override {
    if (state.next.index == kSegments - 1)
      for (LayerTrace& trace : traces)
        if (trace.past_values.defined()) trace.past_values = -trace.past_values;
    SamePolicy::commit(state, std::move(traces), m);
  }
};

/// Counts what a segment may do once.
class Counts final : public SamePolicy {
 public:
  using SamePolicy::SamePolicy;
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const override {
    ++contexts;
    return SamePolicy::context(state, layer, rope);
  }
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const override {
    ++commits;
    SamePolicy::commit(state, std::move(traces), m);
  }
  static inline int contexts = 0, commits = 0;
};

/// As the authors train: windows of K + 1 segments, each from an empty carry and an empty pool.
AuditedTrainer windows_from_empty(Twin& twin) {
  return [&twin](TrainableParameters& parameters, const AuditedRun& run) {
    const SegmentConfig& config = twin.request.config;
    const std::int64_t window = (config.truncation_depth + 1) * config.segment_length;
    SampleGradient all;
    for (std::int64_t first = 0; first < std::ssize(*twin.request.ids); first += window) {
      const std::int64_t count = std::min(window, std::ssize(*twin.request.ids) - first);
      GradientSetup setup{"segmented", config, run.checkpointing};
      setup.watch = run.watch;
      setup.keep_pool = true;
      const std::span<const std::int32_t> ids(*twin.request.ids);
      const SampleGradient part =
          add_sample_gradient(twin.decoder(), parameters, setup,
                              ids.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
      all.nll_sum += part.nll_sum;
      all.segment_nll.insert(all.segment_nll.end(), part.segment_nll.begin(), part.segment_nll.end());
      all.pool = part.pool;
    }
    return all;
  };
}

/// K = 0, and each segment is run again for its gradient when the pool holds it already: the second run retrieves from
/// a pool with the segment's own keys. The losses are those of the first run.
AuditedTrainer searches_its_own_keys(Twin& twin) {
  return [&twin](TrainableParameters& parameters, const AuditedRun& run) {
    parameters.make_gradients();
    const SegmentConfig& config = twin.request.config;
    PreparedRun prepared(twin.decoder(), {"segmented", config, std::ssize(*twin.request.ids)});
    Ropes ropes(twin.model, twin.model.rope, 0, twin.decoder().options());
    const at::Tensor ids = as_tensor(*twin.request.ids);
    SampleGradient sample;
    for (std::int64_t first = 0; first < ids.size(0); first += config.segment_length) {
      const std::int64_t length = std::min(config.segment_length, ids.size(0) - first);
      const std::int64_t targets = std::min(length, ids.size(0) - first - 1);
      const at::Tensor segment = ids.narrow(0, first, length);
      const auto loss = [&](const at::Tensor& hidden) {
        return target_nll(twin.decoder(), hidden.narrow(0, 0, targets), ids.narrow(0, first + 1, targets))
            .sum(at::kDouble);
      };
      SegmentRunner& runner = prepared.runner();
      const auto before = runner.state().clone();
      {
        const at::NoGradGuard first_run;
        sample.segment_nll.push_back(loss(runner.run_segment(segment)).item<double>());
        sample.nll_sum += sample.segment_nll.back();
      }
      auto searched = runner.state().clone();
      searched->carry = before->carry.detached();
      searched->next = before->next;
      const at::AutoGradMode with_gradients(true);
      SegmentRunner again({twin.decoder(), prepared.policy(), ropes, {}, run.checkpointing, {}, run.watch}, config);
      again.resume(std::move(searched));
      loss(again.peek_segment(segment)).backward();
    }
    sample.pool = prepared.runner().state().pool_contents();
    return sample;
  };
}

/// A report that fails what is listed and nothing else; `either` may fail or not.
bool fails_only(const AuditReport& report, const std::vector<std::string>& names, const std::string& either = "none") {
  for (const AuditCheck& check : report.checks) {
    if (check.name.find(either) != std::string::npos) continue;
    const bool listed = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return check.name.find(name) != std::string::npos;
    });
    if (check.passed() == listed) return false;
  }
  return true;
}

}  // namespace

class AuditTwinsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void the_trainer_passes() {
    for (const std::int64_t depth : {0, 1, 2}) {
      Twin twin(depth);
      const AuditReport report = twin.report(twin.right());
      QVERIFY2(report.passed(), failures(report).c_str());
    }
  }

  void another_depth_fails_data() {
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("trained");
    QTest::addColumn<at::ScalarType>("type");
    for (const int depth : {0, 1, 2})
      for (const int change : {-1, 1})
        for (const at::ScalarType type : {at::kDouble, at::kFloat})
          if (depth + change >= 0)
            QTest::addRow("K=%d, trained with %d, %s", depth, depth + change, c10::toString(type))
                << depth << depth + change << type;
  }
  void another_depth_fails() {
    QFETCH(int, depth);
    QFETCH(int, trained);
    QFETCH(at::ScalarType, type);
    Twin twin(depth, type);
    const AuditReport report = twin.report(twin.with([&](SegmentConfig& c) { c.truncation_depth = trained; }));
    std::vector<std::string> wrong = {"explicit L_K", ", not K = " + std::to_string(trained)};
    if (type == at::kDouble) wrong.push_back("finite differences");
    const std::string other_side = ", not K = " + std::to_string(2 * depth - trained);
    QVERIFY2(fails_only(report, wrong, other_side), failures(report).c_str());
  }

  void margins_are_distances_to_the_neighbours() {
    Twin twin(1);
    const auto gradient = [&](std::int64_t depth) {
      TrainableParameters parameters(twin.decoder());
      twin.with([&](SegmentConfig& c) { c.truncation_depth = depth; })(parameters, {});
      std::vector<at::Tensor> parts;
      for (const at::Tensor& part : parameters.take_gradients()) parts.push_back(part.flatten());
      return at::cat(parts);
    };
    const at::Tensor right = gradient(1);
    std::map<std::string, double> margins;
    for (const AuditCheck& check : twin.report(twin.right()).checks) margins[check.name] = check.margin;
    const auto expected = [&](std::int64_t depth) {
      return ((gradient(depth) - right).norm() / right.norm()).item<double>();
    };
    QVERIFY(std::abs(margins.at("gradient is of K = 1, not K = 0") - expected(0)) < 1e-9);
    QVERIFY(std::abs(margins.at("gradient is of K = 1, not K = 2") - expected(2)) < 1e-9);
    QVERIFY(std::abs(margins.at("gradient = explicit L_K") - std::min(expected(0), expected(2))) < 1e-9);
    QVERIFY(margins.at("∂R/∂θ = 0") == 0);
    for (const AuditCheck& check : twin.report(twin.with([](SegmentConfig& c) { c.truncation_depth = 2; })).checks)
      if (check.name == "gradient is of K = 1, not K = 2") QVERIFY(std::abs(check.difference - 1) < 1e-6);
  }

  /// Many transitions through a carry of one token: less than rounding does. It is not "passed", whatever K was
  /// trained; fp64 can tell.
  void what_a_dtype_cannot_tell_is_not_passed() {
    for (const at::ScalarType type : {at::kBFloat16, at::kDouble}) {
      Twin twin(3, type, 5);
      twin.request.config.carry_length = 1;
      const AuditReport report = twin.report(twin.right());
      const AuditReport wrong = twin.report(twin.with([](SegmentConfig& c) { c.truncation_depth = 4; }));
      QCOMPARE(fails(report, "tells K = 3 from K = 4"), type == at::kBFloat16);
      QCOMPARE(report.passed(), type == at::kDouble);
      QVERIFY(!wrong.passed());
    }
  }

  /// Up to K + 1 segments every deeper K has the same gradient: there is nothing to tell.
  void a_short_text_has_no_deeper_neighbour() {
    Twin twin(3);
    const AuditReport report = twin.report(twin.with([](SegmentConfig& c) { c.truncation_depth = 4; }));
    QVERIFY2(report.passed(), failures(report).c_str());
    const auto names = [&](const std::string& name) {
      return std::any_of(report.checks.begin(), report.checks.end(),
                         [&](const AuditCheck& check) { return check.name == name; });
    };
    QVERIFY(names("gradient is of K = 3, not K = 2"));
    QVERIFY(!names("gradient is of K = 3, not K = 4"));
  }

  void a_dropped_target_fails() {
    Twin twin(1);
    const AuditReport report = twin.report(twin.with([](SegmentConfig& c) { c.cross_boundary_target = false; }));
    QVERIFY(fails(report, "training forward"));
    QVERIFY(fails(report, "explicit L_K"));
    QVERIFY(fails(report, "each tensor's direction"));
    QVERIFY(fails(report, "8 fixed directions"));
  }

  void windows_that_start_from_an_empty_carry_fail() {
    Twin twin(1);
    const AuditReport report = twin.report(windows_from_empty(twin));
    QVERIFY(fails(report, "training forward"));
    QVERIFY(fails(report, "explicit L_K"));
  }

  void a_search_among_the_segments_own_keys_fails() {
    Twin twin(0);
    const AuditReport report = twin.report(searches_its_own_keys(twin));
    QVERIFY(!fails(report, "training forward"));  // the losses are the first run's
    QVERIFY(fails(report, "explicit L_K"));
    QVERIFY(fails(report, "finite differences"));
  }

  void a_trainer_that_is_not_seen_fails() {
    Twin twin(1);
    const AuditReport report = twin.report([&](TrainableParameters& parameters, const AuditedRun& run) {
      return twin.right()(parameters, {run.checkpointing, {}});
    });
    QVERIFY2(fails_only(report, {"∂R/∂θ"}), failures(report).c_str());
  }

  void a_recomputation_that_retrieves_less_fails() {
    Twin twin(1);
    const AuditedTrainer less = twin.with([](SegmentConfig& c) { c.retrieval_length = 5; });
    const AuditReport report = twin.report(two_trainers(twin.right(), less));
    QVERIFY(fails(report, "checkpointing: same losses"));
    QVERIFY(fails(report, "checkpointing: same gradient"));
    QVERIFY(!fails(report, "explicit L_K") && !fails(report, "training forward"));
  }

  void a_recomputation_with_another_gradient_fails() {
    Twin twin(1);
    const AuditedTrainer deeper = twin.with([](SegmentConfig& c) { c.truncation_depth = 2; });
    const AuditReport report = twin.report(two_trainers(twin.right(), deeper));
    QVERIFY2(fails_only(report, {"checkpointing: same gradient"}), failures(report).c_str());
  }

  /// Plain backpropagation over all four segments is exact at K = 3: only the pool differs, by contents alone.
  void a_pool_of_the_same_size_and_other_contents_fails() {
    Twin twin(3);
    const AuditedTrainer right = chunked_trainer(twin.decoder(), twin.request, kSegments);
    QVERIFY(twin.report(right).passed());
    const auto spoilt = chunked_trainer<SpoilsLastAppend>(twin.decoder(), twin.request, kSegments);
    const AuditReport report = twin.report(two_trainers(right, spoilt));
    QVERIFY2(fails_only(report, {"checkpointing: same pool"}), failures(report).c_str());
  }

  void a_recomputation_that_appends_again_fails() {
    Twin twin(3);
    const AuditedTrainer right = chunked_trainer(twin.decoder(), twin.request, kSegments);
    const auto twice = chunked_trainer<AppendsTwice>(twin.decoder(), twin.request, kSegments);
    const AuditReport report = twin.report(two_trainers(right, twice));
    QVERIFY(fails(report, "checkpointing: same pool"));
    QVERIFY(fails(report, "checkpointing: same losses"));
  }

  void a_recomputation_neither_searches_nor_appends() {
    Twin twin(3);
    const AuditedTrainer trainer = chunked_trainer<Counts>(twin.decoder(), twin.request, kSegments);
    for (const bool checkpointing : {false, true}) {
      Counts::contexts = Counts::commits = 0;
      TrainableParameters parameters(twin.decoder());
      trainer(parameters, {checkpointing, {}});
      QCOMPARE(Counts::contexts, static_cast<int>(kSegments * twin.model.layers));
      QCOMPARE(Counts::commits, static_cast<int>(kSegments));
    }
  }

  void another_forward_fails_data() {
    QTest::addColumn<at::ScalarType>("type");
    for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kBFloat16})
      QTest::newRow(c10::toString(type)) << type;
  }
  /// Chunks, or single tokens, that do not see the carry.
  void another_forward_fails() {
    QFETCH(at::ScalarType, type);
    Twin twin(1, type);
    const TextRunner right = text_runner(twin.request, twin.control);
    AuditRequest without = twin.request;
    without.config.carry_length = 0;
    const TextRunner wrong = text_runner(without, twin.control);
    const auto passed = [&](Feed broken) {
      const auto run = [&](const Decoder& decoder, Feed feed, const std::vector<HeadHits>& forced) {
        return (feed == broken ? wrong : right)(decoder, feed, forced);
      };
      std::vector<bool> each;
      for (const AuditCheck& check : forward_checks(twin.decoder(), twin.request, run)) each.push_back(check.passed());
      return each;
    };
    QCOMPARE(passed(Feed::Chunks), (std::vector<bool>{false, true}));
    QCOMPARE(passed(Feed::Tokens), (std::vector<bool>{true, false}));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AuditTwinsTest>};
#include "audit_twins_test.moc"
