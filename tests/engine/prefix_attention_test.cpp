// SPDX-License-Identifier: GPL-3.0-or-later
// Attention against plain compositions of LibTorch, values and gradients, in every dtype and by every kind of matmul.
#include "engine/ops/prefix_attention.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <QScopeGuard>
#include <QTest>
#include <random>

#include "engine/ops/cpu/bf16_attention.h"
#include "engine/runtime/cuda_runtime.h"
#include "tests/support/tensors.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// A copy of keys and values for each query head, the prefix before the segment, and which of them a query sees.
struct Joined {
  at::Tensor keys, values, visible;
};

Joined join(const ops::PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1), m = a.queries.size(2);
  const auto expanded = [r](const at::Tensor& kv) { return kv.expand({kv.size(0), r, kv.size(2), kv.size(3)}); };
  at::Tensor keys = expanded(a.keys), values = expanded(a.values);
  if (a.prefix_keys.defined()) {
    keys = at::cat({expanded(a.prefix_keys), keys}, 2);
    values = at::cat({expanded(a.prefix_values), values}, 2);
  }
  return {keys, values, at::ones({m, keys.size(2)}, at::kBool).tril(keys.size(2) - m)};
}

/// Scores as the model takes them.
at::Tensor capped(const at::Tensor& scores, const ops::PrefixAttention& a) {
  return a.score_cap == 0 ? scores : a.score_cap * at::tanh(scores / a.score_cap);
}

at::Tensor plain_attention(const ops::PrefixAttention& a) {
  const auto [keys, values, visible] = join(a);
  const at::Tensor scores =
      capped(at::matmul(a.queries, keys.transpose(-1, -2)) / std::sqrt(static_cast<double>(keys.size(3))), a);
  return at::matmul(scores.masked_fill(~visible, -INFINITY).softmax(-1), values);
}

/// Weights in a window by its definition, a pair of a query and a key at a time: [G, r, m, P + n].
at::Tensor plain_weights(const ops::PrefixAttention& a) {
  const auto [keys, values, visible] = join(a);
  const std::int64_t m = a.queries.size(2), count = keys.size(2);
  at::Tensor scores = at::matmul(a.queries, keys.transpose(-1, -2));
  const at::Tensor to_sinks =
      at::matmul(a.window.sink_queries.defined() ? a.window.sink_queries : a.queries, keys.transpose(-1, -2));
  const at::Tensor sees = at::zeros({m, count}, at::kBool), apart = at::zeros({count}, at::kBool);
  auto sees_at = sees.accessor<bool, 2>();
  auto apart_at = apart.accessor<bool, 1>();
  for (std::int64_t query = 0; query < m; ++query)
    for (std::int64_t key = 0; key <= count - m + query; ++key) {
      const bool is_sink = key < a.window.sinks, is_copy = !is_sink && key < a.window.sinks + a.window.far;
      const std::int64_t copied = key + a.window.far, back = count - m + query - (is_copy ? copied : key);
      sees_at[query][key] = is_sink || (is_copy ? back >= a.window.length : back < a.window.length);
      if (is_sink || is_copy) apart_at[key] = true;
    }
  scores = capped(at::where(apart, to_sinks, scores) / std::sqrt(static_cast<double>(keys.size(3))), a);
  return scores.masked_fill(~sees, -INFINITY).softmax(-1);
}

at::Tensor plain_window(const ops::PrefixAttention& a) {
  return at::matmul(plain_weights(a), join(a).values);
}

/// LibTorch's flash pass, forward and backward, over a mask.
at::Tensor flash_attention(const ops::PrefixAttention& a) {
  const auto [keys, values, visible] = join(a);
  const at::Tensor mask = at::zeros(visible.sizes(), a.queries.options()).masked_fill(~visible, -INFINITY);
  return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(a.queries, keys, values, 0.0, false, mask));
}

