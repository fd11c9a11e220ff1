// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer's gradient is ∇L_K (thm:tbptt-exact), and the audit tells trainers whose gradient is not.
#include "engine/training/audit.h"

#include <QTest>

#include "engine/families/weight_rows.h"
#include "engine/ops/elementwise.h"
#include "engine/training/truncated_backprop.h"
#include "tests/support/policy_gradient.h"
#include "tests/support/test_program.h"
#include "tests/support/wrong_trainers.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// A small model with every kind of head, and a text of `segments` segments, the last one short.
struct Case {
  ModelConfig model;
  AuditRequest request;
  unsigned seed = 0;
};

Case make_case(unsigned seed, std::int64_t segments, std::int64_t depth, bool gqa, std::int64_t lora_rank) {
  std::mt19937 random(seed);
  Case c;
  c.seed = seed;
  c.model = tiny_config(2, 4, gqa ? 2 : 4, 8, 97);
  c.model.tied_embeddings = draw(random, 0, 1) == 0;
  SegmentConfig& config = c.request.config;
  config.segment_length = 10;
  config.carry_length = draw(random, 3, 8);
  config.sink_length = draw(random, 0, 2);
  config.retrieval_length = draw(random, 4, 14);
  config.truncation_depth = depth;
  config.query_length = draw(random, 2, 10);
  config.summary_window = 3;
  config.summary_stride = 2;
  config.top_k = 4;
  config.expand_before = 1;
  config.expand_after = 1;
  config.grouping = Grouping({1}, {{1, 2}});  // shares each KV head of the GQA model between both kinds
  const std::int64_t tokens = segments * config.segment_length - draw(random, 0, 6);
  c.request.ids = std::make_shared<const std::vector<std::int32_t>>(distinct_ids(random, tokens, 97));
  c.request.lora_rank = lora_rank;
  return c;
}

AuditReport audited(const Case& c, at::ScalarType type = at::kDouble) {
  TinyDecoder tiny(c.model, c.seed, type);
  RunControl control;
  return audit_model(tiny.decoder, c.request, control);
}

AuditReport audited(const Case& c, const std::function<AuditedTrainer(Decoder&)>& make_trainer) {
  TinyDecoder tiny(c.model, c.seed, at::kDouble);
  RunControl control;
  return audit_trainer(tiny.decoder, c.request, make_trainer(tiny.decoder), control);
}

/// A policy whose retrieved keys and values keep their gradient to the segment that they came from: indices are frozen,
/// contents are not.
class LiveContents final : public SamePolicy {
 public:
  using SamePolicy::SamePolicy;
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const override {
    std::vector<HeadGroup> groups = SamePolicy::context(state, layer, rope);
    for (HeadGroup& group : groups) {
      if (!group.prefix_per_query_head || !group.prefix_keys.defined()) continue;
      std::vector<at::Tensor> keys, values;
      for (const HeadHits& hits : state.hits) {
        if (hits.layer != layer) continue;
        std::vector<std::int64_t> positions;
        for (const Hit& hit : hits.hits) positions.push_back(hit.position);
        const auto kv_head = hits.head / 2;  // of the GQA model
        keys.push_back(at::cat(keys_.at(layer), 1)[kv_head].index_select(0, at::tensor(positions)));
        values.push_back(at::cat(values_.at(layer), 1)[kv_head].index_select(0, at::tensor(positions)));
      }
      if (keys.empty()) continue;  // sinks alone
      const std::int64_t sinks = group.span(PrefixPart::Sinks).length, length = group.prefix_keys.size(1) - sinks;
      const RopeAngles angles = rope.angles(-length, length);
      group.prefix_keys =
          at::cat({group.prefix_keys.narrow(1, 0, sinks), ops::rotate(at::stack(keys), angles.cos, angles.sin)}, 1);
      group.prefix_values = at::cat({group.prefix_values.narrow(1, 0, sinks), at::stack(values)}, 1);
    }
    return groups;
  }
  LayerTrace trace(int layer, const LayerKv& kv) const override {
    keys_[layer].push_back(kv.keys);
    values_[layer].push_back(kv.values);
    return SamePolicy::trace(layer, kv);
  }

