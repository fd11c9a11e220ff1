// SPDX-License-Identifier: GPL-3.0-or-later
// Native Sparse Attention (policy nsa): against a reference that takes one query of one head at a time, in any chunks;
// gradients, those of the gates too; what is held; what views are told of branches.
#include "engine/policies/nsa/nsa.h"

#include <ATen/CPUGeneratorImpl.h>

#include <QTest>
#include <numeric>

#include "engine/config/segment_fields.h"
#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/inspection/attention_pattern.h"
#include "engine/policies/nsa/nsa_settings.h"
#include "tests/support/pair_by_pair.h"
#include "tests/support/policy_facts.h"
#include "tests/support/policy_gradient.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// The definition over the whole text.
class QueryByQuery {
 public:
  QueryByQuery(const Decoder& decoder, std::int64_t tokens, const SegmentConfig& config)
      : decoder_(decoder),
        block_(config.of<NsaSettings>().selected_block_length),
        blocks_(config.of<NsaSettings>().selected_blocks),
        window_(config.of<WindowSettings>().attention_window),
        ropes_(decoder.config, decoder.config.rope, tokens, decoder.options()) {}

  at::Tensor run(const std::vector<std::int32_t>& ids) {
    at::Tensor x = decoder_.embed(as_tensor(ids));
    for (int layer = 0; layer < decoder_.config.layers; ++layer) {
      const Decoder::Projections p = decoder_.project(layer, x, {});
      const at::Tensor heads =
          decoder_.config.is_windowed(layer) ? attend_in_window(decoder_.config, p) : attend(layer, p, gates(layer, x));
      const at::Tensor attended = decoder_.add_attention(layer, x, heads, {});
      x = decoder_.add_feed_forward(layer, attended, x, {});
    }
    return decoder_.finish(x);
  }

  std::int64_t choices = 0;  ///< queries × KV heads that left a block out

 private:
  /// [n, H, 3].
  at::Tensor gates(int layer, const at::Tensor& x) const {
    const LayerWeights& w = decoder_.weights.layers[static_cast<std::size_t>(layer)];
    const std::int64_t n = x.size(0), heads = decoder_.config.heads;
    if (w.gates.empty()) return at::tensor({-4.0, 0.0, 0.0}, x.options()).sigmoid().expand({n, heads, 3});
    const at::Tensor scale = (x.square().mean(1, true) + decoder_.config.norm_epsilon).rsqrt();
    return 1 /
           (1 + (-((x * scale * (family_of(decoder_.config).norm_offset + w.attention_norm)).matmul(w.gates.rows.t()) +
                   w.gates.bias))
                    .exp())
               .view({n, heads, 3});
  }

  static at::Tensor softmax_of(const at::Tensor& query, const at::Tensor& keys) {
    return (keys.mv(query) / std::sqrt(static_cast<double>(keys.size(1)))).softmax(0);
  }
  static at::Tensor attention(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values) {
    return softmax_of(query, keys).matmul(values);
  }

  /// Means of the first blocks of rows, [n, d].
  at::Tensor means(const at::Tensor& rows, std::int64_t count) const {
    std::vector<at::Tensor> all;
    for (std::int64_t block = 0; block < count; ++block) all.push_back(rows.narrow(0, block * block_, block_).mean(0));
    return at::stack(all);
  }

