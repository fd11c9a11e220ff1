// SPDX-License-Identifier: GPL-3.0-or-later
// The differentiable ops against plain compositions of LibTorch, values and gradients, in every dtype.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <QScopeGuard>
#include <QTest>
#include <cmath>
#include <random>
#include <vector>

#include "engine/ops/cpu/simd_rows.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/linear.h"
#include "engine/ops/logit_loss.h"
#include "engine/ops/matmul.h"
#include "tests/support/tensors.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

at::Tensor plain_norm(const at::Tensor& x, const at::Tensor& w, double offset) {
  return x * (x.square().mean(-1, true) + 1e-5).rsqrt() * (offset + w);
}

at::Tensor plain_gated(const at::Tensor& x, Activation activation) {
  const auto halves = x.chunk(2, -1);
  return (activation == Activation::Silu ? at::silu(halves[0]) : at::gelu(halves[0], "tanh")) * halves[1];
}

constexpr Activation kActivations[] = {Activation::Silu, Activation::GeluTanh};

at::Tensor plain_rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  const auto halves = x.chunk(2, -1);
  return at::cat({halves[0] * cos - halves[1] * sin, halves[1] * cos + halves[0] * sin}, -1);
}

}  // namespace

class OpsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { at::manual_seed(7); }

  void norms_and_gates_equal_their_formulas() {
    for (const std::int64_t width : {1, 7, 16, 33, 576}) {
      const at::Tensor x = noise({5, width}), w = noise({width}), gates = noise({5, 2 * width});
      const at::Tensor weight = noise({9, width});
      for (const double offset : {0.0, 1.0}) {
        const ops::NormGains norm{w, 1e-5, offset};
        same(ops::rms_norm(x, norm), plain_norm(x, w, offset), {x, w});
        same(ops::norm_linear(x, norm, weight), at::linear(plain_norm(x, w, offset), weight), {x, w, weight});
      }
      for (const Activation activation : kActivations) {
        same(ops::gated(gates, activation), plain_gated(gates, activation), {gates});
        same(ops::gated_linear(gates, activation, weight), at::linear(plain_gated(gates, activation), weight),
             {gates, weight});
      }
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
          {ops::rms_norm(x, {w, 1e-5}), plain_norm(x.to(at::kDouble), w.to(at::kDouble), 0)},
          {ops::rms_norm(x, {w, 1e-5, 1}), plain_norm(x.to(at::kDouble), w.to(at::kDouble), 1)},
          {ops::gated(x, Activation::Silu), plain_gated(x.to(at::kDouble), Activation::Silu)},
          {ops::gated(x, Activation::GeluTanh), plain_gated(x.to(at::kDouble), Activation::GeluTanh)},
          {ops::rotate(heads, angle.cos(), angle.sin()),
           plain_rotate(heads.to(at::kDouble), angle.cos().to(at::kDouble), angle.sin().to(at::kDouble))}};
      for (const auto& [fast, exact] : pairs) {
        QCOMPARE(fast.scalar_type(), type);
        QVERIFY(error(fast, exact) <= 2 * error(exact.to(type), exact) + 4e-6);
      }
    }
  }

  /// Rows of any length, with values of any size, and what is no number stays none.
  void soft_caps_and_their_slopes_equal_the_formula() {
    std::mt19937 random(5);
    for (const double cap : {0.7, 50.0})
      for (std::int64_t n = 0; n < 70; ++n) {
        std::vector<float> x(static_cast<std::size_t>(n)), slopes(x.size());
        for (float& value : x)
          value = static_cast<float>(cap * std::ldexp(std::normal_distribution<double>()(random), n % 24 - 20));
        std::vector<float> alone = x, capped = x;
        std::vector<double> in_fp64(x.begin(), x.end()), fp64_slopes(x.size());
        ops::soft_cap(capped.data(), static_cast<float>(cap), n, slopes.data());
        ops::soft_cap(alone.data(), static_cast<float>(cap), n);
        ops::soft_cap(in_fp64.data(), cap, n, fp64_slopes.data());
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double share = std::tanh(double{x[i]} / cap);
          QVERIFY(capped[i] == alone[i] && std::abs(capped[i] - cap * share) <= 5e-7 * cap * std::abs(share));
          QVERIFY(std::abs(slopes[i] - (1 - share * share)) < 1e-6);
          QVERIFY(in_fp64[i] == cap * share && fp64_slopes[i] == 1 - share * share);
        }
      }
    float odd[] = {NAN, INFINITY, -INFINITY, 0};
    ops::soft_cap(odd, 2.0f, 4);
    QVERIFY(std::isnan(odd[0]) && odd[1] == 2 && odd[2] == -2 && odd[3] == 0);
  }

  void gates_hold_at_the_ends_of_the_range() {
    const at::NoGradGuard no_gradients;
    const at::Tensor gates = at::tensor({-1e30, -200.0, -88.5, -1e-8, 0.0, 1e-8, 88.5, 200.0, 1e30}, at::kFloat);
    const at::Tensor x = at::cat({gates, at::ones_like(gates)}).unsqueeze(0);
    for (const Activation activation : kActivations) {
      const at::Tensor expected = plain_gated(x.to(at::kDouble), activation)[0];
      const at::Tensor found = ops::gated(x, activation)[0].to(at::kDouble);
      QVERIFY(((found - expected).abs() <= 1e-6 * expected.abs() + 1e-30).all().item<bool>());
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

  void large_fp32_matmuls_are_as_exact_as_by_the_framework() {
    for (const auto& [outer, inner] :
         {std::pair<std::int64_t, std::int64_t>{512, 160}, {97, 1024}, {576, 1536}, {3072, 576}, {80, 2500}})
      for (const std::int64_t rows : {16, 33, 200}) {
        const at::Tensor x = noise({rows, inner}), weight = noise({outer, inner}), seed = noise({rows, outer});
        const std::vector<at::Tensor> inputs{x.detach().to(at::kFloat).requires_grad_(),
                                             weight.detach().to(at::kFloat).requires_grad_()},
            in_fp64{inputs[0].detach().to(at::kDouble).requires_grad_(),
                    inputs[1].detach().to(at::kDouble).requires_grad_()};
        const at::Tensor fast = ops::linear(inputs[0], inputs[1]), plain = at::linear(inputs[0], inputs[1]),
                         exact = at::linear(in_fp64[0], in_fp64[1]);
        const auto as_exact = [&](const at::Tensor& own, const at::Tensor& framework, const at::Tensor& truth) {
          const double worse = mean_error(own, truth) / mean_error(framework, truth);
          QVERIFY2(worse <= 2, qPrintable(QString("%1 × %2, %3 rows: %4").arg(outer).arg(inner).arg(rows).arg(worse)));
        };
        as_exact(fast, plain, exact);
        const at::Tensor down = seed.detach().to(at::kFloat);
        const auto own = torch::autograd::grad({fast}, inputs, {down}),
                   framework = torch::autograd::grad({plain}, inputs, {down}),
                   truth = torch::autograd::grad({exact}, in_fp64, {down.to(at::kDouble)});
        for (std::size_t i = 0; i < 2; ++i) as_exact(own[i], framework[i], truth[i]);
      }
  }

  void bf16_matmuls_are_as_exact_as_by_the_framework_data() {
    QTest::addColumn<bool>("upcast");
    QTest::newRow("as the processor has them") << false;
    QTest::newRow("in fp32") << true;
  }
  /// Values and gradients; upcast, the second weight takes several blocks.
  void bf16_matmuls_are_as_exact_as_by_the_framework() {
    QFETCH(bool, upcast);
    ops::allow_bf16_matmul(!upcast);
    const auto restored = qScopeGuard([] { ops::allow_bf16_matmul(true); });
    for (const auto& [outer, inner] : {std::pair<std::int64_t, std::int64_t>{131, 577}, {9000, 1024}}) {
      const auto leaf = [](at::IntArrayRef shape) { return noise(shape, at::kBFloat16).requires_grad_(); };
      const std::vector<at::Tensor> inputs{leaf({5, inner}), leaf({outer, inner})},
          in_fp64{inputs[0].detach().to(at::kDouble).requires_grad_(),
                  inputs[1].detach().to(at::kDouble).requires_grad_()};
      const at::Tensor seed = noise({5, outer}, at::kBFloat16);
      const at::Tensor fast = ops::linear(inputs[0], inputs[1]), plain = at::linear(inputs[0], inputs[1]),
                       exact = at::linear(in_fp64[0], in_fp64[1]);
      QCOMPARE(fast.scalar_type(), at::kBFloat16);
      QVERIFY(mean_error(fast, exact) <= 2 * mean_error(plain, exact));
      const auto own = torch::autograd::grad({fast}, inputs, {seed}),
                 framework = torch::autograd::grad({plain}, inputs, {seed}),
                 truth = torch::autograd::grad({exact}, in_fp64, {seed.to(at::kDouble)});
      for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(own[i].scalar_type(), at::kBFloat16);
        QVERIFY(mean_error(own[i], truth[i]) <= 2 * mean_error(framework[i], truth[i]));
      }
    }
  }

  void a_matmul_with_a_frozen_weight_keeps_no_input() {
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
        const at::Tensor in_fp64 = logits.to(at::kDouble).requires_grad_();
        const at::Tensor exact = in_fp64.logsumexp(1) - in_fp64.gather(1, targets.unsqueeze(1)).squeeze(1);
        const at::Tensor gradient = torch::autograd::grad({exact.sum()}, {in_fp64})[0];
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

  /// The same with a teacher's tokens in several chunks of a row, the target among them or not.
  void soft_loss_is_the_cross_entropys() {
    for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kBFloat16})
      for (const std::int64_t width : {3, 2048, 5000}) {
        const at::Tensor logits = (at::randn({7, width}, at::kDouble) * 20).to(type),
                         targets = at::randint(width, {7}, at::kLong);
        const at::ScalarType opmath = type == at::kDouble ? at::kDouble : at::kFloat;
        const at::Tensor ids = std::get<1>(at::rand({7, width}).topk(3, 1)),
                         probabilities = at::rand({7, 3}, at::kDouble).softmax(1).to(opmath);
        for (const double weight : {0.0, 0.3, 1.0}) {
          const ops::SoftTargets soft{ids, probabilities, weight};
          const at::Tensor in_fp64 = logits.to(at::kDouble).requires_grad_(), log_p = in_fp64.log_softmax(1);
          const at::Tensor exact = -(probabilities.to(at::kDouble) * log_p.gather(1, ids)).sum(1);
          const at::Tensor nll = -log_p.gather(1, targets.unsqueeze(1)).squeeze(1);
          const at::Tensor sum = ((1 - weight) * nll + weight * exact).sum();
          const at::Tensor gradient = torch::autograd::grad({sum}, {in_fp64})[0];
          const at::NoGradGuard no_gradients;
          at::Tensor in_place = logits.clone(), hard_alone = logits.clone();
          const ops::LogitLoss loss = ops::logit_loss(in_place, targets);
          QVERIFY(error(ops::soft_loss(in_place, loss, soft), exact) <= (type == at::kDouble ? 1e-11 : 1e-4));
          ops::to_loss_gradient(in_place, loss, targets, &soft);
          const double unit = type == at::kDouble ? 1e-12 : type == at::kFloat ? 1e-5 : 4e-3;
          QVERIFY(error(in_place, gradient) <= unit);
          ops::to_loss_gradient(hard_alone, loss, targets);
          QCOMPARE(in_place.equal(hard_alone), weight == 0);
        }
      }
  }

  /// Blocks of columns, of whole chunks but the last, sum up to the same bits; infinite and broken rows too.
  void log_sums_go_on_over_blocks_of_columns() {
    const at::NoGradGuard no_gradients;
    for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kBFloat16})
      for (const std::int64_t width : {5, 2048, 9000}) {
        const at::Tensor logits = (at::randn({6, width}, at::kDouble) * 20).to(type);
        logits[0].fill_(-INFINITY);
        logits[1].narrow(0, 0, width / 2 + 1).fill_(-INFINITY);
        logits[2][width - 1] = NAN;
        const at::Tensor expected = ops::logit_loss(logits, at::zeros({6}, at::kLong)).log_sum;
        for (const std::int64_t columns : {ops::kLogitChunk, 2 * ops::kLogitChunk, 10 * ops::kLogitChunk}) {
          ops::LogSums sums(6, logits.options());
          for (std::int64_t first = 0; first < width; first += columns)
            sums.add(logits.narrow(1, first, std::min(columns, width - first)).contiguous());
          QVERIFY(sums.log_sums().nan_to_num(-7).equal(expected.nan_to_num(-7)));
        }
      }
  }

  void logit_loss_of_impossible_tokens_is_that_of_the_others() {
    const at::NoGradGuard no_gradients;
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kDouble}) {
      const at::Tensor logits = at::randn({3, 5000}, at::kDouble).to(type);
      logits[0].narrow(0, 0, 4096).fill_(-INFINITY);  // whole blocks of a row
      logits[1].narrow(0, 1000, 4000).fill_(-INFINITY);
      logits[2].narrow(0, 0, 4000).fill_(-INFINITY);
      logits[2][4500] = NAN;
      const at::Tensor targets = at::full({3}, 4999, at::kLong), nll = ops::logit_loss(logits, targets).nll;
      const at::Tensor in_fp64 = logits[0].to(at::kDouble);
      QVERIFY(std::abs(nll[0].item<double>() - (in_fp64.logsumexp(0) - in_fp64[4999]).item<double>()) <= 4e-5);
      QVERIFY(nll[1].item<double>() == INFINITY);
      QVERIFY(nll[2].isnan().item<bool>());
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
        const at::Tensor out = ops::rms_norm(ops::gated(a, Activation::Silu), {b, 1e-5});
        return torch::autograd::grad({out}, {a, b}, {seed.to(type)});
      };
      const at::Tensor x = at::randn({rows, 2 * 37}, at::kDouble), w = at::randn({37}, at::kDouble),
                       seed = at::randn({rows, 37}, at::kDouble);
      const auto exact = gradients(at::kDouble, x, w, seed), rounded = gradients(at::kFloat, x, w, seed);
      for (std::size_t i = 0; i < exact.size(); ++i)
        QVERIFY(error(exact[i], rounded[i]) < 2e-5 * (1 + exact[i].abs().max().item<double>()));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<OpsTest>};
#include "ops_test.moc"
