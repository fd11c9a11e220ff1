// SPDX-License-Identifier: GPL-3.0-or-later
// What is measured of sinks is what whole attention matrices and hidden states say, and measuring it changes nothing.
#include "engine/eval/sink_watch.h"

#include <QTest>
#include <cmath>

#include "engine/core/base/run_control.h"
#include "engine/core/cost/policy_table.h"
#include "engine/eval/attention_pattern.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Case {
  std::mt19937 random;
  ModelConfig model;
  RunRequest request;
  TinyDecoder tiny;

  Case(unsigned seed, const std::string& policy, at::ScalarType type)
      : random(seed), model(random_tiny_config(random)), tiny(model, seed, type) {
    request.config = random_small_config(random, model);
    request.policy = policy;
    request.ids = std::make_shared<const std::vector<std::int32_t>>(
        distinct_ids(random, draw(random, 30, 150), model.vocabulary));
  }
};

/// The same, of one segment, from the attention of every query on every key, key by key.
class PlainSinks {
 public:
  PlainSinks(const ModelConfig& model, const SegmentConfig& config)
      : model_(model), text_(std::max<std::int64_t>(config.sink_length, 4)) {}

  void start(const PolicyState& state, std::int64_t length) {
    hits_ = state.hits;
    first_token_ = state.next.first_token;
    length_ = length;
    rows_.assign(static_cast<std::size_t>(model_.layers), {});
  }

  void see(const LayerSight& sight) {
    std::vector<double>& row = rows_[static_cast<std::size_t>(sight.layer)];
    row.assign(9, 0);  // the columns, and all other attention
    std::vector<double> norms;
    for (std::int64_t token = 0; token < length_; ++token) {
      double squares = 0;
      for (std::int64_t d = 0; d < model_.hidden; ++d) squares += std::pow(sight.entering[token][d].item<double>(), 2);
      norms.push_back(std::sqrt(squares));
    }
    const auto largest = std::max_element(norms.begin(), norms.end());
    row[0] = *std::max_element(norms.begin(), norms.begin() + std::min<std::int64_t>(4, length_));
    row[2] = *largest;
    row[3] = static_cast<double>(largest - norms.begin());
    for (int head = 0; head < model_.heads; ++head) add(sight, head, row);
    std::sort(norms.begin(), norms.end());
    row[1] = norms[(norms.size() - 1) / 2];
  }

  const std::vector<double>& row(int layer) const { return rows_[static_cast<std::size_t>(layer)]; }

 private:
  void add(const AttentionSight& sight, int head, std::vector<double>& row) const {
    const AttentionPattern attention(sight, head);
    const at::Tensor weights = attention.weights(0, length_);
    const std::int64_t queries = std::min<std::int64_t>(16, length_);
    for (std::int64_t i = 0; i < queries; ++i)
      for (std::int64_t key = 0; key < weights.size(1); ++key)
        row[static_cast<std::size_t>(4 + kind(attention, {sight.layer, head}, key, row[3]))] +=
            weights[(2 * i + 1) * length_ / (2 * queries)][key].item<double>() /
            static_cast<double>(queries * model_.heads);
  }

  /// 0 text, 1 carry, 2 segment, 3 largest, 4 none of them.
  int kind(const AttentionPattern& attention, HeadRef head, std::int64_t key, double largest) const {
    const std::int64_t prefix = attention.prefix_length(), sinks = attention.sinks(), carried = prefix - sinks;
    if (key >= prefix) {
      const std::int64_t token = key - prefix;
      if (first_token_ == 0 && token < text_) return 0;
      if (first_token_ > 0 && token < 4) return 2;
      return token == static_cast<std::int64_t>(largest) ? 3 : 4;
    }
    if (key < sinks) return 0;
    for (const HeadHits& hits : hits_)
      if (attention.reads_retrieved() && hits.layer == head.layer && hits.head == head.head)
        return hits.hits[static_cast<std::size_t>(key - sinks)].position < text_ ? 0 : 4;
    if (first_token_ - carried + key - sinks < text_) return 0;
    return first_token_ - carried >= text_ && key - sinks < 4 ? 1 : 4;
  }

  ModelConfig model_;
  std::int64_t text_;
  std::vector<HeadHits> hits_;
  std::int64_t first_token_ = 0, length_ = 0;
  std::vector<std::vector<double>> rows_;
};

class Collector : public RunObserver {
 public:
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override { all.push_back(std::move(snapshot)); }
  std::vector<std::shared_ptr<const SegmentSnapshot>> all;
};

