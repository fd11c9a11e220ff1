// SPDX-License-Identifier: GPL-3.0-or-later
// Forward identity of the kernels that run, with every RoPE scaling and on every partition: training, with
// checkpointing too, whole segments, chunks and token by token, against each other and against a plain LLaMA.
#include <ATen/core/LegacyTypeDispatch.h>

#include <QTest>
#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/method/segment_loss.h"
#include "engine/runs/generation.h"
#include "engine/runs/values/partition.h"
#include "tests/support/plain_llama.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

enum class Way { Training, Checkpointed, Whole, Chunks, Tokens };

/// A text, where its segments end, and a model of the heads that real ones have (d = 64).
struct Case {
  ModelConfig model = tiny_config(2, 4, 2, 64, 160);
  SegmentConfig config;
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> lengths;

  explicit Case(const std::string& rope, const std::string& partition) {
    model.rope = scaling(rope);
    config.segment_length = 24;
    config.carry_length = 10;
    config.retrieval_length = 12;
    config.query_length = 8;
    config.summary_window = 4;
    config.summary_stride = 2;
    config.top_k = 4;
    config.expand_before = config.expand_after = 1;
    config.grouping = Grouping({1}, {{1, 2}});
    std::mt19937 random(31);
    if (partition == "S") {
      ids = distinct_ids(random, 3 * 24 + 5, model.vocabulary);
      lengths = {24, 24, 24, 5};
      return;
    }
    config.boundary_at_prompt_end = true;
    if (partition == "M = S, r = 1") config.carry_length = 24;
    const std::int64_t prompt = partition == "r = 7" ? 24 + 7 : 2 * 24 + 1;
    ids = distinct_ids(random, prompt + 24 + 3, model.vocabulary);
    lengths = prompt_partition(prompt, config);
    lengths.insert(lengths.end(), {24, 3});  // what is decoded
  }

  static RopeConfig scaling(const std::string& name) {
    RopeConfig rope;
    rope.theta = 500;
    if (name == "linear") rope.kind = RopeConfig::Kind::Linear, rope.factor = 8;
    if (name == "dynamic") rope.kind = RopeConfig::Kind::Dynamic, rope.factor = 2, rope.original_context = 16;
    if (name == "llama3")
      rope.kind = RopeConfig::Kind::Llama3, rope.factor = 8, rope.high_frequency_factor = 4, rope.original_context = 64;
    return rope;
  }
};

struct Result {
  at::Tensor hidden;  ///< [T, D], detached
  std::vector<HeadHits> hits;
};

Result run(Decoder& decoder, const Case& c, Way way, const std::vector<HeadHits>& forced) {
  const bool training = way == Way::Training || way == Way::Checkpointed;
  const at::AutoGradMode mode(training);
  for (LayerWeights& layer : decoder.weights.layers) layer.qkv.requires_grad_(training);
  std::optional<at::AutoDispatchBelowADInplaceOrView> as_generation_runs;
  if (way == Way::Tokens) as_generation_runs.emplace();
  PreparedRun prepared(decoder, {"segmented", c.config, std::ssize(c.ids), forced, {}, way == Way::Checkpointed});
  SegmentRunner& runner = prepared.runner();
  const at::Tensor ids = as_tensor(c.ids);
  Result result;
  std::vector<at::Tensor> hidden;
  std::int64_t first = 0;
  for (const std::int64_t length : c.lengths) {
    result.hits.insert(result.hits.end(), runner.state().hits.begin(), runner.state().hits.end());
    if (way == Way::Chunks || way == Way::Tokens) {
      for (std::int64_t done = 0; done < length;) {
        const std::int64_t chunk = way == Way::Tokens ? 1 : (length - done + 2) / 3;
        hidden.push_back(runner.extend(ids.narrow(0, first + done, chunk)));
        done += chunk;
      }
      runner.close();
    } else {
      hidden.push_back(runner.run_segment(ids.narrow(0, first, length)).detach());
    }
    first += length;
  }
  result.hidden = at::cat(hidden, 0);
  return result;
}

/// Losses of all targets, [T − 1].
at::Tensor losses(const Decoder& decoder, const Case& c, const at::Tensor& hidden) {
  const at::NoGradGuard no_gradients;
  const std::int64_t targets = std::ssize(c.ids) - 1;
  return target_nll(decoder, hidden.narrow(0, 0, targets), as_tensor(c.ids).narrow(0, 1, targets)).to(at::kDouble);
}

at::Tensor losses(const Case& c, const Rows& logits) {
  std::vector<double> all;
  for (std::size_t t = 0; t + 1 < c.ids.size(); ++t) {
    double sum = 0;
    for (const double logit : logits[t]) sum += std::exp(logit);
    all.push_back(std::log(sum) - logits[t][static_cast<std::size_t>(c.ids[t + 1])]);
  }
  return at::tensor(all, at::kDouble);
}

double largest(const at::Tensor& difference) {
  return difference.abs().max().item<double>();
}
double rms_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).square().mean().sqrt().item<double>();
}

}  // namespace

class ForwardWaysTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(2); }

  void fp64_equals_the_plain_reference_data() { cases(); }
  void fp64_equals_the_plain_reference() {
    const Case c = fetched();
    TinyDecoder tiny(c.model, 32, at::kDouble);
    const at::Tensor expected = losses(c, PlainLlama(c.model, c.config, tiny.values).run(c.ids, c.lengths));
    for (const Way way : {Way::Training, Way::Checkpointed, Way::Whole, Way::Chunks, Way::Tokens})
      QVERIFY(largest(losses(tiny.decoder, c, run(tiny.decoder, c, way, {}).hidden) - expected) < 1e-9);
  }

  /// Bounds of a target's loss: 1e-4 nats in one segment, 5e-3 over several. Hits are those of whole segments, so that
  /// a cut within rounding's reach makes no other context.
  void fp32_stays_within_the_stated_bounds_data() { cases(); }
  void fp32_stays_within_the_stated_bounds() {
    const Case c = fetched();
    TinyDecoder tiny(c.model, 32, at::kFloat);
    const at::Tensor expected = losses(c, PlainLlama(c.model, c.config, tiny.values).run(c.ids, c.lengths));
    const Result whole = run(tiny.decoder, c, Way::Whole, {});
    for (const Way way : {Way::Training, Way::Checkpointed})
      QVERIFY(at::equal(run(tiny.decoder, c, way, {}).hidden, whole.hidden));
    for (const Way way : {Way::Whole, Way::Chunks, Way::Tokens}) {
      const at::Tensor difference = losses(tiny.decoder, c, run(tiny.decoder, c, way, whole.hits).hidden) - expected;
      QVERIFY(largest(difference.narrow(0, 0, c.lengths[0])) < 1e-4);
      QVERIFY(largest(difference) < 5e-3);
    }
  }

  /// With the fp32 run's hits, no way is further from fp32 than twice what whole segments are.
  void bf16_is_as_good_every_way_data() { cases(); }
  void bf16_is_as_good_every_way() {
    const Case c = fetched();
    TinyDecoder exact(c.model, 32, at::kFloat), rounded(c.model, 32, at::kBFloat16);
    const Result truth = run(exact.decoder, c, Way::Whole, {});
    const at::Tensor whole = run(rounded.decoder, c, Way::Whole, truth.hits).hidden;
    const double bound = 2 * rms_difference(whole, truth.hidden);
    QVERIFY(bound > 0);
    for (const Way way : {Way::Training, Way::Checkpointed})
      QVERIFY(at::equal(run(rounded.decoder, c, way, truth.hits).hidden, whole));
    for (const Way way : {Way::Chunks, Way::Tokens})
      QVERIFY(rms_difference(run(rounded.decoder, c, way, truth.hits).hidden, truth.hidden) <= bound);
  }

  /// The tokens that generation writes behind a prompt, with a boundary at its end, are those that the reference finds
  /// most likely.
  void generation_follows_the_plain_reference_data() { cases(); }
  void generation_follows_the_plain_reference() {
    const Case c = fetched();
    TinyDecoder tiny(c.model, 32, at::kDouble);
    const std::int64_t S = c.config.segment_length;
    GenerateRequest request;
    request.config = c.config;
    request.prompt.assign(c.ids.begin(), c.ids.end() - S - 3);
    request.max_new_tokens = 8;
    request.sampling.temperature = 0;
    RunControl control;
    const GenerateResult result = generate_text(
        tiny.decoder, request, [](const GeneratedToken&) { return true; }, control);
    std::vector<std::int32_t> text = request.prompt;
    text.insert(text.end(), result.ids.begin(), result.ids.end());
    std::vector<std::int64_t> lengths = prompt_partition(std::ssize(request.prompt), c.config);
    const std::int64_t closed = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    for (std::int64_t left = std::ssize(text) - closed; left > 0; left -= S) lengths.push_back(std::min(left, S));
    const Rows logits = PlainLlama(c.model, c.config, tiny.values).run(text, lengths);
    for (std::size_t i = 0; i < result.ids.size(); ++i) {
      const Vector& row = logits[request.prompt.size() + i - 1];
      QCOMPARE(result.ids[i], static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
    }
    QCOMPARE(result.ids.size(), std::size_t{8});
  }

  /// The partitions and scalings are what their names say.
  void the_cases_are_what_they_are_called() {
    QCOMPARE(Case("default", "M = S, r = 1").lengths, (std::vector<std::int64_t>{24, 1, 24, 24, 3}));
    QCOMPARE(Case("default", "r = 1").lengths, (std::vector<std::int64_t>{24, 15, 10, 24, 3}));
    QCOMPARE(Case("default", "r = 7").lengths, (std::vector<std::int64_t>{21, 10, 24, 3}));
    const Case plain("default", "S");
    TinyDecoder tiny(plain.model, 32, at::kDouble);
    const auto of = [&](const std::string& rope) {
      const Case c(rope, "S");
      return losses(c, PlainLlama(c.model, c.config, tiny.values).run(c.ids, c.lengths));
    };
    const at::Tensor unscaled = of("default");
    for (const char* rope : {"linear", "dynamic", "llama3"}) QVERIFY(largest(of(rope) - unscaled) > 1e-2);
  }

 private:
  static void cases() {
    QTest::addColumn<QString>("rope");
    QTest::addColumn<QString>("partition");
    for (const char* rope : {"default", "linear", "dynamic", "llama3"})
      for (const char* partition : {"S", "M = S, r = 1", "r = 1", "r = 7"})
        QTest::addRow("%s, %s", rope, partition) << rope << partition;
  }
  static Case fetched() {
    QFETCH(QString, rope);
    QFETCH(QString, partition);
    return Case(rope.toStdString(), partition.toStdString());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ForwardWaysTest>};
#include "forward_ways_test.moc"