  /// Tokens of the blocks that a query at `place` selects. importance: of the blocks before its own.
  std::vector<std::int64_t> selected(std::int64_t place, const std::vector<double>& importance) {
    std::vector<std::int64_t> order(importance.size());
    std::iota(order.begin(), order.end(), 0);
    const auto of = [&](std::int64_t block) { return importance[static_cast<std::size_t>(block)]; };
    std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) { return of(a) > of(b); });
    if (std::ssize(order) >= blocks_) {
      ++choices;
      order.resize(static_cast<std::size_t>(blocks_ - 1));
    }
    order.push_back(place / block_);
    std::vector<std::int64_t> tokens;
    for (const std::int64_t block : order)
      for (std::int64_t token = block * block_; token < (block + 1) * block_ && token <= place; ++token)
        tokens.push_back(token);
    return tokens;
  }

  at::Tensor attend(int layer, const Decoder::Projections& p, const at::Tensor& gates) {
    const std::int64_t n = p.queries.size(1), share = p.queries.size(0) / p.keys.size(0);
    const RopeAngles angles = ropes_.of(layer).angles(0, n);
    const at::Tensor queries = ops::rotate(p.queries, angles.cos, angles.sin),
                     keys = ops::rotate(p.keys, angles.cos, angles.sin);
    at::Tensor out = at::zeros_like(queries);
    for (std::int64_t kv_head = 0; kv_head < keys.size(0); ++kv_head)
      for (std::int64_t place = 0; place < n; ++place) {
        const at::Tensor own_keys = keys[kv_head], own_values = p.values[kv_head];
        const std::int64_t whole = (place + 1) / block_;
        std::vector<double> importance(static_cast<std::size_t>(place / block_));
        for (std::int64_t head = kv_head * share; whole > 0 && head < (kv_head + 1) * share; ++head) {
          const at::Tensor q = queries[head][place], weights = softmax_of(q, means(own_keys, whole));
          for (std::size_t block = 0; block < importance.size(); ++block)
            importance[block] += weights[static_cast<std::int64_t>(block)].item<double>();
          out[head][place] += gates[place][head][0] * weights.matmul(means(own_values, whole));
        }
        const at::Tensor tokens = at::tensor(selected(place, importance), at::kLong);
        const std::int64_t begin = std::max<std::int64_t>(0, place + 1 - window_);
        for (std::int64_t head = kv_head * share; head < (kv_head + 1) * share; ++head) {
          const at::Tensor q = queries[head][place], gate = gates[place][head];
          out[head][place] +=
              gate[1] * attention(q, own_keys.index_select(0, tokens), own_values.index_select(0, tokens));
          out[head][place] += gate[2] * attention(q, own_keys.narrow(0, begin, place + 1 - begin),
                                                  own_values.narrow(0, begin, place + 1 - begin));
        }
      }
    return out.transpose(0, 1).reshape({n, -1});
  }

  const Decoder& decoder_;
  std::int64_t block_, blocks_, window_;
  Ropes ropes_;
};

void set_random_gates(Decoder& decoder, unsigned seed) {
  auto generator = at::detail::createCPUGenerator(seed);
  for (LayerWeights& layer : decoder.weights.layers) {
    layer.gates = neutral_gates(decoder.config, decoder.options());
    layer.gates.rows.copy_(at::empty(layer.gates.rows.sizes(), at::kDouble).normal_(0, 0.4, generator));
    layer.gates.bias.copy_(at::empty(layer.gates.bias.sizes(), at::kDouble).normal_(0, 1, generator));
  }
}

/// Texts of one token and of less than a block, windows of one token and longer than the text, blocks longer than a
/// segment, one block to select and all; a third of the models without gates.
struct SparseCase : ChunkedCase {
  explicit SparseCase(unsigned seed, at::ScalarType type = at::kDouble) : ChunkedCase(seed, type) {
    ids = distinct_ids(random, seed % 8 == 7 ? 1 : draw(random, 40, 90), model.vocabulary);
    config.carry_length = config.sink_length = 0;
    config.segment_length = draw(random, 1, 40);
    config.of<NsaSettings>().selected_block_length =
        draw(random, 0, 5) == 0 ? draw(random, 20, 60) : draw(random, 1, 9);
    config.of<NsaSettings>().selected_blocks = draw(random, 1, 4);
    config.of<WindowSettings>().attention_window = draw(random, 0, 5) == 0 ? draw(random, 1, 2) : draw(random, 3, 40);
    if (seed % 8 == 6) config.of<WindowSettings>().attention_window = 200;
    if (seed % 8 == 5) config.of<NsaSettings>().selected_blocks = 100;
    if (seed % 8 == 4) config.of<NsaSettings>().selected_block_length = 200;
    if (seed % 3 != 0) set_random_gates(tiny.decoder, seed);
  }

