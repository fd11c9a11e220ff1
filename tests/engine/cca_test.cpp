// SPDX-License-Identifier: GPL-3.0-or-later
// CCA-Attention (policy cca): against a reference that takes one query of one head at a time, in any chunks; gradients;
// what is held; and what views are told of core tokens.
#include "engine/policies/cca/cca.h"

#include <QTest>

#include "engine/config/segment_fields.h"
#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/inspection/attention_pattern.h"
#include "engine/policies/cca/cca_settings.h"
#include "tests/support/pair_by_pair.h"
#include "tests/support/policy_facts.h"
#include "tests/support/policy_gradient.h"
#include "tests/support/run_layers.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// The definition over the whole text.
class QueryByQuery {
 public:
  QueryByQuery(const Decoder& decoder, std::int64_t tokens, std::int64_t group, std::int64_t window)
      : decoder_(decoder),
        group_(group),
        window_(window),
        ropes_(decoder.config, decoder.config.rope, tokens, decoder.options()) {}

  at::Tensor run(const std::vector<std::int32_t>& ids) {
    return run_layers(decoder_, ids, [this](int layer, const Decoder::Projections& p) { return attend(layer, p); });
  }

  std::int64_t cores_seen = 0;

 private:
  /// One query over these keys: softmax(q·k/√d)·v.
  static at::Tensor mean(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values) {
    return (keys.mv(query) / std::sqrt(static_cast<double>(keys.size(1)))).softmax(0).matmul(values);
  }

  at::Tensor attend(int layer, const Decoder::Projections& p) {
    const std::int64_t n = p.queries.size(1), share = p.queries.size(0) / p.keys.size(0);
    const RopeAngles angles = ropes_.of(layer).angles(0, n);
    const at::Tensor queries = ops::rotate(p.queries, angles.cos, angles.sin),
                     keys = ops::rotate(p.keys, angles.cos, angles.sin);
    at::Tensor out = at::empty_like(queries);
    for (std::int64_t head = 0; head < queries.size(0); ++head) {
      const at::Tensor own_keys = keys[head / share], own_values = p.values[head / share];
      std::vector<at::Tensor> core_keys, core_values;
      for (std::int64_t query = 0; query < n; ++query) {
        const at::Tensor q = queries[head][query];
        if ((query + 1) % group_ == 0) {  // the last of a group
          const at::Tensor of_group = own_keys.narrow(0, query + 1 - group_, group_);
          core_keys.push_back(mean(q, of_group, of_group));
          core_values.push_back(mean(q, of_group, own_values.narrow(0, query + 1 - group_, group_)));
        }
        std::int64_t pooled = 0;  // groups, as many as leave W tokens or more
        while (query + 1 - (pooled + 1) * group_ >= window_) ++pooled;
        std::vector<at::Tensor> seen_keys(core_keys.begin(), core_keys.begin() + pooled),
            seen_values(core_values.begin(), core_values.begin() + pooled);
        for (std::int64_t token = pooled * group_; token <= query; ++token) {
          seen_keys.push_back(own_keys[token]);
          seen_values.push_back(own_values[token]);
        }
        out[head][query] = mean(q, at::stack(seen_keys), at::stack(seen_values));
        cores_seen += pooled;
      }
    }
    return out.transpose(0, 1).reshape({n, -1});
  }

  const Decoder& decoder_;
  std::int64_t group_, window_;
  Ropes ropes_;
};

/// Texts of one token, windows longer than the text and of one token, groups longer than a segment and than the window.
struct CoreCase : ChunkedCase {
  explicit CoreCase(unsigned seed, at::ScalarType type = at::kDouble) : ChunkedCase(seed, type) {
    ids = distinct_ids(random, seed % 8 == 7 ? 1 : draw(random, 40, 100), model.vocabulary);
    config.carry_length = config.sink_length = 0;
    config.segment_length = draw(random, 1, 40);
    config.of<CcaSettings>().core_group_length = draw(random, 0, 5) == 0 ? draw(random, 20, 60) : draw(random, 1, 9);
    config.of<WindowSettings>().attention_window = draw(random, 0, 5) == 0 ? draw(random, 1, 2) : draw(random, 3, 40);
    if (seed % 8 == 6) config.of<WindowSettings>().attention_window = 200;
  }

