// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer's gradient is ∇L_K (thm:tbptt-exact), and the audit tells trainers whose gradient is not.
#include "engine/train/audit.h"

#include <QTest>

#include "engine/method/segment_loss.h"
#include "engine/train/truncated_backprop.h"
#include "tests/support/tiny_decoder.h"

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

std::string failures(const AuditReport& report) {
  std::string text;
  for (const AuditCheck& check : report.checks)
    if (!check.passed()) text += check.name + ": " + std::to_string(check.difference) + "; ";
  return text;
}

bool fails(const AuditReport& report, const std::string& name) {
  return std::any_of(report.checks.begin(), report.checks.end(), [&](const AuditCheck& check) {
    return check.name.find(name) != std::string::npos && !check.passed();
  });
}

/// A trainer that goes through F_θ like the real one, but sends gradients back over `chain` segments at a time: 1 more
/// than K detaches every K transitions, N is plain backpropagation through everything.
AuditedTrainer chunked_trainer(Decoder& decoder, const AuditRequest& request, std::int64_t chain) {
  return [&decoder, &request, chain](TrainableParameters& parameters, bool checkpointing) {
    const at::AutoGradMode with_gradients(true);
    const std::int64_t S = request.config.segment_length, T = std::ssize(*request.ids);
    PreparedRun prepared(decoder, {request.policy, request.config, T, {}, {}, checkpointing});
    const at::Tensor ids = as_tensor(*request.ids);
    SampleGradient sample;
    at::Tensor sum;
    const auto send_back = [&] {
      if (sum.defined()) sum.backward();
      parameters.collect();
      sum = at::Tensor();
    };
    for (std::int64_t first = 0, i = 0; first < T; first += S, ++i) {
      if (i % chain == 0 && i > 0) {
        send_back();
        prepared.runner().state().carry = prepared.runner().state().carry.detached();
      }
      const std::int64_t length = std::min(S, T - first), targets = std::min(length, T - first - 1);
      const at::Tensor hidden = prepared.runner().run_segment(ids.narrow(0, first, length));
      sample.segment_nll.push_back(0);
      if (targets == 0) continue;
      const at::Tensor nll =
          target_nll(decoder, hidden.narrow(0, 0, targets), ids.narrow(0, first + 1, targets)).sum(at::kDouble);
      sum = sum.defined() ? sum + nll : nll;
      sample.segment_nll.back() = nll.item<double>();
      sample.nll_sum += sample.segment_nll.back();
    }
    send_back();
    sample.memory.pool = prepared.runner().state().pool_bytes();
    return sample;
  };
}

}  // namespace

class AuditTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

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
    QVERIFY2(report.passed(), failures(report).c_str());
    QCOMPARE(report.segments, static_cast<std::int64_t>(segments));
    QVERIFY(report.checks.size() >= 8);
  }

  void full_attention_is_exact_too() {
    Case c = make_case(7, 3, 1, true, 0);
    c.request.policy = "full";
    const AuditReport report = audited(c);
    QVERIFY2(report.passed(), failures(report).c_str());
    QCOMPARE(report.segments, std::int64_t{1});
  }

  void fp32_stays_within_its_bounds() {
    const AuditReport report = audited(make_case(8, 4, 1, true, 0), at::kFloat);
    QVERIFY2(report.passed(), failures(report).c_str());
  }

  void at_most_k_plus_1_graphs_are_alive() {
    for (std::int64_t depth = 0; depth <= 3; ++depth) {
      TruncatedBackprop backprop(depth, 7, {}, [] {});
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
    QVERIFY(fails(report, "finite differences"));
    QVERIFY(!fails(report, "training forward"));  // it runs the right thing, and differentiates another
  }

  void backpropagation_through_the_whole_chain_fails() {
    const Case c = make_case(12, 5, 1, false, 0);
    const AuditReport report = audited(c, [&](Decoder& decoder) { return chunked_trainer(decoder, c.request, 5); });
    QVERIFY(fails(report, "explicit L_K"));
    QVERIFY(fails(report, "finite differences"));
  }

  void the_same_chain_passes_where_it_is_exact() {
    const Case c = make_case(12, 2, 1, false, 0);
    const AuditReport report = audited(c, [&](Decoder& decoder) { return chunked_trainer(decoder, c.request, 2); });
    QVERIFY2(report.passed(), failures(report).c_str());
  }
};

QTEST_APPLESS_MAIN(AuditTest)
#include "audit_test.moc"