/// Random shapes: prefixes shared or per query head, none, chunks at the end of a longer segment, single queries.
ops::PrefixAttention random_attention(std::mt19937& random, at::ScalarType type) {
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const std::int64_t G = draw(1, 3), r = draw(1, 3), d = 8 * draw(1, 8), m = draw(0, 3) == 0 ? 1 : draw(2, 70),
                     n = m + (draw(0, 1) == 0 ? 0 : draw(1, 50)), P = draw(0, 2) == 0 ? 0 : draw(1, 90);
  const std::int64_t prefix_rows = draw(0, 1) == 0 ? 1 : r;
  ops::PrefixAttention a{noise({G, r, m, d}, type), {}, {}, noise({G, 1, n, d}, type), noise({G, 1, n, d}, type)};
  if (P > 0) {
    a.prefix_keys = noise({G, prefix_rows, P, d}, type);
    a.prefix_values = noise({G, prefix_rows, P, d}, type);
  }
  return a;
}

/// How a format's attention multiplies.
struct Way {
  at::ScalarType type;
  std::int64_t width;  ///< heads are a multiple of it: bf16's own path is for those of 64
  bool tiles = false;  ///< AMX's, where the processor has them

  double unit() const { return type == at::kBFloat16 ? 4e-3 : 1e-6; }  ///< a rounding of values near one
};

/// Any number of tiles, blocks and padded rows.
ops::PrefixAttention random_tiles(std::mt19937& random, int i, const Way& way) {
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const std::int64_t G = draw(1, 3), r = draw(1, 3), d = way.width * draw(1, 2), m = draw(2, 330),
                     n = m + (i % 2 == 0 ? 0 : draw(1, 400)), P = i % 3 == 0 ? 0 : draw(1, 300);
  const std::int64_t prefix_rows = draw(0, 1) == 0 ? 1 : r;
  const auto values = [&](at::IntArrayRef shape) { return noise(shape, way.type).requires_grad_(); };
  ops::PrefixAttention a{values({G, r, m, d}), {}, {}, values({G, 1, n, d}), values({G, 1, n, d})};
  if (P > 0) {
    a.prefix_keys = values({G, prefix_rows, P, d});
    a.prefix_values = values({G, prefix_rows, P, d});
  }
  return a;
}

std::vector<at::Tensor> inputs_of(const ops::PrefixAttention& a) {
  std::vector<at::Tensor> inputs{a.queries, a.keys, a.values};
  if (a.prefix_keys.defined() && a.prefix_keys.requires_grad())
    inputs.insert(inputs.end(), {a.prefix_keys, a.prefix_values});
  return inputs;
}

/// Takes that way while it lives.
struct Taken {
  explicit Taken(const Way& way) { ops::allow_bf16_tiles(way.tiles); }
  ~Taken() { ops::allow_bf16_tiles(true); }
};

void by_ways() {
  QTest::addColumn<Way>("way");
  QTest::newRow("fp32") << Way{at::kFloat, 24};
  QTest::newRow("bf16") << Way{at::kBFloat16, 64};
  QTest::newRow("bf16 of other widths") << Way{at::kBFloat16, 40};
  if (ops::bf16_tiles()) QTest::newRow("bf16 by tiles") << Way{at::kBFloat16, 64, true};
}

}  // namespace

class PrefixAttentionTest : public QObject {
  Q_OBJECT

