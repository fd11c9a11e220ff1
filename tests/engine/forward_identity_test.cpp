// SPDX-License-Identifier: GPL-3.0-or-later
// Forward identity (def:semantics, cor:alignment) as properties over random models and configurations.
#include <QTest>

#include "engine/method/segment_loss.h"
#include "engine/ops/logit_loss.h"
#include "engine/runs/values/partition.h"
#include "tests/support/plain_llama.h"
#include "tests/support/policy_facts.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

double rms(const at::Tensor& x) {
  return x.to(at::kDouble).square().mean().sqrt().item<double>();
}

struct Case {
  std::mt19937 random;
  ModelConfig model;
  SegmentConfig config;
  std::vector<std::int32_t> ids;

  explicit Case(unsigned seed)
      : random(seed),
        model(random_family_config(random)),
        config(random_varied_config(random, model)),
        ids(distinct_ids(random, draw(random, 2, 130), model.vocabulary)) {}
};

}  // namespace

class ForwardIdentityTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(2); }

  void segmented_equals_the_plain_reference() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 0; seed < 20; ++seed) {
      Case c(seed);
      TinyDecoder tiny(c.model, seed, at::kDouble);
      const Rows expected = PlainLlama(c.model, c.config, tiny.values).run(c.ids);
      const at::Tensor logits = tiny.decoder.logits(run_hidden(tiny.decoder, "segmented", c.config, c.ids));
      double largest = 0;
      for (std::size_t t = 0; t < expected.size(); ++t)
        for (std::size_t v = 0; v < expected[t].size(); ++v)
          largest = std::max(
              largest, std::abs(expected[t][v] -
                                logits[static_cast<std::int64_t>(t)][static_cast<std::int64_t>(v)].item<double>()));
      record_fact("segmented", kReferenceFact, largest);
      QVERIFY2(largest < 1e-9, qPrintable(QString("seed %1: %2").arg(seed).arg(largest)));
    }
  }

  void the_number_of_threads_changes_no_bit() {
    const at::NoGradGuard no_gradients;
    const auto token_by_token = [](std::int64_t) { return std::int64_t{1}; };
    for (unsigned seed = 80; seed < 92; ++seed)
      for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16}) {
        Case c(seed);
        c.config.segment_length = 300;
        c.ids = distinct_ids(c.random, 420, c.model.vocabulary);
        TinyDecoder tiny(c.model, seed, type);
        const auto run_with = [&](int threads) {
          at::set_num_threads(threads);
          const at::Tensor whole = run_hidden(tiny.decoder, "segmented", c.config, c.ids),
                           decoded = run_hidden(tiny.decoder, "segmented", c.config, c.ids, token_by_token);
          at::set_num_threads(2);
          return tiny.decoder.logits(at::cat({whole, decoded}));
        };
        QVERIFY2(run_with(1).equal(run_with(2)), qPrintable(QString("seed %1").arg(seed)));
      }
  }

  /// A prefix stands at −P..−1 before 0..m−1: scores are those of the paper's 0..P−1 before P..P+m−1.
  void scores_depend_on_relative_positions_only() {
    const at::NoGradGuard no_gradients;
    at::manual_seed(7);
    for (const std::int64_t length : {1, 7, 60, 3000}) {
      const ModelConfig model = tiny_config(1, 4, 2, 16, 16);
      Rope rope(model, model.rope, 0, at::TensorOptions().dtype(at::kDouble));
      const at::Tensor keys = at::randn({4, length, 16}, at::kDouble), queries = at::randn({4, 9, 16}, at::kDouble);
      const auto scores = [](const at::Tensor& q, const at::Tensor& k) { return at::matmul(q, k.transpose(1, 2)); };
      QVERIFY(largest_difference(scores(rope.rotate(queries, 0), rope.rotate_prefix(keys)),
                                 scores(rope.rotate(queries, length), rope.rotate(keys, 0))) <= 1e-9);
      QVERIFY(rope.rotate(keys.narrow(1, 0, 1), 0).equal(keys.narrow(1, 0, 1)));
    }
  }

  /// The question is a draft that only searches, and then a segment that reads what it found.
  void a_question_is_read_with_what_it_searched_for() {
    const at::NoGradGuard no_gradients;
    int changed = 0;
    for (unsigned seed = 400; seed < 424; ++seed) {
      Case c(seed);
      const std::int64_t tokens = std::ssize(c.ids), question = std::min(tokens, c.config.segment_length / 2 + 1);
      TinyDecoder tiny(c.model, seed, at::kDouble);
      PlainLlama plain(c.model, c.config, tiny.values);
      PreparedRun prepared(tiny.decoder, {"segmented", c.config, tokens});
      const at::Tensor ids = as_tensor(c.ids);
      std::int64_t done = 0;
      for (const std::int64_t length : document_partition(tokens - question, c.config)) {
        plain.run({c.ids.begin() + done, c.ids.begin() + done + length});
        prepared.runner().run_segment(ids.narrow(0, done, length));
        done += length;
      }
      if (done == 0) continue;
      const std::vector<std::int32_t> asked(c.ids.begin() + done, c.ids.end());
      const std::vector<HeadHits> before = prepared.runner().state().hits;
      const std::int64_t entries = prepared.runner().state().pool_entries();
      plain.draft(asked);
      prepared.runner().draft(ids.narrow(0, done, question));
      changed += prepared.runner().state().hits != before;
      QCOMPARE(prepared.runner().state().pool_entries(), entries);
      QCOMPARE(prepared.runner().state().next.first_token, done);
      const Vector expected = plain.run(asked).back();
      const at::Tensor logits = tiny.decoder.logits(prepared.runner().extend(ids.narrow(0, done, question)));
      for (std::size_t v = 0; v < expected.size(); ++v)
        QVERIFY2(std::abs(expected[v] - logits[question - 1][static_cast<std::int64_t>(v)].item<double>()) < 1e-9,
                 qPrintable(QString("seed %1").arg(seed)));
    }
    QVERIFY(changed > 5);
  }

  void one_segment_equals_full_attention_for_any_grouping() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 100; seed < 120; ++seed) {
      Case c(seed);
      c.config.segment_length = static_cast<std::int64_t>(c.ids.size());
      TinyDecoder tiny(c.model, seed, at::kFloat);
      const at::Tensor segmented = run_hidden(tiny.decoder, "segmented", c.config, c.ids);
      QVERIFY(largest_difference(segmented, run_hidden(tiny.decoder, "full", c.config, c.ids)) < 2e-5);
    }
  }

  /// A vocabulary of which few rows of logits fit a block is summed by blocks of columns.
  void losses_of_a_large_vocabulary_are_those_of_whole_rows() {
    const at::NoGradGuard no_gradients;
    std::mt19937 random(3);
    ModelConfig model = tiny_config(1, 2, 1, 16, 70'000);
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kDouble})
      for (const double cap : {0.0, 3.0}) {
        model.logit_cap = cap;
        const TinyDecoder tiny(model, 5, type);
        for (const std::int64_t tokens : {130, 530}) {
          const at::Tensor hidden = at::randn({tokens, model.hidden}, tiny.decoder.options());
          const at::Tensor targets = as_tensor(random_ids(random, tokens, model.vocabulary));
          const at::Tensor found = target_nll(tiny.decoder, hidden, targets),
                           expected = ops::logit_loss(tiny.decoder.logits(hidden), targets).nll;
          QVERIFY(found.scalar_type() == expected.scalar_type());
          QVERIFY(largest_difference(found, expected) < (type == at::kDouble ? 1e-12 : 1e-5));
        }
      }
  }

  void full_attention_does_not_depend_on_its_chunks() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 200; seed < 212; ++seed) {
      Case c(seed);
      TinyDecoder tiny(c.model, seed, at::kDouble);
      SegmentConfig whole = c.config;
      whole.segment_length = static_cast<std::int64_t>(c.ids.size());
      const double off = largest_difference(run_hidden(tiny.decoder, "full", c.config, c.ids),
                                            run_hidden(tiny.decoder, "full", whole, c.ids));
      record_fact("full", kChunksFact, off);
      QVERIFY(off < 1e-10);
    }
  }

  /// Training = inference = token by token = any chunking, retrieved sets included.
  void every_way_to_run_is_the_same() {
    for (unsigned seed = 300; seed < 325; ++seed) {
      Case c(seed);
      c.config.pool_keys = random_pool_keys(c.random);
      TinyDecoder tiny(c.model, seed, at::kDouble);
      std::vector<HeadHits> hits, other_hits;
      at::Tensor inference;
      {
        const at::NoGradGuard no_gradients;
        inference = run_hidden(tiny.decoder, "segmented", c.config, c.ids, {}, &hits);
        const std::vector<Chunking> chunkings = {[](std::int64_t) { return 1; },
                                                 [&](std::int64_t left) { return draw(c.random, 1, left); }};
        for (const Chunking& chunking : chunkings) {
          other_hits.clear();
          const at::Tensor chunked = run_hidden(tiny.decoder, "segmented", c.config, c.ids, chunking, &other_hits);
          const double off = largest_difference(inference, chunked);
          record_fact("segmented", kChunksFact, off);
          QVERIFY2(off < 1e-10, qPrintable(QString::number(seed)));
          compare_hits(hits, other_hits);
        }
      }
      for (LayerWeights& layer : tiny.decoder.weights.layers) layer.qkv.requires_grad_(true);
      other_hits.clear();
      const at::Tensor training = run_hidden(tiny.decoder, "segmented", c.config, c.ids, {}, &other_hits);
      QVERIFY(training.requires_grad());
      QVERIFY(largest_difference(inference, training.detach()) == 0);
      compare_hits(hits, other_hits);
    }
  }

  void fp32_losses_stay_within_the_stated_tolerance() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 400; seed < 405; ++seed) {
      std::mt19937 random(seed);
      const ModelConfig model = random_family_config(random);
      SegmentConfig config = random_small_config(random, model);
      const std::vector<std::int32_t> ids = random_ids(random, 16 * config.segment_length, model.vocabulary);
      TinyDecoder tiny(model, seed, at::kFloat);
      std::vector<HeadHits> hits;
      const at::Tensor targets = as_tensor(ids).narrow(0, 1, static_cast<std::int64_t>(ids.size()) - 1);
      const auto losses = [&](const Chunking& chunking, std::vector<HeadHits>* record,
                              const std::vector<HeadHits>& forced) {
        const at::Tensor hidden = run_hidden(tiny.decoder, "segmented", config, ids, chunking, record, forced);
        return target_nll(tiny.decoder, hidden.narrow(0, 0, targets.size(0)), targets);
      };
      const at::Tensor whole = losses({}, &hits, {});
      // Hits are replayed, so that a cut within rounding's reach can't make two different contexts.
      const at::Tensor chunked = losses([](std::int64_t) { return 1; }, nullptr, hits);
      QVERIFY(largest_difference(whole.narrow(0, 0, config.segment_length),
                                 chunked.narrow(0, 0, config.segment_length)) < 1e-4);
      QVERIFY(largest_difference(whole, chunked) < 5e-3);
    }
  }

  /// bf16 with the fp32 run's hits: chunked no further from fp32 than twice the whole pass.
  void bf16_is_as_good_in_chunks() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 500; seed < 510; ++seed) {
      Case c(seed);
      TinyDecoder exact(c.model, seed, at::kFloat), rounded(c.model, seed, at::kBFloat16);
      std::vector<HeadHits> hits;
      const at::Tensor truth = run_hidden(exact.decoder, "segmented", c.config, c.ids, {}, &hits);
      const at::Tensor whole = run_hidden(rounded.decoder, "segmented", c.config, c.ids, {}, nullptr, hits);
      const at::Tensor chunked = run_hidden(
          rounded.decoder, "segmented", c.config, c.ids, [](std::int64_t) { return 1; }, nullptr, hits);
      QVERIFY(rms(chunked.to(at::kDouble) - truth) <= 2 * rms(whole.to(at::kDouble) - truth));
    }
  }

 private:
  static void compare_hits(const std::vector<HeadHits>& a, const std::vector<HeadHits>& b) {
    QCOMPARE(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      QCOMPARE(a[i].hits.size(), b[i].hits.size());
      for (std::size_t j = 0; j < a[i].hits.size(); ++j) {
        QCOMPARE(a[i].hits[j].position, b[i].hits[j].position);
        QCOMPARE(a[i].hits[j].kind, b[i].hits[j].kind);
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ForwardIdentityTest>};
#include "forward_identity_test.moc"