  at::Tensor run(const Chunking& chunking = {}) const { return run_hidden(tiny.decoder, "nsa", config, ids, chunking); }
  QueryByQuery definition() const { return {tiny.decoder, std::ssize(ids), config}; }
};

}  // namespace

class NsaTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_equals_the_definition() {
    const at::NoGradGuard no_gradients;
    std::int64_t choices = 0;
    for (unsigned seed = 0; seed < 24; ++seed) {
      const SparseCase c(seed);
      QueryByQuery definition = c.definition();
      const double off = largest_difference(c.run(), definition.run(c.ids));
      record_fact("nsa", kReferenceFact, off);
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
      choices += definition.choices;
    }
    QVERIFY2(choices > 1000, qPrintable(QString::number(choices)));
  }

  /// Whole text, segments, single tokens and random chunks: also where a segment ends within a block.
  void chunks_change_nothing() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 40; seed < 80; ++seed) {
      const double off = SparseCase(seed).largest_difference_of_chunks("nsa");
      record_fact("nsa", kChunksFact, off);
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
    }
  }

  /// A text that both token branches see whole is read as under full attention, half by each, while no block is whole.
  void neutral_gates_leave_a_short_text_as_it_is() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 80; seed < 90; ++seed) {
      SparseCase c(seed);
      for (LayerWeights& layer : c.tiny.decoder.weights.layers) layer.gates = {};
      c.config.of<WindowSettings>().attention_window = std::ssize(c.ids);
      c.config.of<NsaSettings>().selected_block_length = std::ssize(c.ids) + 1;
      const at::Tensor full = run_hidden(c.tiny.decoder, "full", c.config, c.ids), untrained = c.run();
      QVERIFY(largest_difference(untrained, full) < 1e-10);
      for (LayerWeights& layer : c.tiny.decoder.weights.layers)
        layer.gates = neutral_gates(c.model, c.tiny.decoder.options());
      QVERIFY(largest_difference(c.run(), untrained) < 1e-12);
      c.config.of<NsaSettings>().selected_block_length = 4;
      if (std::ssize(c.ids) >= 4) QVERIFY(largest_difference(c.run(), full) > 1e-6);  // a block is whole
    }
  }

  /// The check can fail: each setting and each gate makes another result, but the length of segments none.
  void another_setting_is_another_result() {
    const at::NoGradGuard no_gradients;
    SparseCase c(100);
    c.ids = distinct_ids(c.random, 100, c.model.vocabulary);
    c.config.segment_length = 12;
    c.config.of<WindowSettings>().attention_window = 16;
    c.config.of<NsaSettings>().selected_block_length = 5;
    c.config.of<NsaSettings>().selected_blocks = 3;
    set_random_gates(c.tiny.decoder, 100);
    const at::Tensor expected = c.definition().run(c.ids);
    QVERIFY(largest_difference(c.run(), expected) < 1e-10);
    for (const char* setting : {"attention_window", "selected_block_length", "selected_blocks"}) {
      SparseCase other = c;
      ++find_segment_field(setting)->as<std::int64_t>()->in(other.config);
      QVERIFY(largest_difference(other.run(), expected) > 1e-6);
    }
    c.config.segment_length = 13;
    QVERIFY(largest_difference(c.run(), expected) < 1e-10);
    for (const std::int64_t branch : {0, 1, 2}) {
      at::Tensor bias = c.tiny.decoder.weights.layers[0].gates.bias;
      const at::Tensor before = bias.clone();
      bias.narrow(0, branch, 1).add_(1);
      QVERIFY(largest_difference(c.run(), expected) > 1e-6);
      bias.copy_(before);
    }
  }

  /// With all blocks selected: what rounding would choose otherwise is another result, and not a wrong one.
  void bf16_is_as_good_as_full_attentions() {
    const at::NoGradGuard no_gradients;
    const auto rms = [](const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); };
    const auto off = [&](const std::string& name, unsigned seed) {
      SparseCase exact(seed, at::kFloat), rounded(seed, at::kBFloat16);
      exact.config.of<NsaSettings>().selected_blocks = rounded.config.of<NsaSettings>().selected_blocks = 200;
      return rms(run_hidden(rounded.tiny.decoder, name, rounded.config, rounded.ids).to(at::kDouble) -
                 run_hidden(exact.tiny.decoder, name, exact.config, exact.ids).to(at::kDouble));
    };
    for (unsigned seed = 120; seed < 130; ++seed) {
      const double ours = off("nsa", seed), full = off("full", seed);
      QVERIFY2(ours <= 3 * full, qPrintable(QStringLiteral("seed %1: %2 and %3").arg(seed).arg(ours).arg(full)));
    }
  }

  /// Its window is an index there.
  void training_runs_the_same_forward() {
    for (unsigned seed = 140; seed < 148; ++seed) {
      const SparseCase c(seed);
      const at::Tensor with_gradients = c.run();
      const at::NoGradGuard no_gradients;
      QVERIFY(largest_difference(with_gradients.detach(), c.run()) < 1e-10);
    }
  }

  /// The trainer's gradient beside finite differences: a sample is one segment.
  void the_gradient_is_exact_data() { gradient_cases(); }
  void the_gradient_is_exact() {
    check_gradient("nsa", [](SegmentConfig& config) {
      config.of<NsaSettings>().selected_block_length = 4;
      config.of<NsaSettings>().selected_blocks = 2;
    });
  }

  /// The gradients of single weights of gates are compared with central differences.
  void gates_have_their_gradient() {
    for (unsigned seed = 180; seed < 186; ++seed) {
      SparseCase c(seed);
      c.ids = distinct_ids(c.random, 40, c.model.vocabulary);
      c.config.segment_length = 40;
      c.config.of<NsaSettings>().selected_block_length = draw(c.random, 3, 9);
      set_random_gates(c.tiny.decoder, seed);
      auto generator = at::detail::createCPUGenerator(seed);
      const at::Tensor towards = at::empty({40, c.model.hidden}, at::kDouble).normal_(0, 1, generator);
      const auto loss = [&] { return (c.run() * towards).sum(); };
      BranchGates& gates = c.tiny.decoder.weights.layers[seed % 2].gates;
      for (at::Tensor* weights : {&gates.rows, &gates.bias}) {
        weights->requires_grad_(true);
        loss().backward();
        const at::Tensor gradient = weights->grad().flatten();
        weights->requires_grad_(false);
        weights->mutable_grad() = at::Tensor();
        const at::NoGradGuard no_gradients;
        at::Tensor values = weights->view(-1);
        for (int i = 0; i < 12; ++i) {
          const std::int64_t place = draw(c.random, 0, values.size(0) - 1);
          constexpr double step = 1e-5;
          values[place] += step;
          const double above = loss().item<double>();
          values[place] -= 2 * step;
          const double below = loss().item<double>();
          values[place] += step;
          const double expected = (above - below) / (2 * step), found = gradient[place].item<double>();
          QVERIFY2(std::abs(found - expected) < 1e-6 * (1 + std::abs(expected)),
                   qPrintable(QStringLiteral("seed %1: %2 and %3").arg(seed).arg(found).arg(expected)));
        }
        QVERIFY(gradient.abs().max().item<double>() > 1e-3);
      }
    }
  }

  void what_is_held_and_seen_is_what_the_cost_model_says() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 200; seed < 224; ++seed) {
      const SparseCase c(seed, at::kFloat);
      const std::int64_t block = c.config.of<NsaSettings>().selected_block_length;
      c.check_bytes("nsa", [&](std::int64_t tokens) { return tokens + tokens / block; });
    }
  }

  void states_that_share_a_cache_do_not_disturb_each_other() { check_branches<SparseCase>("nsa", 240, 260, 6); }

  /// Views see one prefix: means, each at its block's first token, and behind them every token before the segment.
  void slots_have_positions() {
    const at::NoGradGuard no_gradients;
    std::int64_t means = 0, tokens = 0;
    for (unsigned seed = 280; seed < 290; ++seed) {
      const SparseCase c(seed);
      const at::Tensor values =
          c.tiny.decoder.project(0, c.tiny.decoder.embed(as_tensor(c.ids)), {}).values;  // of layer 0: of tokens alone
      std::int64_t first_token = 0;
      RunSetup setup{"nsa", c.config, std::ssize(c.ids)};
      setup.watch_attention = [&](const AttentionSight& sight) {
        if (sight.layer > 0) return;
        const int head = static_cast<int>(seed % static_cast<unsigned>(c.model.heads));
        const at::Tensor own = values[head / c.model.group_size()];
        const AttentionPattern attention(sight, head);
        const PrefixSpan core = attention.span(PrefixPart::Core), carry = attention.span(PrefixPart::Carry);
        QCOMPARE(core.first, std::int64_t{0});
        QCOMPARE(core.length + carry.length, attention.prefix_length());
        QCOMPARE(carry.length, first_token);
        for (std::int64_t slot = 0; slot < attention.prefix_length(); ++slot) {
          const std::int64_t position = attention.position(slot, nullptr, first_token);
          const bool is_mean = slot < core.length;
          QCOMPARE(position, is_mean ? slot * c.config.of<NsaSettings>().selected_block_length : slot - core.length);
          const at::Tensor expected =
              is_mean ? own.narrow(0, position, c.config.of<NsaSettings>().selected_block_length).mean(0)
                      : own[position];
          QVERIFY(largest_difference(attention.prefix_values()[slot], expected) < 1e-10);
          ++(is_mean ? means : tokens);
        }
      };
      PreparedRun prepared(c.tiny.decoder, setup);
      for (std::int64_t segment = 0; segment < c.segments(); ++segment) {
        first_token = prepared.runner().state().next.first_token;
        prepared.runner().run_segment(c.segment(c.ids, segment));
      }
    }
    QVERIFY(means > 50 && tokens > 100);
  }

  /// The weights that views show are those that made the output, gates and all.
  void views_see_the_attention_that_was() {
    const at::NoGradGuard no_gradients;
    std::int64_t layers = 0;
    for (unsigned seed = 300; seed < 308; ++seed) {
      const SparseCase c(seed);
      RunSetup setup{"nsa", c.config, std::ssize(c.ids)};
      setup.watch = [&](const LayerSight& sight) {
        std::vector<at::Tensor> heads;
        for (int head = 0; head < c.model.heads; ++head) {
          const AttentionPattern attention(sight, head);
          at::Tensor values = attention.values();
          if (attention.prefix_length() > 0) values = at::cat({attention.prefix_values(), values});
          heads.push_back(attention.weights(0, attention.queries()).matmul(values));
          layers += attention.span(PrefixPart::Core).length > 0;
        }
        const at::Tensor attended = c.tiny.decoder.add_attention(sight.layer, sight.entering, at::cat(heads, 1), {});
        QVERIFY(largest_difference(attended, sight.attended) < 1e-10);
      };
      PreparedRun prepared(c.tiny.decoder, setup);
      for (std::int64_t segment = 0; segment < c.segments(); ++segment)
        prepared.runner().run_segment(c.segment(c.ids, segment));
    }
    QVERIFY(layers > 20);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<NsaTest>};
#include "nsa_test.moc"
