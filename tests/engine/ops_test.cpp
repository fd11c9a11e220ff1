// SPDX-License-Identifier: GPL-3.0-or-later
// The differentiable ops against plain compositions of LibTorch, values and gradients, in every dtype.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <QTest>
#include <random>

#include "engine/ops/elementwise.h"
#include "engine/ops/linear.h"
#include "engine/ops/logit_loss.h"
#include "engine/ops/prefix_attention.h"

using namespace carryover;

namespace {

at::Tensor noise(at::IntArrayRef shape, at::ScalarType type = at::kDouble) {
  return at::randn(shape, at::kDouble).to(type).requires_grad_(type == at::kDouble);
}

double error(const at::Tensor& a, const at::Tensor& b) {
  return (a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).abs().max().item<double>();
}

double mean_error(const at::Tensor& a, const at::Tensor& b) {
  return (a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).square().mean().sqrt().item<double>();
}

/// Values and gradients of two ways to compute the same, in fp64.
void same(const at::Tensor& fast, const at::Tensor& plain, const std::vector<at::Tensor>& inputs) {
  QVERIFY(error(fast, plain) < 1e-12);
  const at::Tensor seed = at::randn(fast.sizes(), at::kDouble);
  const auto a = torch::autograd::grad({fast}, inputs, {seed}), b = torch::autograd::grad({plain}, inputs, {seed});
  for (std::size_t i = 0; i < inputs.size(); ++i) QVERIFY2(error(a[i], b[i]) < 1e-11, qPrintable(QString::number(i)));
}

at::Tensor plain_norm(const at::Tensor& x, const at::Tensor& w, double epsilon) {
  return x * (x.square().mean(-1, true) + epsilon).rsqrt() * w;
}

at::Tensor plain_swiglu(const at::Tensor& x) {
  const auto halves = x.chunk(2, -1);
  return halves[0] * halves[0].sigmoid() * halves[1];
}

at::Tensor plain_rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  const auto halves = x.chunk(2, -1);
  return at::cat({halves[0] * cos - halves[1] * sin, halves[1] * cos + halves[0] * sin}, -1);
}

/// A copy of keys and values for each query head, the prefix before the segment, and which of them a query sees.
struct Joined {
  at::Tensor keys, values, visible;
};

Joined join(const ops::PrefixAttention& a) {
  const std::int64_t r = a.queries.size(1), m = a.queries.size(2);
  const auto wide = [r](const at::Tensor& kv) { return kv.expand({kv.size(0), r, kv.size(2), kv.size(3)}); };
  at::Tensor keys = wide(a.keys), values = wide(a.values);
  if (a.prefix_keys.defined()) {
    keys = at::cat({wide(a.prefix_keys), keys}, 2);
    values = at::cat({wide(a.prefix_values), values}, 2);
  }
  return {keys, values, at::ones({m, keys.size(2)}, at::kBool).tril(keys.size(2) - m)};
}

