// SPDX-License-Identifier: GPL-3.0-or-later
// The measures of sinks are those of a model written token by token and of whole attention matrices, and measuring
// changes nothing.
#include "engine/runs/sink_watch.h"

#include <QTest>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/inspection/attention_pattern.h"
#include "tests/support/plain_llama.h"
#include "tests/support/same_map.h"
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
    if (policy_row(policy).segment_in_window)
      request.config.of<WindowSettings>().attention_window =
          std::max(request.config.of<WindowSettings>().attention_window, request.config.segment_length);
    request.policy = policy;
    request.ids = std::make_shared<const std::vector<std::int32_t>>(
        distinct_ids(random, draw(random, 30, 150), model.vocabulary));
  }
};

/// The maps of sinks by segment and layer, from a model that shares no code with the engine.
class SlowSinks {
 public:
  SlowSinks(const ModelConfig& model, const SegmentConfig& config)
      : model_(model), config_(config), text_(std::max<std::int64_t>(config.sink_length, 4)) {}

  void see(const PlainSight& sight) {
    std::vector<double>& row = rows[{sight.first / config_.segment_length, sight.layer}];
    if (row.empty()) row = norms_of(sight.entering);
    const auto queries = std::min<std::size_t>(16, sight.weights.size());
    for (std::size_t i = 0; i < queries; ++i) {
      const Vector& weights = sight.weights[(2 * i + 1) * sight.weights.size() / (2 * queries)];
      for (std::size_t key = 0; key < weights.size(); ++key)
        if (const int column = column_of(sight, key, row[3]); column >= 0)
          row[static_cast<std::size_t>(column)] +=
              weights[key] / static_cast<double>(queries) / static_cast<double>(model_.heads);
    }
  }

  std::map<std::pair<std::int64_t, int>, std::vector<double>> rows;

 private:
  static std::vector<double> norms_of(const Rows& entering) {
    std::vector<double> norms;
    for (const Vector& state : entering) norms.push_back(std::sqrt(slow::dot(state, state)));
    const auto largest = std::max_element(norms.begin(), norms.end());
    std::vector<double> sorted = norms;
    std::sort(sorted.begin(), sorted.end());
    return {*std::max_element(norms.begin(), norms.begin() + std::min<std::ptrdiff_t>(4, std::ssize(norms))),
            sorted[(sorted.size() - 1) / 2],
            *largest,
            static_cast<double>(largest - norms.begin()),
            0,
            0,
            0,
            0};
  }

  /// Returns a key's column by the key's place in the text alone; −1: none.
  int column_of(const PlainSight& sight, std::size_t key, double largest) const {
    const std::size_t prefix = sight.positions.size();
    const bool own = key >= prefix;
    const auto token = static_cast<std::int64_t>(key - prefix);
    const std::int64_t place = own ? sight.first + token : sight.positions[key];
    if (place < text_) return 4;
    if (own) return token < 4 ? 6 : token == static_cast<std::int64_t>(largest) ? 7 : -1;
    if (model_.is_windowed(sight.layer)) {
      const std::int64_t held = std::min(model_.window - 1, sight.first), behind = sight.first - place;
      return behind <= held && behind > held - 4 ? 5 : -1;
    }
    const bool carried = !config_.grouping.is_long(sight.layer, sight.head);
    return carried && static_cast<std::int64_t>(key) - config_.sink_length < 4 ? 5 : -1;
  }

  ModelConfig model_;
  SegmentConfig config_;
  std::int64_t text_;
};

/// The maps of one segment, from the attention of every query on every key, key by key.
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
    const std::int64_t prefix = attention.prefix_length(), sinks = attention.span(PrefixPart::Sinks).length;
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
    const std::int64_t carry = attention.span(PrefixPart::Carry).first;
    const auto place = [&](std::int64_t slot) { return attention.position(slot, nullptr, first_token_); };
    if (place(key) < text_) return 0;
    return key >= carry && place(key) - place(carry) < 4 ? 1 : 4;
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

Collector run(const Decoder& decoder, RunRequest request, bool sinks) {
  Collector collector;
  RunControl control;
  request.capture.sinks = sinks;
  run_text(decoder, request, collector, control);
  return collector;
}

Collector run(const Case& c, bool sinks) {
  return run(c.tiny.decoder, c.request, sinks);
}