Collector run(const Case& c, bool sinks) {
  Collector collector;
  RunControl control;
  RunRequest request = c.request;
  request.capture.sinks = sinks;
  run_text(c.tiny.decoder, request, collector, control);
  return collector;
}

}  // namespace

class SinkWatchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void maps_are_those_of_whole_attention_and_hidden_states() {
    const at::NoGradGuard no_gradients;
    int kinds[4] = {0, 0, 0, 0};
    for (unsigned seed = 0; seed < 24; ++seed) {
      const Case c(seed, policies()[seed % policies().size()].name, at::kDouble);
      PlainSinks plain(c.model, c.request.config);
      SinkWatch watch(c.model, c.request.config);
      RunSetup setup{c.request.policy, c.request.config, std::ssize(*c.request.ids)};
      setup.watch = [&](const LayerSight& sight) { plain.see(sight); };
      setup.watch_attention = [&](const AttentionSight& sight) { watch.see(sight); };
      PreparedRun prepared(c.tiny.decoder, setup);
      const at::Tensor all = as_tensor(*c.request.ids);
      for (std::int64_t first = 0; first < all.size(0); first += c.request.config.segment_length) {
        const std::int64_t length = std::min(c.request.config.segment_length, all.size(0) - first);
        plain.start(prepared.runner().state(), length);
        watch.start(prepared.runner().state(), length);
        prepared.runner().run_segment(all.narrow(0, first, length));
        const Map map = watch.take();
        QCOMPARE(map.rows, c.model.layers);
        QCOMPARE(map.columns, std::int64_t{8});
        for (int layer = 0; layer < c.model.layers; ++layer) {
          const std::vector<double>& wanted = plain.row(layer);
          double sum = wanted[8];
          for (std::int64_t column = 0; column < 8; ++column) {
            const double value = static_cast<double>(map.at(layer, column));
            QVERIFY2(std::abs(value - wanted[static_cast<std::size_t>(column)]) < 1e-5 * (1 + std::abs(value)),
                     qPrintable(QStringLiteral("seed %1, token %2, layer %3, column %4: %5, not %6")
                                    .arg(seed)
                                    .arg(first)
                                    .arg(layer)
                                    .arg(column)
                                    .arg(value)
                                    .arg(wanted[static_cast<std::size_t>(column)])));
            if (column >= 4) sum += value;
            if (column >= 4) kinds[column - 4] += value > 1e-3;
          }
          QVERIFY(std::abs(sum - 1) < 1e-5);
        }
      }
    }
    for (const int kind : kinds) QVERIFY(kind > 50);
  }

  /// Losses, hits and carries have the same bits, whatever looks on.
  void looking_on_changes_no_bit() {
    int segments = 0;
    for (unsigned seed = 0; seed < 12; ++seed)
      for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
        const Case c(seed, policies()[seed % policies().size()].name, type);
        const Collector with = run(c, true), without = run(c, false);
        QCOMPARE(with.all.size(), without.all.size());
        for (std::size_t i = 0; i < with.all.size(); ++i) {
          const SegmentSnapshot &a = *with.all[i], &b = *without.all[i];
          QVERIFY(a.target_nll == b.target_nll && a.hits == b.hits && a.record.nll_sum == b.record.nll_sum);
          QVERIFY(a.carry_key_norm.values == b.carry_key_norm.values);
          QVERIFY(a.record.sinks && !a.sinks.values.empty() && !b.record.sinks && b.sinks.values.empty());
          QVERIFY(!(i == 0 && a.record.sinks->lost));
          ++segments;
        }
      }
    QVERIFY(segments > 60);
  }

  /// Of a bf16 model up to its rounding.
  void bf16_is_measured_in_fp32() {
    for (unsigned seed = 30; seed < 34; ++seed) {
      const Case exact(seed, "segmented", at::kFloat), rounded(seed, "segmented", at::kBFloat16);
      const Collector a = run(exact, true), b = run(rounded, true);
      for (std::size_t i = 0; i < a.all.size(); ++i) {
        const Map &in_a = a.all[i]->sinks, &in_b = b.all[i]->sinks;
        for (const SinkColumn column : {SinkColumn::FirstNorm, SinkColumn::MedianNorm, SinkColumn::LargestNorm})
          QVERIFY(std::abs(sink_value(in_a, 0, column) / sink_value(in_b, 0, column) - 1) < 0.02F);
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SinkWatchTest>};
#include "sink_watch_test.moc"
