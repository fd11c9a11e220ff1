// SPDX-License-Identifier: GPL-3.0-or-later
// Sinks and a window (policies sliding and streaming): against a reference that takes a pair of a query and a key at a
// time, in any chunks, and what is held between segments.
#include "engine/policies/streaming.h"

#include <QTest>
#include <cmath>

#include "engine/ops/elementwise.h"
#include "engine/policies/registry.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

struct Case {
  std::mt19937 random;
  ModelConfig model;
  SegmentConfig config;
  std::vector<std::int32_t> ids;
  TinyDecoder tiny;

  explicit Case(unsigned seed, at::ScalarType type = at::kDouble)
      : random(seed),
        model(random_tiny_config(random)),
        config(random_small_config(random, model)),
        ids(distinct_ids(random, draw(random, 1, 150), model.vocabulary)),
        tiny(model, seed, type) {}
};

/// The definition, of the whole text at once: query t sees token j where it is one of the first n or less than W back,
/// from min(t, n + W − 1) − j positions away where sinks stand in the cache and else from t − j.
class PairByPair {
 public:
  PairByPair(const Case& c, const std::string& policy)
      : decoder_(c.tiny.decoder),
        sinks_(policy == "streaming" ? c.config.sink_length : 0),
        window_(c.config.attention_window),
        in_cache_(policy == "streaming" && c.config.cache_positions),
        rope_(c.model, c.model.rope, std::ssize(c.ids), c.tiny.decoder.options()) {}

  at::Tensor run(const std::vector<std::int32_t>& ids) {
    at::Tensor x = decoder_.embed(as_tensor(ids));
    for (int layer = 0; layer < decoder_.config.layers; ++layer) {
      x = decoder_.add_attention(layer, x, attend(decoder_.project(layer, x, {})), {});
      x = decoder_.add_feed_forward(layer, x, {});
    }
    return decoder_.finish(x);
  }

 private:
  at::Tensor attend(const Decoder::Projections& p) {
    const std::int64_t m = p.queries.size(1), heads = p.queries.size(0), share = heads / p.keys.size(0);
    at::Tensor out = at::zeros_like(p.queries);
    for (std::int64_t head = 0; head < heads; ++head)
      for (std::int64_t query = 0; query < m; ++query) {
        std::vector<std::int64_t> seen;
        std::vector<double> scores;
        for (std::int64_t key = 0; key <= query; ++key) {
          const bool sink = key < sinks_;
          if (!sink && query - key >= window_) continue;
          const std::int64_t from = sink && in_cache_ ? std::min(query, sinks_ + window_ - 1) : query;
          seen.push_back(key);
          scores.push_back(score(p.queries[head][query], p.keys[head / share][key], from - key));
        }
        const at::Tensor weights = at::tensor(scores, at::kDouble).softmax(0);
        out[head][query] = weights.matmul(p.values[head / share].index_select(0, at::tensor(seen, at::kLong)));
      }
    return out.transpose(0, 1).reshape({m, -1});
  }

  double score(const at::Tensor& query, const at::Tensor& key, std::int64_t distance) {
    const RopeAngles& angles = rope_.angles(distance, 1);
    const at::Tensor turned = ops::rotate(query.view({1, 1, -1}).contiguous(), angles.cos, angles.sin);
    return turned.flatten().dot(key).item<double>() / std::sqrt(static_cast<double>(key.size(0)));
  }

  const Decoder& decoder_;
  std::int64_t sinks_, window_;
  bool in_cache_;
  Rope rope_;
};

}  // namespace

class StreamingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void both_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"sliding", "streaming"}) QTest::newRow(policy) << QString(policy);
  }

  void a_run_equals_the_definition_data() { both_data(); }
  void a_run_equals_the_definition() {
    QFETCH(QString, policy);
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 0; seed < 12; ++seed) {
      Case c(seed);
      c.ids.resize(std::min<std::size_t>(c.ids.size(), 60));
      const std::string name = policy.toStdString();
      const double off =
          largest_difference(run_hidden(c.tiny.decoder, name, c.config, c.ids), PairByPair(c, name).run(c.ids));
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
    }
  }

  void chunks_change_nothing_data() { both_data(); }
  void chunks_change_nothing() {
    QFETCH(QString, policy);
    const at::NoGradGuard no_gradients;
    const std::string name = policy.toStdString();
    for (unsigned seed = 20; seed < 50; ++seed) {
      Case c(seed);
      SegmentConfig whole = c.config;
      whole.segment_length = std::ssize(c.ids);
      const at::Tensor expected = run_hidden(c.tiny.decoder, name, whole, c.ids);
      const std::vector<Chunking> chunkings = {
          {}, [](std::int64_t) { return 1; }, [&](std::int64_t left) { return draw(c.random, 1, left); }};
      for (const Chunking& chunking : chunkings) {
        const double off = largest_difference(run_hidden(c.tiny.decoder, name, c.config, c.ids, chunking), expected);
        QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
      }
    }
  }

  /// In bf16: no further from fp32 than full attention's own rounding is.
  void bf16_is_as_good_as_full_attentions_data() { both_data(); }
  void bf16_is_as_good_as_full_attentions() {
    QFETCH(QString, policy);
    const at::NoGradGuard no_gradients;
    const auto rms = [](const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); };
    const auto off = [&](const std::string& name, unsigned seed) {
      const Case exact(seed, at::kFloat), rounded(seed, at::kBFloat16);
      return rms(run_hidden(rounded.tiny.decoder, name, rounded.config, rounded.ids).to(at::kDouble) -
                 run_hidden(exact.tiny.decoder, name, exact.config, exact.ids).to(at::kDouble));
    };
    for (unsigned seed = 60; seed < 70; ++seed) QVERIFY(off(policy.toStdString(), seed) <= 2 * off("full", seed));
  }

  void a_window_as_long_as_the_text_is_full_attention() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 80; seed < 90; ++seed) {
      Case c(seed);
      c.config.attention_window = std::ssize(c.ids);
      const at::Tensor full = run_hidden(c.tiny.decoder, "full", c.config, c.ids);
      for (const char* policy : {"sliding", "streaming"})
        QVERIFY(largest_difference(run_hidden(c.tiny.decoder, policy, c.config, c.ids), full) < 1e-10);
    }
  }

  void no_sinks_are_a_sliding_window() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 100; seed < 110; ++seed) {
      Case c(seed);
      c.config.sink_length = 0;
      QVERIFY(at::equal(run_hidden(c.tiny.decoder, "streaming", c.config, c.ids),
                        run_hidden(c.tiny.decoder, "sliding", c.config, c.ids)));
    }
  }

  /// Never more than n + W − 1 tokens, whatever the text's length, and nothing of the rest stays in memory.
  void a_state_holds_sinks_and_window_alone() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 120; seed < 140; ++seed) {
      Case c(seed);
      PreparedRun prepared(c.tiny.decoder, {"streaming", c.config, std::ssize(c.ids)});
      const at::Tensor all = as_tensor(c.ids);
      for (std::int64_t first = 0; first < all.size(0); first += c.config.segment_length) {
        const std::int64_t length = std::min(c.config.segment_length, all.size(0) - first);
        prepared.runner().run_segment(all.narrow(0, first, length));
        const PolicyState& state = prepared.runner().state();
        QCOMPARE(state.pool_entries(), std::min(first + length, c.config.sink_length + c.config.attention_window - 1));
        std::int64_t stored = 0;
        for (const at::Tensor& tensor : state.pool_contents())
          stored += static_cast<std::int64_t>(tensor.storage().nbytes());
        QCOMPARE(stored, state.pool_bytes());
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<StreamingTest>};
#include "streaming_test.moc"