/// Weights of a model whose every head puts nearly all attention on token 0 wherever it sees one, and is indifferent
/// otherwise: the first component of all hidden states is their query, the second one, which token 0 alone has, a key.
std::map<std::string, std::vector<float>> weights_with_one_sink(const ModelConfig& model) {
  auto weights = random_weights(model, 1);
  for (auto& [name, values] : weights) std::ranges::fill(values, name.ends_with("norm.weight") ? 1.F : 0.F);
  const auto D = static_cast<std::size_t>(model.hidden), d = static_cast<std::size_t>(model.head_dim);
  std::vector<float>& embedding = weights.at("model.embed_tokens.weight");
  for (std::size_t token = 0; token < embedding.size() / D; ++token) embedding[token * D] = 1;
  embedding[1] = 1;
  for (auto& [name, values] : weights)
    for (std::size_t row = d / 2 - 1; row * D < values.size(); row += d) {  // a pair that positions hardly rotate
      if (name.ends_with("q_proj.weight")) values[row * D] = 1;
      if (name.ends_with("k_proj.weight")) values[row * D + 1] = 1;
    }
  return weights;
}

}  // namespace

class SinkWatchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void maps_are_those_of_a_model_token_by_token() {
    int kinds[4] = {0, 0, 0, 0};
    for (unsigned seed = 50; seed < 66; ++seed) {
      Case c(seed, "segmented", at::kDouble);
      SlowSinks slow(c.model, c.request.config);
      PlainLlama plain(c.model, c.request.config, c.tiny.values);
      plain.see = [&](const PlainSight& sight) { slow.see(sight); };
      plain.run(*c.request.ids);
      const Collector collector = run(c, true);
      QCOMPARE(collector.all.size() * static_cast<std::size_t>(c.model.layers), slow.rows.size());
      for (const auto& [place, wanted] : slow.rows) {
        const Map& map = collector.all[static_cast<std::size_t>(place.first)]->sinks;
        float mass = 0;
        for (std::int64_t column = 0; column < 8; ++column) {
          const float value = map.at(place.second, column);
          const double difference = std::abs(static_cast<double>(value) - wanted[static_cast<std::size_t>(column)]);
          QVERIFY2(difference < 1e-5 * (1 + std::abs(static_cast<double>(value))),
                   qPrintable(QStringLiteral("seed %1, segment %2, layer %3, column %4: %5, not %6")
                                  .arg(seed)
                                  .arg(place.first)
                                  .arg(place.second)
                                  .arg(column)
                                  .arg(static_cast<double>(value))
                                  .arg(wanted[static_cast<std::size_t>(column)])));
          if (column < 4) continue;
          QVERIFY(value >= 0);
          mass += value;
          kinds[column - 4] += value > 1e-3F;
        }
        QVERIFY2(mass < 1 + 1e-5F, qPrintable(QString::number(static_cast<double>(mass))));
      }
    }
    for (const int kind : kinds) QVERIFY2(kind > 50, qPrintable(QString::number(kind)));
  }

  /// A KV head at a time or all of a layer at once; the beginning of a text alone or with what follows.
  void maps_depend_on_no_block_and_on_nothing_that_follows() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 70; seed < 82; ++seed) {
      Case c(seed, policies()[seed % policies().size()].name, at::kDouble);
      SinkWatch whole(c.model, c.request.config), blocks(c.model, c.request.config, 1);
      RunSetup setup{c.request.policy, c.request.config, std::ssize(*c.request.ids)};
      setup.watch_attention = [&](const AttentionSight& sight) {
        whole.see(sight);
        blocks.see(sight);
      };
      PreparedRun prepared(c.tiny.decoder, setup);
      const at::Tensor all = as_tensor(*c.request.ids);
      const std::int64_t S = c.request.config.segment_length;
      for (std::int64_t first = 0; first < all.size(0); first += S) {
        const std::int64_t length = std::min(S, all.size(0) - first);
        whole.start(prepared.runner().state(), length);
        blocks.start(prepared.runner().state(), length);
        prepared.runner().run_segment(all.narrow(0, first, length));
        const Map a = whole.take(), b = blocks.take();
        for (std::size_t i = 0; i < a.values.size(); ++i)
          QVERIFY(std::abs(a.values[i] - b.values[i]) <= 1e-6F * (1 + std::abs(a.values[i])));
      }
      const Collector long_run = run(c, true);
      auto beginning = *c.request.ids;
      beginning.resize(static_cast<std::size_t>(std::min<std::int64_t>(2 * S, std::ssize(beginning))));
      c.request.ids = std::make_shared<const std::vector<std::int32_t>>(beginning);
      const Collector short_run = run(c, true);
      for (std::size_t i = 0; i < short_run.all.size(); ++i) {
        const Map &a = long_run.all[i]->sinks, &b = short_run.all[i]->sinks;
        if (long_run.all[i]->record.length != short_run.all[i]->record.length) continue;
        for (std::size_t k = 0; k < a.values.size(); ++k)
          QVERIFY(std::abs(a.values[k] - b.values[k]) <= 1e-6F * (1 + std::abs(a.values[k])));
      }
    }
  }

  /// A model with one sink loses it in exactly the segments that have none: neither from the text's beginning nor one
  /// of their own.
  void a_segment_without_a_sink_has_lost_it() {
    const ModelConfig model = tiny_config(3, 4, 2, 16, 64);
    const TinyDecoder tiny(model, weights_with_one_sink(model), at::kFloat);
    RunRequest request;
    request.config.segment_length = 80;
    request.config.carry_length = 16;
    request.config.retrieval_length = 0;
    request.config.grouping = Grouping();
    std::vector<std::int32_t> ids(6 * 80 + 71, 5);
    ids[0] = ids[3 * 80] = ids[4 * 80 + 20] = 0;  // the text's beginning, a segment's, and within one
    request.ids = std::make_shared<const std::vector<std::int32_t>>(ids);
    const auto lost = [&](std::int64_t sinks, std::int64_t carry) {
      request.config.sink_length = sinks;
      request.config.carry_length = carry;
      std::vector<int> segments;
      for (const auto& snapshot : run(tiny.decoder, request, true).all)
        if (snapshot->record.sinks.value().lost) segments.push_back(static_cast<int>(snapshot->record.index));
      return segments;
    };
    QCOMPARE(lost(0, 16), (std::vector<int>{1, 2, 5, 6}));
    QCOMPARE(lost(0, 80), (std::vector<int>{2, 5, 6}));  // segment 1 reads the whole first one
    QCOMPARE(lost(4, 16), std::vector<int>());
    ids.resize(6 * 80 + 40);  // the last one is too short to be judged
    request.ids = std::make_shared<const std::vector<std::int32_t>>(ids);
    QCOMPARE(lost(0, 16), (std::vector<int>{1, 2, 5}));
  }

  void a_segment_is_lost_where_the_rule_says() {
    for (unsigned seed = 90; seed < 100; ++seed) {
      const Case c(seed, "segmented", at::kFloat);
      const Collector collector = run(c, true);
      for (const auto& snapshot : collector.all) {
        SinkSummary wanted = summarize_sinks(snapshot->sinks, c.model.window_layers);
        wanted.lost = snapshot->record.index > 0 &&
                      lost_sink(wanted, snapshot->record.length, *collector.all.front()->record.sinks);
        QVERIFY(snapshot->record.sinks == wanted);
      }
    }
  }

  /// A model that has diverged: its run is whole, and says nothing of sinks.
  void numbers_that_are_none_are_not_kept() {
    for (const float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      Case c(7, "segmented", at::kFloat);
      c.tiny.decoder.weights.embedding.fill_(broken);
      const Collector collector = run(c, true);
      QVERIFY(collector.all.size() > 1);
      for (const auto& snapshot : collector.all) QVERIFY(snapshot->sinks.values.empty() && !snapshot->record.sinks);
    }
  }

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
          if (!is_gated(c.request.policy)) QVERIFY(std::abs(sum - 1) < 1e-5);  // else a sum of gates
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
          QVERIFY(same_map(a.carry_key_norm, b.carry_key_norm));
          QVERIFY(a.record.sinks && !a.sinks.values.empty() && !b.record.sinks && b.sinks.values.empty());
          QVERIFY(!(i == 0 && a.record.sinks->lost));
          ++segments;
        }
      }
    QVERIFY(segments > 60);
  }

  /// The norms of a bf16 model are those of fp32 up to its rounding.
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