  at::Tensor run(const Chunking& chunking = {}) const { return run_hidden(tiny.decoder, "cca", config, ids, chunking); }
  QueryByQuery definition() const {
    return {tiny.decoder, std::ssize(ids), config.of<CcaSettings>().core_group_length,
            config.of<WindowSettings>().attention_window};
  }
};

}  // namespace

class CcaTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_equals_the_definition() {
    const at::NoGradGuard no_gradients;
    std::int64_t cores = 0;
    for (unsigned seed = 0; seed < 24; ++seed) {
      const CoreCase c(seed);
      QueryByQuery definition = c.definition();
      const double off = largest_difference(c.run(), definition.run(c.ids));
      record_fact("cca", kReferenceFact, off);
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
      cores += definition.cores_seen;
    }
    QVERIFY2(cores > 10000, qPrintable(QString::number(cores)));
  }

  /// Whole text, segments, single tokens and random chunks: also where a segment ends within a group.
  void chunks_change_nothing() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 40; seed < 80; ++seed) {
      const double off = CoreCase(seed).largest_difference_of_chunks("cca");
      record_fact("cca", kChunksFact, off);
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
    }
  }

  void groups_of_one_and_long_windows_are_full_attention() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 80; seed < 96; ++seed) {
      CoreCase c(seed);
      if (seed % 2 == 0)
        c.config.of<CcaSettings>().core_group_length = 1;
      else
        c.config.of<WindowSettings>().attention_window = std::ssize(c.ids);
      QVERIFY(largest_difference(c.run(), run_hidden(c.tiny.decoder, "full", c.config, c.ids)) < 1e-10);
    }
  }

  /// The check can fail: each setting makes another result, but the length of segments none.
  void another_setting_is_another_result() {
    const at::NoGradGuard no_gradients;
    CoreCase c(100);
    c.ids = distinct_ids(c.random, 100, c.model.vocabulary);
    c.config.segment_length = 12;
    c.config.of<WindowSettings>().attention_window = 16;
    c.config.of<CcaSettings>().core_group_length = 5;
    const at::Tensor expected = c.definition().run(c.ids);
    QVERIFY(largest_difference(c.run(), expected) < 1e-10);
    for (const char* setting : {"attention_window", "core_group_length"}) {
      CoreCase other = c;
      ++find_segment_field(setting)->as<std::int64_t>()->in(other.config);
      QVERIFY(largest_difference(other.run(), expected) > 1e-6);
    }
    c.config.segment_length = 13;
    QVERIFY(largest_difference(c.run(), expected) < 1e-10);
  }

  void bf16_is_as_good_as_full_attentions() {
    const at::NoGradGuard no_gradients;
    const auto rms = [](const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); };
    const auto off = [&](const std::string& name, unsigned seed) {
      const CoreCase exact(seed, at::kFloat), rounded(seed, at::kBFloat16);
      return rms(run_hidden(rounded.tiny.decoder, name, rounded.config, rounded.ids).to(at::kDouble) -
                 run_hidden(exact.tiny.decoder, name, exact.config, exact.ids).to(at::kDouble));
    };
    for (unsigned seed = 120; seed < 130; ++seed) {
      const double ours = off("cca", seed), full = off("full", seed);
      QVERIFY2(ours <= 3 * full, qPrintable(QStringLiteral("seed %1: %2 and %3").arg(seed).arg(ours).arg(full)));
    }
  }

  void training_runs_the_same_forward() {
    for (unsigned seed = 140; seed < 148; ++seed) {
      const CoreCase c(seed);
      const at::Tensor with_gradients = c.run();
      const at::NoGradGuard no_gradients;
      QVERIFY(at::equal(with_gradients, c.run()));
    }
  }

  /// The trainer's gradient beside finite differences: a sample is one segment, whose core tokens it goes through.
  void the_gradient_is_exact_data() { gradient_cases(); }
  void the_gradient_is_exact() {
    check_gradient("cca", [](SegmentConfig& config) { config.of<CcaSettings>().core_group_length = 4; });
  }

  void what_is_held_and_seen_is_what_the_cost_model_says() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 200; seed < 224; ++seed) {
      const CoreCase c(seed, at::kFloat);
      const CoreTokens rule(c.config);
      c.check_bytes("cca", [&](std::int64_t tokens) { return rule.whole(tokens) + rule.near(tokens); });
    }
  }

  void states_that_share_core_tokens_do_not_disturb_each_other() { check_branches<CoreCase>("cca", 240, 260, 6); }

  /// A core token has the position of its group's first token, and any other slot holds the token at its own.
  void slots_have_positions() {
    const at::NoGradGuard no_gradients;
    std::int64_t cores = 0, near = 0;
    for (unsigned seed = 280; seed < 290; ++seed) {
      const CoreCase c(seed);
      const at::Tensor values =
          c.tiny.decoder.project(0, c.tiny.decoder.embed(as_tensor(c.ids)), {}).values;  // of layer 0: of tokens alone
      std::int64_t first_token = 0;
      RunSetup setup{"cca", c.config, std::ssize(c.ids)};
      setup.watch_attention = [&](const AttentionSight& sight) {
        QCOMPARE(sight.groups.size(), std::size_t{1});
        const HeadGroup& group = sight.groups.front();
        const PrefixSpan core = group.span(PrefixPart::Core), carry = group.span(PrefixPart::Carry);
        QCOMPARE(core.length + carry.length, group.slots());
        for (std::int64_t slot = 0; sight.layer == 0 && slot < group.slots(); ++slot) {
          const std::int64_t position = slot_position(group, slot, nullptr, first_token);
          if (slot < core.length) {
            QCOMPARE(position, slot * c.config.of<CcaSettings>().core_group_length);
            ++cores;
            continue;
          }
          at::Tensor expected = values.select(1, position);
          if (group.prefix_per_query_head) expected = expected.repeat_interleave(c.model.group_size(), 0);
          QVERIFY(largest_difference(group.prefix_values.select(1, slot), expected) < 1e-10);
          ++near;
        }
      };
      PreparedRun prepared(c.tiny.decoder, setup);
      for (std::int64_t segment = 0; segment < c.segments(); ++segment) {
        first_token = prepared.runner().state().next.first_token;
        prepared.runner().run_segment(c.segment(c.ids, segment));
      }
    }
    QVERIFY(cores > 100 && near > 100);
  }

  /// The weights that views show are those that made the output.
  void views_see_the_attention_that_was() {
    const at::NoGradGuard no_gradients;
    std::int64_t layers = 0;
    for (unsigned seed = 300; seed < 308; ++seed) {
      const CoreCase c(seed);
      RunSetup setup{"cca", c.config, std::ssize(c.ids)};
      setup.watch = [&](const LayerSight& sight) {
        std::vector<at::Tensor> heads;
        for (int head = 0; head < c.model.heads; ++head) {
          const AttentionPattern attention(sight, head);
          at::Tensor values = attention.values();
          if (attention.prefix_length() > 0) values = at::cat({attention.prefix_values(), values});
          heads.push_back(attention.weights(0, attention.queries()).matmul(values));
        }
        const at::Tensor attended = c.tiny.decoder.add_attention(sight.layer, sight.entering, at::cat(heads, 1), {});
        QVERIFY(largest_difference(attended, sight.attended) < 1e-10);
        layers += sight.groups.front().span(PrefixPart::Core).length > 0;
      };
      PreparedRun prepared(c.tiny.decoder, setup);
      for (std::int64_t segment = 0; segment < c.segments(); ++segment)
        prepared.runner().run_segment(c.segment(c.ids, segment));
    }
    QVERIFY(layers > 20);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CcaTest>};
#include "cca_test.moc"
