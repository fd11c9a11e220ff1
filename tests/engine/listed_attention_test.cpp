// SPDX-License-Identifier: GPL-3.0-or-later
// Attention to the keys that an index lists, and sums of attention over columns and diagonals: the CPU's kernels, and
// what a GPU's is given, against masks and whole matrices.
#include "engine/ops/listed_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <QTest>
#include <cmath>
#include <random>

#include "engine/base/key_index.h"
#include "engine/ops/attention_lines.h"
#include "engine/ops/prefix_attention.h"
#include "engine/runtime/cuda_runtime.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

int draw(std::mt19937& random, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(random);
}

/// Random lists: some empty, some of everything.
KeyIndex random_index(std::mt19937& random, std::int64_t rows, std::int64_t tile, std::int64_t place, std::int64_t m,
                      std::int64_t keys) {
  KeyIndex index = KeyIndex::of_tiles(rows, tile, place, m);
  for (auto& list : index.lists) {
    for (int i = draw(random, 0, 5); i > 0; --i) {
      const auto first = static_cast<std::int32_t>(draw(random, 0, static_cast<int>(keys) - 1));
      list.push_back({first, static_cast<std::int32_t>(draw(random, first, static_cast<int>(keys)))});
    }
    unite(list);
  }
  return index;
}

/// With prefixes of either shape, or none.
ops::PrefixAttention random_attention(std::mt19937& random, at::ScalarType type, std::int64_t d) {
  const int G = draw(random, 1, 3), r = draw(random, 1, 3), m = draw(random, 0, 4) == 0 ? 1 : draw(random, 1, 150),
            n = m + draw(random, 0, 40), P = draw(random, 0, 4) == 0 ? 0 : draw(random, 0, 300);
  const auto options = at::TensorOptions().dtype(type);
  const std::int64_t prefix_rows = draw(random, 0, 1) == 1 ? r : 1;
  ops::PrefixAttention attention;
  attention.queries = at::randn({G, r, m, d}, options);
  if (P > 0) {
    attention.prefix_keys = at::randn({G, prefix_rows, P, d}, options);
    attention.prefix_values = at::randn({G, prefix_rows, P, d}, options);
  }
  attention.keys = at::randn({G, 1, n, d}, options);
  attention.values = at::randn({G, 1, n, d}, options);
  return attention;
}

std::int64_t places_of(const ops::PrefixAttention& a) {
  return a.keys.size(2) + (a.prefix_keys.defined() ? a.prefix_keys.size(2) : 0);
}

/// Rows by head or, where heads share their keys, by KV head.
KeyIndex random_index_of(std::mt19937& random, const ops::PrefixAttention& a) {
  const std::int64_t G = a.queries.size(0), r = a.queries.size(1);
  const bool shared = (!a.prefix_keys.defined() || a.prefix_keys.size(1) == 1) && draw(random, 0, 2) == 0;
  KeyIndex index = random_index(random, shared ? G : G * r, shared ? 1 : draw(random, 1, 70), draw(random, 0, 90),
                                a.queries.size(2), places_of(a));
  index.shared = shared;
  return index;
}

ops::AttentionWindow random_window(std::mt19937& random, const ops::PrefixAttention& a) {
  ops::AttentionWindow window;
  window.length = draw(random, 0, 2) == 0 ? draw(random, 1, 4) : draw(random, 1, static_cast<int>(places_of(a)) + 3);
  window.sinks = draw(random, 0, 1) * draw(random, 1, 6);
  if (draw(random, 0, 1) == 0) window.sink_queries = at::randn(a.queries.sizes(), a.queries.options());
  const std::int64_t behind = (a.prefix_keys.defined() ? a.prefix_keys.size(2) : 0) - window.sinks;
  if (behind > 0 && draw(random, 0, 1) == 0) window.far = draw(random, 1, static_cast<int>(behind));
  return window;
}