 private:
  mutable std::map<int, std::vector<at::Tensor>> keys_, values_;  // by layer, a segment each
};

}  // namespace

class AuditTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void progress_rises_to_the_end() {
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
      Case c = make_case(7, 5, 2, true, 0);
      std::vector<double> shares;
      c.request.progress = [&](double share, const std::string& what) {
        QVERIFY(!what.empty());
        shares.push_back(share);
      };
      audited(c, type);
      QVERIFY(std::is_sorted(shares.begin(), shares.end()));
      QVERIFY(shares.front() == 0);
      QVERIFY2(shares.back() > 0.6 && shares.back() < 1, std::to_string(shares.back()).c_str());
    }
  }

  void the_gradient_is_exact_data() {
    QTest::addColumn<int>("segments");
    QTest::addColumn<int>("depth");
    QTest::addColumn<bool>("gqa");
    QTest::addColumn<int>("lora_rank");
    for (int segments = 1; segments <= 6; ++segments)
      for (int depth = 0; depth <= 3; ++depth)
        for (const bool gqa : {false, true})
          for (const int rank : {0, 3})
            QTest::addRow("N=%d K=%d %s %s", segments, depth, gqa ? "GQA" : "MHA", rank > 0 ? "LoRA" : "full")
                << segments << depth << gqa << rank;
  }
  void the_gradient_is_exact() {
    QFETCH(int, segments);
    QFETCH(int, depth);
    QFETCH(bool, gqa);
    QFETCH(int, lora_rank);
    const auto seed = static_cast<unsigned>(segments * 100 + depth * 10 + gqa * 2 + (lora_rank > 0));
    const AuditReport report = audited(make_case(seed, segments, depth, gqa, lora_rank));
    record_gradient(report, "segmented");
    QVERIFY2(report.passed(), failures(report).c_str());
    QCOMPARE(report.segments, static_cast<std::int64_t>(segments));
    QVERIFY(report.checks.size() >= 8);
  }

  /// The windows of a model's own carry gradients too, over several segments: under a policy with a carry, and under
  /// one that carries nothing else.
  void windows_are_exact_too() {
    for (unsigned seed = 0; seed < 6; ++seed) {
      Case c = make_case(seed, 5, 1 + seed % 3, true, seed % 2 == 0 ? 0 : 3);
      c.model = tiny_config(3, 4, 2, 8, 97);
      c.model.architecture = seed < 2 ? "qwen2" : seed < 4 ? "qwen3" : "gemma3_text";
      c.model.window_layers = {0, 2};
      c.model.window = seed % 2 == 0 ? 6 : 17;
      if (seed == 4) c.request.config.carry_length = c.request.config.sink_length = 0;
      const AuditReport report = audited(c);
      QVERIFY2(report.passed(), failures(report).c_str());
    }
  }

  /// Queries that search for themselves give the pool no gradient, and the carry beside it all of its own.
  void a_search_per_token_is_exact_too() {
    for (unsigned seed = 0; seed < 8; ++seed) {
      Case c = make_case(seed, 5, seed % 4, seed % 2 == 0, seed < 4 ? 0 : 3);
      c.request.config.search = SearchBy::PerToken;
      c.request.config.long_reads = seed % 3 == 0 ? PrefixParts::SinksRetrieved : PrefixParts::SinksRetrievedCarry;
      c.request.config.retrieval_length = 2 + seed % 3;
      const AuditReport report = audited(c);
      QVERIFY2(report.passed(), failures(report).c_str());
    }
  }

  void full_attention_is_exact_too() {
    Case c = make_case(7, 3, 1, true, 0);
    c.request.policy = "full";
    const AuditReport report = audited(c);
    record_gradient(report, "full");
    QVERIFY2(report.passed(), failures(report).c_str());
    QCOMPARE(report.segments, std::int64_t{1});
  }

  void fp32_stays_within_its_bounds() {
    const AuditReport report = audited(make_case(8, 4, 1, true, 0), at::kFloat);
    QVERIFY2(report.passed(), failures(report).c_str());
  }

  void at_most_k_plus_1_graphs_are_alive() {
    for (std::int64_t depth = 0; depth <= 3; ++depth) {
      TruncatedBackprop backprop(depth, 7, {});
      for (int i = 0; i < 7; ++i) {
        backprop.add({});
        QVERIFY(backprop.alive() <= depth + 1);
      }
      QCOMPARE(backprop.alive(), std::int64_t{0});
    }
  }

  void detaching_every_k_segments_fails() {
    const Case c = make_case(11, 5, 1, true, 0);
    const AuditReport report = audited(c, [&](Decoder& decoder) { return chunked_trainer(decoder, c.request, 2); });
    QVERIFY(!report.passed());
    QVERIFY(fails(report, "explicit L_K"));
    QVERIFY(fails(report, "finite differences, each tensor's direction"));
    QVERIFY(fails(report, "finite differences, 8 fixed directions"));
    QVERIFY(!fails(report, "training forward"));  // it runs the right thing, and differentiates another
  }

  void backpropagation_through_the_whole_chain_fails() {
    const Case c = make_case(12, 5, 1, false, 0);
    const AuditReport report = audited(c, [&](Decoder& decoder) { return chunked_trainer(decoder, c.request, 5); });
    QVERIFY(fails(report, "explicit L_K"));
    QVERIFY(fails(report, "finite differences"));
  }

  void an_extra_append_fails() {
    const Case c = make_case(13, 4, 3, true, 0);
    const AuditReport report =
        audited(c, [&](Decoder& decoder) { return chunked_trainer<AppendsTwice>(decoder, c.request, 4); });
    QVERIFY(fails(report, "training forward"));
    QVERIFY(fails(report, "explicit L_K"));
  }

  void gradients_through_retrieved_contents_fail() {
    const Case c = make_case(14, 4, 3, true, 0);
    const AuditReport report =
        audited(c, [&](Decoder& decoder) { return chunked_trainer<LiveContents>(decoder, c.request, 4); });
    QVERIFY2(!fails(report, "training forward"), failures(report).c_str());  // its values are the right ones
    QVERIFY(fails(report, "∂R/∂θ"));
    QVERIFY(fails(report, "explicit L_K"));
    QVERIFY(fails(report, "finite differences"));
  }

  void dropout_is_a_function_of_its_counters() {
    std::mt19937 random(15);
    Case c = make_case(15, 3, 1, true, 0);
    TinyDecoder tiny(c.model, c.seed, at::kDouble);
    LoraConfig lora{4, 8, 0.3, false, lora_modules()};
    tiny.decoder.adapter = make_adapter(lora, c.model, tiny.decoder.options(), 3);
    for (LowRankUpdate* update : tiny.decoder.adapter.updates()) update->b.normal_(0, 0.1);
    const auto gradient = [&](bool checkpointing, std::uint64_t step) {
      TrainableParameters parameters(tiny.decoder);
      GradientSetup setup{"segmented", c.request.config, checkpointing, {0.3, 7, step, 0, 0}};
      add_sample_gradient(tiny.decoder, parameters, setup, *c.request.ids);
      std::vector<at::Tensor> parts;
      for (const Parameter& parameter : parameters.all()) parts.push_back(parameter.gradient.flatten());
      return at::cat(parts);
    };
    const at::Tensor first = gradient(false, 1);
    QVERIFY(at::equal(first, gradient(false, 1)));
    QVERIFY((first - gradient(true, 1)).norm().item<double>() < 1e-12 * first.norm().item<double>());
    QVERIFY((first - gradient(false, 2)).norm().item<double>() > 1e-3 * first.norm().item<double>());
  }

  void the_same_chain_passes_where_it_is_exact() {
    const Case c = make_case(12, 2, 1, false, 0);
    const AuditReport report = audited(c, [&](Decoder& decoder) { return chunked_trainer(decoder, c.request, 2); });
    QVERIFY2(report.passed(), failures(report).c_str());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AuditTest>};
#include "audit_test.moc"