  static void open_window(ops::PrefixAttention& a, std::mt19937& random) {
    const auto draw = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const std::int64_t count = a.keys.size(2) + (a.prefix_keys.defined() ? a.prefix_keys.size(2) : 0);
    a.window.length = draw(0, 2) == 0 ? draw(1, 4) : draw(1, count + 3);
    a.window.sinks = draw(0, 1) * draw(1, 6);
    if (draw(0, 1) == 0) a.window.sink_queries = noise(a.queries.sizes(), a.queries.scalar_type());
    if (a.prefix_keys.defined() && a.prefix_keys.size(2) > a.window.sinks && draw(0, 1) == 0)
      a.window.far = draw(1, a.prefix_keys.size(2) - a.window.sinks);
  }
  static ops::PrefixAttention exactly(const ops::PrefixAttention& a) {
    ops::PrefixAttention exact = a;
    for (at::Tensor* each : {&exact.queries, &exact.keys, &exact.values, &exact.prefix_keys, &exact.prefix_values,
                             &exact.window.sink_queries})
      if (each->defined()) *each = each->detach().to(at::kDouble);
    return exact;
  }
  static void compare_with_definition(const ops::PrefixAttention& a, double bound) {
    const at::Tensor expected = plain_window(exactly(a));
    const auto check = [&](const char* way) {
      const double off = error(ops::prefix_attention(a), expected);
      QVERIFY2(off < bound, qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(way)).arg(off)));
    };
    check("by the mask");
    const at::NoGradGuard no_gradients;
    check("by tiles");
  }

 private Q_SLOTS:
  void init() { at::manual_seed(7); }

  void attention_equals_the_masked_softmax() {
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
      ops::PrefixAttention a = random_attention(random, at::kDouble);
      if (i % 3 == 0) a.score_cap = 0.7;
      std::vector<at::Tensor> inputs{a.queries, a.keys, a.values};
      if (a.prefix_keys.defined()) inputs.insert(inputs.end(), {a.prefix_keys, a.prefix_values});
      same(ops::prefix_attention(a), plain_attention(a), inputs);
    }
  }

  void a_window_equals_its_definition() {
    std::mt19937 random(5);
    for (int i = 0; i < 80; ++i) {
      ops::PrefixAttention a = random_attention(random, at::kDouble);
      open_window(a, random);
      if (i % 3 == 0) a.score_cap = 0.7;
      compare_with_definition(a, 1e-12);
    }
  }

  /// More weights than a GPU that takes gradients holds at a time, so that queries are taken in parts.
  void soft_capped_scores_of_many_queries_are_exact_on_a_gpu() {
    static const kernels::CudaKernels none{};
    ops::replace_cuda_kernels(&none, true);
    const auto restored = qScopeGuard([] { ops::replace_cuda_kernels(nullptr); });
    for (const std::int64_t window : {std::int64_t{0}, std::int64_t{900}}) {
      ops::PrefixAttention a{noise({1, 2, 2100, 2}, at::kDouble), noise({1, 1, 1000, 2}, at::kDouble),
                             noise({1, 1, 1000, 2}, at::kDouble), noise({1, 1, 3100, 2}, at::kDouble),
                             noise({1, 1, 3100, 2}, at::kDouble)};
      a.score_cap = 0.7;
      a.window.length = window;
      const double off = error(ops::prefix_attention(a), window > 0 ? plain_window(a) : plain_attention(a));
      QVERIFY2(off < 1e-12, qPrintable(QString::number(off)));
    }
  }

  void a_window_is_exact_over_many_tiles_data() { by_ways(); }
  void a_window_is_exact_over_many_tiles() {
    QFETCH(Way, way);
    const Taken taken(way);
    std::mt19937 random(6);
    for (int i = 0; i < 24; ++i) {
      ops::PrefixAttention a = random_tiles(random, i, way);
      open_window(a, random);
      if (i % 3 == 0) a.score_cap = 0.7;
      compare_with_definition(a, 8 * way.unit());
    }
  }

  void what_keys_get_is_the_sum_of_their_weights_data() { by_ways(); }
  void what_keys_get_is_the_sum_of_their_weights() {
    QFETCH(Way, way);
    const Taken taken(way);
    std::mt19937 random(12);
    for (int i = 0; i < 24; ++i) {
      ops::PrefixAttention a =
          i % 4 == 0 ? random_attention(random, way.type) : random_tiles(random, i, way);  // single queries too
      open_window(a, random);
      if (i % 5 == 0) a.score_cap = 0.7;
      const ops::PrefixAttention exact = exactly(a);
      const at::Tensor weights = plain_weights(exact);
      const std::int64_t apart = std::min(a.window.sinks + a.window.far, weights.size(3));
      const at::Tensor expected = weights.narrow(3, apart, weights.size(3) - apart).sum(2);
      const auto check = [&](const char* how) {
        const ops::WeighedAttention weighed = ops::weighed_attention(a);
        QVERIFY(weighed.received.sizes() == expected.sizes());
        const double off = error(weighed.out, plain_window(exact)), sums_off = error(weighed.received, expected);
        QVERIFY2(off < 8 * way.unit() && sums_off < 8 * way.unit() * (1 + expected.max().item<double>()),
                 qPrintable(QStringLiteral("%1, %2: %3, %4 of at most %5")
                                .arg(i)
                                .arg(QLatin1String(how))
                                .arg(off)
                                .arg(sums_off)
                                .arg(expected.max().item<double>())));
      };
      if (expected.size(2) == 0) continue;
      check("by the mask");
      const at::NoGradGuard no_gradients;
      check("by tiles");
    }
  }

  /// Blocks of keys, and parts of different lengths, are one softmax; keys are shared, expanded or one a query.
  void a_single_query_sees_any_number_of_keys() {
    for (const std::int64_t n : {1, 127, 128, 129, 700})
      for (const std::int64_t prefix : {0, 1, 300})
        for (const std::int64_t rows : {1, 3}) {
          ops::PrefixAttention a{noise({2, 3, 1, 40}), {}, {}, noise({2, rows, n, 40}), noise({2, rows, n, 40})};
          if (n % 2 == 0) a.score_cap = 0.7;
          std::vector<at::Tensor> inputs{a.queries, a.keys, a.values};
          if (prefix > 0) {
            a.prefix_keys = noise({2, 4 - rows, prefix, 40});
            a.prefix_values = noise({2, 4 - rows, prefix, 40});
            inputs.insert(inputs.end(), {a.prefix_keys, a.prefix_values});
          }
          same(ops::prefix_attention(a), plain_attention(a), inputs);
        }
  }

  void attention_is_exact_over_many_tiles_data() { by_ways(); }
  /// Values to twice the error of a plain softmax in that format, gradients to twice that of LibTorch's own flash
  /// passes.
  void attention_is_exact_over_many_tiles() {
    QFETCH(Way, way);
    const Taken taken(way);
    std::mt19937 random(8);
    for (int i = 0; i < 32; ++i) {
      const ops::PrefixAttention a = random_tiles(random, i, way);
      const auto exact_of = [](const at::Tensor& x) {
        return x.defined() ? x.detach().to(at::kDouble).requires_grad_() : at::Tensor();
      };
      const ops::PrefixAttention in_fp64{exact_of(a.queries), exact_of(a.prefix_keys), exact_of(a.prefix_values),
                                         exact_of(a.keys), exact_of(a.values)};
      const at::Tensor fast = ops::prefix_attention(a), truth = plain_attention(in_fp64), flash = flash_attention(a);
      QVERIFY(error(fast, truth) <= 2 * error(plain_attention(a), truth) + way.unit());
      const at::Tensor seed = noise(fast.sizes(), way.type);
      const auto own = torch::autograd::grad({fast}, inputs_of(a), {seed}),
                 framework = torch::autograd::grad({flash}, inputs_of(a), {seed}),
                 exact = torch::autograd::grad({truth}, inputs_of(in_fp64), {seed.to(at::kDouble)});
      for (std::size_t t = 0; t < own.size(); ++t) {
        const double mine = error(own[t], exact[t]), theirs = error(framework[t], exact[t]);
        QVERIFY2(mine <= 2 * theirs + way.unit() * exact[t].abs().max().item<double>(),
                 qPrintable(QStringLiteral("%1, tensor %2: %3, %4").arg(i).arg(t).arg(mine).arg(theirs)));
      }
    }
  }

  /// A window of two keys to one longer than everything, without sinks: the gradients are those of the mask, and the
  /// values are bit for bit those without gradients.
  void gradients_in_a_window_are_exact_data() { by_ways(); }
  void gradients_in_a_window_are_exact() {
    QFETCH(Way, way);
    const Taken taken(way);
    std::mt19937 random(12);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (int i = 0; i < 32; ++i) {
      ops::PrefixAttention a = random_tiles(random, i, way);
      a.window.length = i % 4 == 0 ? draw(2, 4) : draw(2, 800);
      if (i % 3 == 0) a.score_cap = 0.7;
      ops::PrefixAttention in_fp64 = exactly(a);
      for (at::Tensor* each :
           {&in_fp64.queries, &in_fp64.keys, &in_fp64.values, &in_fp64.prefix_keys, &in_fp64.prefix_values})
        if (each->defined()) each->requires_grad_();
      const at::Tensor fast = ops::prefix_attention(a), masked = ops::masked_attention(a),
                       truth = plain_window(in_fp64), seed = noise(fast.sizes(), way.type);
      {
        const at::NoGradGuard no_gradients;
        QVERIFY(ops::prefix_attention(a).equal(fast));
      }
      auto own = torch::autograd::grad({fast}, inputs_of(a), {seed}, {}, false, true);  // a prefix may be out of reach
      const auto by_mask = torch::autograd::grad({masked}, inputs_of(a), {seed}),
                 exact = torch::autograd::grad({truth}, inputs_of(in_fp64), {seed.to(at::kDouble)});
      for (std::size_t t = 0; t < own.size(); ++t) {
        if (!own[t].defined()) own[t] = at::zeros_like(by_mask[t]);
        const double mine = error(own[t], exact[t]), theirs = error(by_mask[t], exact[t]);
        QVERIFY2(mine <= 2 * theirs + way.unit() * exact[t].abs().max().item<double>(),
                 qPrintable(QStringLiteral("%1, tensor %2: %3, %4").arg(i).arg(t).arg(mine).arg(theirs)));
      }
    }
  }

  /// Gradients in any memory order, on any number of threads, with a prefix that takes none: the same bits.
  void gradients_do_not_depend_on_how_they_are_asked_for_data() { by_ways(); }
  void gradients_do_not_depend_on_how_they_are_asked_for() {
    QFETCH(Way, way);
    const Taken taken(way);
    std::mt19937 random(9);
    const int before = at::get_num_threads();
    for (int i = 0; i < 12; ++i) {
      ops::PrefixAttention a = random_tiles(random, i, way);
      const at::Tensor seed = noise(a.queries.sizes(), way.type);
      const auto gradients = [&](int threads, const at::Tensor& with) {
        at::set_num_threads(threads);
        return torch::autograd::grad({ops::prefix_attention(a)}, inputs_of(a), {with});
      };
      const auto expected = gradients(1, seed), shared = gradients(2, seed),
                 transposed = gradients(2, seed.transpose(1, 2).contiguous().transpose(1, 2));
      if (a.prefix_keys.defined()) {
        a.prefix_keys = a.prefix_keys.detach();
        a.prefix_values = a.prefix_values.detach();
      }
      const auto fewer = gradients(2, seed);
      at::set_num_threads(before);
      for (std::size_t t = 0; t < expected.size(); ++t) {
        QVERIFY(shared[t].equal(expected[t]));
        QVERIFY(transposed[t].equal(expected[t]));
        if (t < fewer.size()) QVERIFY(fewer[t].equal(expected[t]));
      }
    }
  }

  /// Scores so far from zero that a key or query of zeros, which only fills a tile, would outweigh them all or none.
  void gradients_are_finite_for_any_scores_data() { by_ways(); }
  void gradients_are_finite_for_any_scores() {
    QFETCH(Way, way);
    const Taken taken(way);
    for (const double shift : {-40.0, 40.0}) {
      const at::Tensor queries = (noise({1, 2, 130, 64}, way.type) + 1).detach().requires_grad_(),
                       keys = (noise({1, 1, 130, 64}, way.type) + shift).detach().requires_grad_(),
                       values = noise({1, 1, 130, 64}, way.type).requires_grad_();
      const at::Tensor out = ops::prefix_attention({queries, {}, {}, keys, values});
      for (const at::Tensor& gradient : torch::autograd::grad({out}, {queries, keys, values}, {at::ones_like(out)}))
        QVERIFY(gradient.isfinite().all().item<bool>());
    }
  }

  void attention_without_gradients_is_bitwise_the_same() {
    std::mt19937 random(4);
    for (int i = 0; i < 20; ++i) {
      const ops::PrefixAttention a = random_attention(random, at::kDouble);
      const at::Tensor trained = ops::prefix_attention(a).detach();
      const at::NoGradGuard no_gradients;
      QVERIFY(ops::prefix_attention(a).equal(trained));
    }
  }

  /// At most twice the error of LibTorch's own masked attention in that format.
  void attention_is_as_exact_as_the_framework() {
    const at::NoGradGuard no_gradients;
    std::mt19937 random(5);
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
      for (int i = 0; i < 20; ++i) {
        ops::PrefixAttention a = random_attention(random, type), exact;
        exact = {a.queries.to(at::kDouble), a.prefix_keys.defined() ? a.prefix_keys.to(at::kDouble) : at::Tensor(),
                 a.prefix_values.defined() ? a.prefix_values.to(at::kDouble) : at::Tensor(), a.keys.to(at::kDouble),
                 a.values.to(at::kDouble)};
        const at::Tensor truth = plain_attention(exact);
        const double unit = type == at::kFloat ? 1e-6 : 4e-3;  // a rounding of values near one
        QVERIFY(error(ops::prefix_attention(a), truth) <= 2 * error(plain_attention(a), truth) + unit);
      }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PrefixAttentionTest>};
#include "prefix_attention_test.moc"