at::Tensor plain_attention(const ops::PrefixAttention& a) {
  const auto [keys, values, visible] = join(a);
  const at::Tensor scores =
      at::matmul(a.queries, keys.transpose(-1, -2)) / std::sqrt(static_cast<double>(keys.size(3)));
  return at::matmul(scores.masked_fill(~visible, -INFINITY).softmax(-1), values);
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

/// In bf16, any number of tiles, blocks and padded rows, in the widths that have a path of their own.
ops::PrefixAttention random_tiles(std::mt19937& random, int i) {
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const std::int64_t G = draw(1, 3), r = draw(1, 3), d = 64 * draw(1, 2), m = draw(2, 330),
                     n = m + (i % 2 == 0 ? 0 : draw(1, 400)), P = i % 3 == 0 ? 0 : draw(1, 300);
  const std::int64_t prefix_rows = draw(0, 1) == 0 ? 1 : r;
  const auto values = [&](at::IntArrayRef shape) { return noise(shape, at::kBFloat16).requires_grad_(); };
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

}  // namespace

class OpsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { at::manual_seed(7); }

  void norms_and_gates_equal_their_formulas() {
    for (const std::int64_t width : {1, 7, 16, 33, 576}) {
      const at::Tensor x = noise({5, width}), w = noise({width}), gates = noise({5, 2 * width});
      same(ops::rms_norm(x, w, 1e-5), plain_norm(x, w, 1e-5), {x, w});
      same(ops::swiglu(gates), plain_swiglu(gates), {gates});
      const at::Tensor weight = noise({9, width});
      same(ops::norm_linear(x, w, 1e-5, weight), at::linear(plain_norm(x, w, 1e-5), weight), {x, w, weight});
      same(ops::swiglu_linear(gates, weight), at::linear(plain_swiglu(gates), weight), {gates, weight});
    }
  }

  void rotation_equals_its_formula_on_strided_rows() {
    const at::Tensor rows = noise({9, 4, 16}), angle = at::randn({9, 8}, at::kDouble);
    const at::Tensor x = rows.transpose(0, 1);
    same(ops::rotate(x, angle.cos(), angle.sin()), plain_rotate(x, angle.cos(), angle.sin()), {rows});
  }

  /// Reduced formats: at most twice the error that rounding the exact result once makes, plus fp32's own.
  void fp32_and_bf16_round_once() {
    const at::NoGradGuard no_gradients;
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
      const at::Tensor x = noise({40, 96}, type) * 3, w = noise({96}, type),
                       angle = at::randn({40, 12}, at::kDouble).to(at::kFloat);
      const at::Tensor heads = x.view({40, 4, 24}).transpose(0, 1);
      const std::vector<std::pair<at::Tensor, at::Tensor>> pairs = {
          {ops::rms_norm(x, w, 1e-5), plain_norm(x.to(at::kDouble), w.to(at::kDouble), 1e-5)},
          {ops::swiglu(x), plain_swiglu(x.to(at::kDouble))},
          {ops::rotate(heads, angle.cos(), angle.sin()),
           plain_rotate(heads.to(at::kDouble), angle.cos().to(at::kDouble), angle.sin().to(at::kDouble))}};
      for (const auto& [fast, exact] : pairs) {
        QCOMPARE(fast.scalar_type(), type);
        QVERIFY(error(fast, exact) <= 2 * error(exact.to(type), exact) + 4e-6);
      }
    }
  }

  void swiglu_holds_at_the_ends_of_the_range() {
    const at::NoGradGuard no_gradients;
    const at::Tensor gates = at::tensor({-1e30, -200.0, -88.5, -1e-8, 0.0, 1e-8, 88.5, 200.0, 1e30}, at::kFloat);
    const at::Tensor x = at::cat({gates, at::ones_like(gates)}).unsqueeze(0);
    const at::Tensor expected = gates.to(at::kDouble) * gates.to(at::kDouble).sigmoid();
    QVERIFY(((ops::swiglu(x)[0].to(at::kDouble) - expected).abs() <= 1e-6 * expected.abs() + 1e-30).all().item<bool>());
  }

  void attention_equals_the_masked_softmax() {
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
      const ops::PrefixAttention a = random_attention(random, at::kDouble);
      std::vector<at::Tensor> inputs{a.queries, a.keys, a.values};
      if (a.prefix_keys.defined()) inputs.insert(inputs.end(), {a.prefix_keys, a.prefix_values});
      same(ops::prefix_attention(a), plain_attention(a), inputs);
    }
  }

  /// Blocks of keys, and parts of different lengths, are one softmax; keys are shared, expanded or one a query.
  void a_single_query_sees_any_number_of_keys() {
    for (const std::int64_t n : {1, 127, 128, 129, 700})
      for (const std::int64_t prefix : {0, 1, 300})
        for (const std::int64_t rows : {1, 3}) {
          ops::PrefixAttention a{noise({2, 3, 1, 40}), {}, {}, noise({2, rows, n, 40}), noise({2, rows, n, 40})};
          std::vector<at::Tensor> inputs{a.queries, a.keys, a.values};
          if (prefix > 0) {
            a.prefix_keys = noise({2, 4 - rows, prefix, 40});
            a.prefix_values = noise({2, 4 - rows, prefix, 40});
            inputs.insert(inputs.end(), {a.prefix_keys, a.prefix_values});
          }
          same(ops::prefix_attention(a), plain_attention(a), inputs);
        }
  }

  /// Values to twice the error of a plain bf16 softmax, gradients to twice that of LibTorch's own flash passes.
  void bf16_attention_is_exact_over_many_tiles() {
    std::mt19937 random(8);
    for (int i = 0; i < 32; ++i) {
      const ops::PrefixAttention a = random_tiles(random, i);
      const auto exact_of = [](const at::Tensor& x) {
        return x.defined() ? x.detach().to(at::kDouble).requires_grad_() : at::Tensor();
      };
      const ops::PrefixAttention wide{exact_of(a.queries), exact_of(a.prefix_keys), exact_of(a.prefix_values),
                                      exact_of(a.keys), exact_of(a.values)};
      const at::Tensor fast = ops::prefix_attention(a), truth = plain_attention(wide), flash = flash_attention(a);
      QVERIFY(error(fast, truth) <= 2 * error(plain_attention(a), truth) + 4e-3);
      const at::Tensor seed = noise(fast.sizes(), at::kBFloat16);
      const auto own = torch::autograd::grad({fast}, inputs_of(a), {seed}),
                 framework = torch::autograd::grad({flash}, inputs_of(a), {seed}),
                 exact = torch::autograd::grad({truth}, inputs_of(wide), {seed.to(at::kDouble)});
      for (std::size_t t = 0; t < own.size(); ++t) {
        const double mine = error(own[t], exact[t]), theirs = error(framework[t], exact[t]);
        QVERIFY2(mine <= 2 * theirs + 4e-3 * exact[t].abs().max().item<double>(),
                 qPrintable(QStringLiteral("%1, tensor %2: %3, %4").arg(i).arg(t).arg(mine).arg(theirs)));
      }
    }
  }

  /// Gradients in any memory order, on any number of threads, with a prefix that takes none: the same bits.
  void bf16_gradients_do_not_depend_on_how_they_are_asked_for() {
    std::mt19937 random(9);
    const int before = at::get_num_threads();
    for (int i = 0; i < 12; ++i) {
      ops::PrefixAttention a = random_tiles(random, i);
      const at::Tensor seed = noise(a.queries.sizes(), at::kBFloat16);
      const auto gradients = [&](int threads, const at::Tensor& with) {
        at::set_num_threads(threads);
        return torch::autograd::grad({ops::prefix_attention(a)}, inputs_of(a), {with});
      };
      const auto expected = gradients(1, seed), shared = gradients(2, seed),
                 turned = gradients(2, seed.transpose(1, 2).contiguous().transpose(1, 2));
      if (a.prefix_keys.defined()) {
        a.prefix_keys = a.prefix_keys.detach();
        a.prefix_values = a.prefix_values.detach();
      }
      const auto fewer = gradients(2, seed);
      at::set_num_threads(before);
      for (std::size_t t = 0; t < expected.size(); ++t) {
        QVERIFY(shared[t].equal(expected[t]));
        QVERIFY(turned[t].equal(expected[t]));
        if (t < fewer.size()) QVERIFY(fewer[t].equal(expected[t]));
      }
    }
  }

  /// Scores so far from zero that a key or query of zeros, which only fills a tile, would outweigh them all or none.
  void bf16_gradients_are_finite_for_any_scores() {
    for (const double shift : {-40.0, 40.0}) {
      const at::Tensor queries = (noise({1, 2, 130, 64}, at::kBFloat16) + 1).detach().requires_grad_(),
                       keys = (noise({1, 1, 130, 64}, at::kBFloat16) + shift).detach().requires_grad_(),
                       values = noise({1, 1, 130, 64}, at::kBFloat16).requires_grad_();
      const at::Tensor out = ops::prefix_attention({queries, {}, {}, keys, values});
      for (const at::Tensor& gradient : torch::autograd::grad({out}, {queries, keys, values}, {at::ones_like(out)}))
        QVERIFY(gradient.isfinite().all().item<bool>());
    }
  }

  void a_single_row_is_multiplied_as_exactly_as_by_the_framework() {
    for (const at::ScalarType type : {at::kBFloat16, at::kFloat})
      for (const auto& [outer, inner] :
           {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 16}, {131, 577}, {3000, 64}}) {
        const at::Tensor x = noise({1, inner}, type).requires_grad_(),
                         weight = noise({outer, inner}, type).requires_grad_();
        const at::Tensor exact = at::linear(x.to(at::kDouble), weight.to(at::kDouble));
        const at::Tensor fast = ops::linear(x, weight), plain = at::linear(x, weight);
        QCOMPARE(fast.scalar_type(), type);
        QVERIFY(error(fast, exact) <= 2 * error(plain, exact) + 1e-6);
        const auto gradients = torch::autograd::grad({fast}, {x, weight}, {at::ones_like(fast)}),
                   expected = torch::autograd::grad({plain}, {x, weight}, {at::ones_like(plain)});
        for (std::size_t i = 0; i < 2; ++i)
          QVERIFY(error(gradients[i], expected[i]) <= 0.01 * (1 + expected[i].abs().max().item<double>()));
        const at::Tensor rows = noise({3, inner});
        QVERIFY(ops::linear(rows, weight.to(at::kDouble)).equal(at::linear(rows, weight.to(at::kDouble))));
      }
  }

  void large_fp32_products_are_as_exact_as_by_the_framework() {
    for (const auto& [outer, inner] : {std::pair<std::int64_t, std::int64_t>{512, 160}, {97, 1024}})
      for (const std::int64_t rows : {16, 33, 200}) {
        const at::Tensor x = noise({rows, inner}), weight = noise({outer, inner}), seed = noise({rows, outer});
        const std::vector<at::Tensor> narrow{x.detach().to(at::kFloat).requires_grad_(),
                                             weight.detach().to(at::kFloat).requires_grad_()},
            wide{narrow[0].detach().to(at::kDouble).requires_grad_(),
                 narrow[1].detach().to(at::kDouble).requires_grad_()};
        const at::Tensor fast = ops::linear(narrow[0], narrow[1]), plain = at::linear(narrow[0], narrow[1]),
                         exact = at::linear(wide[0], wide[1]);
        QVERIFY(mean_error(fast, exact) <= 2 * mean_error(plain, exact));
        const at::Tensor down = seed.detach().to(at::kFloat);
        const auto own = torch::autograd::grad({fast}, narrow, {down}),
                   framework = torch::autograd::grad({plain}, narrow, {down}),
                   truth = torch::autograd::grad({exact}, wide, {down.to(at::kDouble)});
        for (std::size_t i = 0; i < 2; ++i)
          QVERIFY(mean_error(own[i], truth[i]) <= 2 * mean_error(framework[i], truth[i]));
      }
  }

  void a_product_with_a_frozen_weight_keeps_no_input() {
    const at::Tensor x = noise({5, 7}).requires_grad_(), weight = noise({3, 7}), seed = noise({5, 3}).detach();
    for (const bool trained : {false, true}) {
      weight.detach_().requires_grad_(trained);
      const at::Tensor input = x * 2;
      const auto held = input.use_count();
      const at::Tensor y = ops::linear(input, weight);
      QCOMPARE(input.use_count() > held, trained);
      QVERIFY(torch::autograd::grad({y}, {x}, {seed})[0].allclose(2 * at::mm(seed, weight)));
    }
  }

  /// Values and gradients in place, over rows of one and of several chunks, with logits far from one another.
  void logit_loss_is_the_softmaxs() {
    for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kBFloat16})
      for (const std::int64_t width : {1, 17, 2048, 5000}) {
        const at::Tensor logits = (at::randn({7, width}, at::kDouble) * 20).to(type),
                         targets = at::randint(width, {7}, at::kLong);
        const at::Tensor wide = logits.to(at::kDouble).requires_grad_();
        const at::Tensor exact = wide.logsumexp(1) - wide.gather(1, targets.unsqueeze(1)).squeeze(1);
        const at::Tensor gradient = torch::autograd::grad({exact.sum()}, {wide})[0];
        const at::NoGradGuard no_gradients;
        at::Tensor in_place = logits.clone();
        const ops::LogitLoss loss = ops::logit_loss(in_place, targets);
        QVERIFY(error(loss.nll, exact) <= (type == at::kDouble ? 1e-12 : 4e-5));
        ops::to_loss_gradient(in_place, loss, targets);
        QCOMPARE(in_place.scalar_type(), type);
        const double unit = type == at::kDouble ? 1e-12 : type == at::kFloat ? 1e-5 : 4e-3;
        QVERIFY(error(in_place, gradient) <= unit);
      }
  }

  void logit_loss_of_a_broken_row_is_not_a_number() {
    const at::NoGradGuard no_gradients;
    at::Tensor logits = at::randn({2, 40}, at::kFloat);
    logits[1][33] = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor nll = ops::logit_loss(logits, at::zeros({2}, at::kLong)).nll;
    QVERIFY(nll.isfinite()[0].item<bool>() && nll.isnan()[1].item<bool>());
  }

  void fp32_gradients_are_those_of_fp64() {
    at::manual_seed(5);
    for (const std::int64_t rows : {1, 63, 64, 200}) {
      const auto gradients = [&](at::ScalarType type, const at::Tensor& x, const at::Tensor& w,
                                 const at::Tensor& seed) {
        const at::Tensor a = x.to(type).detach().requires_grad_(), b = w.to(type).detach().requires_grad_();
        const at::Tensor out = ops::rms_norm(ops::swiglu(a), b, 1e-5);
        return torch::autograd::grad({out}, {a, b}, {seed.to(type)});
      };
      const at::Tensor x = at::randn({rows, 2 * 37}, at::kDouble), w = at::randn({37}, at::kDouble),
                       seed = at::randn({rows, 37}, at::kDouble);
      const auto exact = gradients(at::kDouble, x, w, seed), rounded = gradients(at::kFloat, x, w, seed);
      for (std::size_t i = 0; i < exact.size(); ++i)
        QVERIFY(error(exact[i], rounded[i]) < 2e-5 * (1 + exact[i].abs().max().item<double>()));
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

QTEST_APPLESS_MAIN(OpsTest)
#include "ops_test.moc"