/// log Σ e^score by the mask, [G, r, m]; without queries of the sinks' own.
at::Tensor masked_log_sums(const ops::PrefixAttention& a) {
  const std::int64_t G = a.queries.size(0), r = a.queries.size(1), m = a.queries.size(2), d = a.queries.size(3);
  const auto of_heads = [&](const at::Tensor& rows) { return rows.to(at::kDouble).expand({G, r, rows.size(2), d}); };
  at::Tensor keys = of_heads(a.keys);
  if (a.prefix_keys.defined()) keys = at::cat({of_heads(a.prefix_keys), keys}, 2);
  const std::int64_t all = keys.size(2);
  std::vector<at::Tensor> visible{ops::visible_keys(a.window, m, all, at::kCPU)};
  if (a.index != nullptr) {
    visible.clear();
    for (std::int64_t row = 0; row < a.index->rows; ++row)
      visible.push_back(ops::listed_keys(*a.index, row, 0, m, all, at::kCPU));
  }
  const at::Tensor seen = at::stack(visible).view({a.index != nullptr ? G : 1, -1, m, all});
  at::Tensor scores = a.queries.to(at::kDouble).matmul(keys.transpose(2, 3)) / std::sqrt(static_cast<double>(d));
  if (a.score_cap != 0) scores = a.score_cap * at::tanh(scores / a.score_cap);
  return scores.masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity()).logsumexp(3);
}

/// The kernel's reference in the place of all kernels.
const kernels::CudaKernels* listing_reference() {
  static const kernels::CudaKernels table = [] {
    kernels::CudaKernels only{};
    only.list_attention_workspace_bytes = [](const kernels::ListAttention&) { return std::int64_t{0}; };
    only.list_attention = kernels::reference::list_attention;
    return only;
  }();
  return &table;
}

}  // namespace

class ListedAttentionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Queries that choose from a part of the prefix and see all else: as lists say, and as a dense part with chosen
  /// rows.
  void chosen_keys_are_what_the_lists_say_data() { listed_keys_are_what_the_mask_leaves_data(); }
  void chosen_keys_are_what_the_lists_say() {
    QFETCH(at::ScalarType, type);
    QFETCH(double, bound);
    const at::NoGradGuard no_gradients;
    std::mt19937 random(4);
    at::manual_seed(5);
    for (int i = 0; i < 40; ++i) {
      ops::PrefixAttention attention =
          random_attention(random, type, type == at::kBFloat16 ? 64 : 8 * draw(random, 1, 5));
      if (!attention.prefix_keys.defined()) continue;
      if (i % 3 == 0) attention.score_cap = 0.9;
      const std::int64_t P = attention.prefix_keys.size(2), n = attention.keys.size(2), m = attention.queries.size(2),
                         heads = attention.queries.size(0) * attention.queries.size(1);
      KeyIndex index = KeyIndex::of_tiles(heads, 1, 0, m);
      const int first = draw(random, 0, static_cast<int>(P) - 1), end = draw(random, first + 1, static_cast<int>(P));
      for (std::int64_t list = 0; list < heads * m; ++list) {
        auto& ranges = index.lists[static_cast<std::size_t>(list)];
        ranges = {{0, first}, {end, static_cast<std::int32_t>(P + n - m + list % m + 1)}};
        for (int chosen = draw(random, 0, 200); chosen > 0; --chosen) {
          const int place = draw(random, first, end - 1);
          ranges.push_back({place, place + 1});
        }
        unite(ranges);
      }
      attention.index = &index;
      const at::Tensor listed = ops::prefix_attention(attention).to(at::kDouble);
      index.choice = {first, end};
      const double off = (ops::prefix_attention(attention).to(at::kDouble) - listed).abs().max().item<double>();
      QVERIFY2(off < bound, qPrintable(QStringLiteral("case %1: %2").arg(i).arg(off)));
    }
  }

  /// The kernels and the mask, in each dtype, with prefixes of either shape, rows by head and shared.
  void listed_keys_are_what_the_mask_leaves_data() {
    QTest::addColumn<at::ScalarType>("type");
    QTest::addColumn<double>("bound");
    QTest::newRow("fp64") << at::kDouble << 1e-12;
    QTest::newRow("fp32") << at::kFloat << 1e-5;
    QTest::newRow("bf16") << at::kBFloat16 << 2e-2;
  }
  void listed_keys_are_what_the_mask_leaves() {
    QFETCH(at::ScalarType, type);
    QFETCH(double, bound);
    const at::NoGradGuard no_gradients;
    std::mt19937 random(2);
    at::manual_seed(3);
    for (int i = 0; i < 40; ++i) {
      ops::PrefixAttention attention =
          random_attention(random, type, type == at::kBFloat16 ? 64 : 8 * draw(random, 1, 5));
      const KeyIndex index = random_index_of(random, attention);
      attention.index = &index;
      if (i % 3 == 0) attention.score_cap = 0.9;
      const at::Tensor fast = ops::prefix_attention(attention).to(at::kDouble);
      const at::Tensor expected = ops::masked_attention(attention).to(at::kDouble);
      const double off = (fast - expected).abs().max().item<double>();
      QVERIFY2(off < bound, qPrintable(QStringLiteral("case %1: %2").arg(i).arg(off)));
    }
  }

  /// Lists and windows as a GPU is given them, with the kernel's reference on CPU tensors, and log-sums.
  void a_gpu_is_given_what_the_mask_leaves_data() {
    QTest::addColumn<at::ScalarType>("type");
    QTest::addColumn<double>("bound");
    QTest::newRow("fp32") << at::kFloat << 1e-5;
    QTest::newRow("bf16") << at::kBFloat16 << 2e-2;
  }
  void a_gpu_is_given_what_the_mask_leaves() {
    QFETCH(at::ScalarType, type);
    QFETCH(double, bound);
    const at::NoGradGuard no_gradients;
    ops::replace_cuda_kernels(listing_reference(), true);
    std::mt19937 random(8);
    at::manual_seed(9);
    int taken = 0;
    for (int i = 0; i < 60; ++i) {
      ops::PrefixAttention attention = random_attention(random, type, 64);
      if (i % 3 == 0) attention.score_cap = 0.9;
      KeyIndex index;
      if (i % 2 == 0) {
        index = random_index_of(random, attention);
        attention.index = &index;
      } else if (i % 9 != 0) {  // those that see all have a cap, without which another kernel takes them

        attention.window = random_window(random, attention);
      }
      taken += ops::attends_by_lists(attention) ? 1 : 0;
      const auto [out, log_sums] = ops::attend_by_lists(attention);
      QVERIFY(out.sizes() == attention.queries.sizes() && out.scalar_type() == type);
      const double off =
          (out.to(at::kDouble) - ops::masked_attention(attention).to(at::kDouble)).abs().max().item<double>();
      QVERIFY2(off < bound, qPrintable(QStringLiteral("case %1: %2").arg(i).arg(off)));
      if (attention.window.sink_queries.defined()) continue;
      const at::Tensor expected = masked_log_sums(attention);
      QVERIFY(at::allclose(log_sums.to(at::kDouble), expected, 1e-5, 1e-5));
    }
    QVERIFY2(taken > 30, qPrintable(QString::number(taken)));
    QVERIFY(!ops::attends_by_lists(random_attention(random, type, 64)));
    ops::replace_cuda_kernels(nullptr);
    QVERIFY(!ops::attends_by_lists(random_attention(random, at::kFloat, 64)));  // a CPU has its own way
  }

  void gradients_are_those_of_finite_differences() {
    std::mt19937 random(4);
    at::manual_seed(5);
    const auto options = at::TensorOptions().dtype(at::kDouble);
    for (int i = 0; i < 6; ++i) {
      ops::PrefixAttention attention;
      attention.queries = at::randn({2, 2, 5, 4}, options).requires_grad_();
      attention.prefix_keys = at::randn({2, 1, 3, 4}, options).requires_grad_();
      attention.prefix_values = at::randn({2, 1, 3, 4}, options).requires_grad_();
      attention.keys = at::randn({2, 1, 5, 4}, options).requires_grad_();
      attention.values = at::randn({2, 1, 5, 4}, options).requires_grad_();
      const KeyIndex index = random_index(random, 4, 2, 0, 5, 8);
      attention.index = &index;
      if (i % 2 == 0) attention.score_cap = 0.9;
      const at::Tensor weights = at::randn({2, 2, 5, 4}, options);
      (ops::prefix_attention(attention) * weights).sum().backward();
      for (at::Tensor* input :
           {&attention.queries, &attention.prefix_keys, &attention.prefix_values, &attention.keys, &attention.values}) {
        const at::NoGradGuard no_gradients;
        const auto at_value = [&](double change) {
          input->view({-1})[3] += change;
          const double value = (ops::prefix_attention(attention) * weights).sum().item<double>();
          input->view({-1})[3] -= change;
          return value;
        };
        const double slope = (at_value(1e-5) - at_value(-1e-5)) / 2e-5;
        QVERIFY(std::abs(slope - input->grad().view({-1})[3].item<double>()) < 1e-7);
      }
    }
  }

  /// Through the mask autograd has them of its own; the forward has the same bits as without gradients.
  void gradients_are_those_of_the_mask_data() { listed_keys_are_what_the_mask_leaves_data(); }
  void gradients_are_those_of_the_mask() {
    QFETCH(at::ScalarType, type);
    QFETCH(double, bound);
    std::mt19937 random(6);
    at::manual_seed(7);
    for (int i = 0; i < 25; ++i) {
      // The last ones take several blocks of queries.
      const bool large = i > 22;
      const int G = large ? 1 : draw(random, 1, 2), r = draw(random, 1, 3), m = large ? 700 : draw(random, 1, 120),
                n = m + draw(random, 0, 30), P = large ? 3000 : draw(random, 0, 1) * draw(random, 1, 200), d = 64;
      const auto options = at::TensorOptions().dtype(type);
      const std::int64_t prefix_rows = draw(random, 0, 1) == 1 ? r : 1;
      const auto noise = [&](at::IntArrayRef sizes) { return at::randn(sizes, options).requires_grad_(); };
      ops::PrefixAttention attention;
      attention.queries = noise({G, r, m, d});
      attention.keys = noise({G, 1, n, d});
      attention.values = noise({G, 1, n, d});
      std::vector<at::Tensor> inputs{attention.queries, attention.keys, attention.values};
      if (P > 0) {
        attention.prefix_keys = noise({G, prefix_rows, P, d});
        attention.prefix_values = noise({G, prefix_rows, P, d});
        inputs.insert(inputs.end(), {attention.prefix_keys, attention.prefix_values});
      }
      const KeyIndex index = random_index(random, G * r, draw(random, 1, 70), draw(random, 0, 90), m, P + n);
      attention.index = &index;
      if (i % 3 == 0) attention.score_cap = 0.9;
      const at::Tensor weights = at::randn({G, r, m, d}, options), out = ops::prefix_attention(attention);
      {
        const at::NoGradGuard no_gradients;
        QVERIFY(at::equal(out, ops::prefix_attention(attention)));
      }
      const auto gradients = [&](const at::Tensor& of) { return torch::autograd::grad({of}, inputs, {weights}); };
      const auto ours = gradients(out), expected = gradients(ops::masked_attention(attention));
      for (std::size_t input = 0; input < inputs.size(); ++input) {
        const at::Tensor theirs = expected[input].to(at::kDouble);
        const double off = (ours[input].to(at::kDouble) - theirs).norm().item<double>(),
                     size = std::max(1.0, theirs.norm().item<double>());
        QVERIFY2(off < bound * size,
                 qPrintable(QStringLiteral("case %1, input %2: %3").arg(i).arg(input).arg(off / size)));
      }
    }
  }

  void sums_of_lines_are_those_of_the_whole_matrix() {
    at::manual_seed(11);
    std::mt19937 random(12);
    for (int i = 0; i < 20; ++i) {
      const int kv_heads = draw(random, 1, 3), share = draw(random, 1, 3), n = draw(random, 1, 900),
                w = draw(random, 1, std::min(n, 64));
      const auto options = at::TensorOptions().dtype(at::kBFloat16);
      const at::Tensor queries = at::randn({kv_heads * share, w, 64}, options),
                       keys = at::randn({kv_heads, n, 64}, options);
      const ops::AttentionLines fast = ops::attention_lines(queries, keys);
      const ops::AttentionLines expected = ops::materialised_lines(queries, keys);
      QVERIFY((fast.columns - expected.columns).abs().max().item<double>() < 1e-4);
      QVERIFY((fast.diagonals - expected.diagonals).abs().max().item<double>() < 1e-4);
      QVERIFY(std::abs(fast.columns.sum().item<double>() - kv_heads * share * w) < 1e-2);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ListedAttentionTest>};
#include "listed_attention_test.moc"
