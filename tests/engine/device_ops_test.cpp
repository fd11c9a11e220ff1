// SPDX-License-Identifier: GPL-3.0-or-later
// The engine with the project's kernels gives the same as its own CPU code. The kernels' references stand in their
// place, on CPU tensors.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTest>
#include <random>
#include <set>

#include "engine/decoder/rope.h"
#include "engine/method/retriever.h"
#include "engine/ops/cuda/device_elementwise.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/head_attention.h"
#include "engine/ops/prefix_attention.h"
#include "engine/ops/retrieval_ops.h"
#include "engine/runtime/compute_type.h"
#include "engine/runtime/cuda_runtime.h"
#include "tests/support/kernels/reference_kernels.h"
#include "tests/support/tensors.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Multiples of 1/8: sums of products are exact in every type and order.
at::Tensor eighths(at::IntArrayRef shape, at::ScalarType type) {
  return at::randint(-32, 33, shape, at::kDouble).div(8).to(type);
}

/// A group of `heads` with its own prefixes or its KV heads', as forward_map hands it over.
struct Group {
  std::vector<int> heads;
  std::int64_t group_size, prefix, m, n, d;
  bool own;
  at::ScalarType type;
};

at::Tensor rows_of(const at::Tensor& tensor, const std::vector<int>& rows) {
  return tensor.index_select(0, at::tensor(std::vector<std::int64_t>(rows.begin(), rows.end())));
}

void attends_like_prefix_attention(const Group& g) {
  const std::int64_t kv_heads = 4, all = kv_heads * g.group_size;
  std::vector<int> kv_rows, prefix_rows;
  int distinct = 0;
  for (std::size_t i = 0; i < g.heads.size(); ++i) {
    const int kv_head = g.heads[i] / static_cast<int>(g.group_size);
    if (i > 0 && kv_head != kv_rows.back()) ++distinct;
    kv_rows.push_back(kv_head);
    prefix_rows.push_back(g.own ? static_cast<int>(i) : distinct);
  }
  const std::int64_t prefixes = prefix_rows.back() + 1, heads = std::ssize(g.heads);
  // Values come strided by position, as the projections leave them.
  const at::Tensor values = at::randn({g.n, kv_heads, g.d}).to(g.type).transpose(0, 1);
  ops::HeadAttention a{at::randn({all, g.m, g.d}).to(g.type),      g.heads, {},     {}, prefix_rows,
                       at::randn({kv_heads, g.n, g.d}).to(g.type), values,  kv_rows};
  ops::PrefixAttention plain{rows_of(a.queries, g.heads).unsqueeze(1),
                             {},
                             {},
                             rows_of(a.keys, kv_rows).unsqueeze(1),
                             rows_of(a.values, kv_rows).unsqueeze(1)};
  if (g.prefix > 0) {
    a.prefix_keys = at::randn({prefixes, g.prefix, g.d}).to(g.type);
    a.prefix_values = at::randn({prefixes, g.prefix, g.d}).to(g.type);
    plain.prefix_keys = rows_of(a.prefix_keys, prefix_rows).unsqueeze(1);
    plain.prefix_values = rows_of(a.prefix_values, prefix_rows).unsqueeze(1);
  }
  const at::Tensor result = ops::attend_heads(a);
  QVERIFY(result.sizes() == at::IntArrayRef({heads, g.m, g.d}) && result.scalar_type() == g.type);
  QVERIFY(error(result, ops::prefix_attention(plain).flatten(0, 1)) < (g.type == at::kBFloat16 ? 0.03 : 1e-5));
}

}  // namespace

class DeviceOpsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    at::manual_seed(5);
    ops::replace_cuda_kernels(&reference_kernels);
  }
  void cleanup() { ops::replace_cuda_kernels(nullptr); }

  /// More keys, or wider heads, than the kernel takes: the same sets, where no scores are equal.
  void a_search_for_many_keys_is_the_cpus() {
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
      for (const std::int64_t d : {64, 320})
        for (const std::int64_t k : {40, 100, 700}) {
          const ops::StoredKeys keys{at::randn({2, 500, d}).to(type), {}};
          const at::Tensor queries = at::randn({3, 70, d}).to(type);
          const std::vector<std::int32_t> slots{0, 1, 1};
          const auto found = [&](bool device) {
            ops::replace_cuda_kernels(&reference_kernels, device);
            const ops::RankedEntries ranked = ops::pool_topk(keys, 500, queries, slots, k);
            std::vector<std::set<std::int64_t>> sets;
            for (std::size_t i = 0; i < ranked.indices.size(); ++i) {
              if (i % static_cast<std::size_t>(k) == 0) sets.emplace_back();
              sets.back().insert(ranked.indices[i]);
            }
            return sets;
          };
          QVERIFY(found(true) == found(false));
        }
  }

  void rotation_is_the_cpus() {
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kDouble}) {
      const auto opmath = ops::compute_type(type);
      const at::Tensor rows = at::randn({11, 6, 16}).to(type).transpose(0, 1), x = rows.narrow(0, 1, 3);
      const at::Tensor angle = at::randn({11, 8}, at::kDouble);
      const at::Tensor cos = angle.cos().to(opmath), sin = angle.sin().to(opmath);
      const double bound = type == at::kBFloat16 ? 0.04 : 1e-5;
      QVERIFY(error(ops::rotate_on_device(x, cos, sin, false), ops::rotate(x, cos, sin)) <= bound);
      QVERIFY(error(ops::rotate_on_device(x, cos, sin, true), ops::rotate(x, cos, sin.neg())) <= bound);
    }
  }

  /// By angles that are fp64 until they are stored, however far back a key stands, with gradients and without.
  void a_prefix_is_rotated_as_on_the_cpu() {
    const ModelConfig model = tiny_config(1, 4, 2, 64, 16);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      const at::Tensor keys = at::randn({2, 3000, 64}).to(type);
      const auto rotated = [&](bool gradients) {
        const at::AutoGradMode mode(gradients);
        Rope rope(model, model.rope, 0, at::TensorOptions().dtype(type));
        return rope.rotate_prefix(keys.detach().requires_grad_(gradients)).detach();
      };
      const at::Tensor expected = rotated(false);
      ops::replace_cuda_kernels(&reference_kernels, true);
      const at::Tensor found = rotated(false);
      QVERIFY(found.equal(rotated(true)));
      QVERIFY(error(found, expected) <= (type == at::kDouble ? 1e-14 : 2e-6));
      ops::replace_cuda_kernels(&reference_kernels);
    }
  }

  void gates_and_their_gradients_are_the_cpus() {
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kDouble})
      for (const Activation activation : {Activation::Silu, Activation::GeluTanh}) {
        const at::AutoGradMode gradients(true);
        const at::Tensor x = at::randn({7, 30}).to(type).requires_grad_(true), from = at::randn({7, 15}).to(type);
        const at::Tensor out = ops::gated(x, activation);
        out.backward(from);
        const double bound = type == at::kBFloat16 ? 0.06 : 1e-5;
        QVERIFY(error(ops::gated_on_device(x.detach(), activation), out.detach()) <= bound);
        QVERIFY(error(ops::gated_backward_on_device(x.detach(), from, activation), x.grad()) <= bound);
      }
  }

  void heads_attend_like_prefix_attention() {
    const at::NoGradGuard no_gradients;
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
      for (const std::int64_t m : {1, 9})
        for (const std::int64_t prefix : {0, 5})
          for (const bool own : {false, true}) {
            attends_like_prefix_attention({{0, 2, 3}, 1, prefix, m, 9, 64, own, type});      // every head its KV head
            attends_like_prefix_attention({{0, 1, 4, 5}, 2, prefix, m, 9, 64, own, type});   // whole KV groups
            attends_like_prefix_attention({{0, 1, 2, 7}, 2, prefix, m, 12, 64, own, type});  // ragged
            attends_like_prefix_attention({{3, 4, 5, 6}, 2, prefix, m, 9, 16, own, type});   // a head_dim of its own
          }
  }

  /// Two layers of several heads that share KV heads, pools that grow past the prefix: hits with provenance, prefixes
  /// and near-ties.
  void searching_ahead_finds_what_searching_finds() {
    std::mt19937_64 random(1);
    for (int round = 0; round < 60; ++round) {
      const at::ScalarType type = round % 3 == 0 ? at::kFloat : round % 3 == 1 ? at::kBFloat16 : at::kDouble;
      const ModelConfig model = tiny_config(3, 6, 3, 8, 16);
      SegmentConfig config;
      config.grouping = Grouping({0, 2}, {{0, 1, 5}});
      config.retrieval_length = static_cast<std::int64_t>(random() % 50 + 1);
      config.top_k = static_cast<std::int64_t>(random() % 6 + 1);
      RetrievalPool pool(config, model, at::TensorOptions().dtype(type), 1);
      const std::int64_t slots = std::ssize(pool.layer(0).kv_heads), m = static_cast<std::int64_t>(random() % 90 + 1);
      for (int segment = 0; segment < 2; ++segment) {
        const at::Tensor keys = eighths({slots, m, 8}, type), values = eighths({slots, m, 8}, type);
        pool.append({keys, {}, keys.flip(1)}, {values, {}, values.flip(1)}, m);
      }
      const std::vector<at::Tensor> queries{eighths({3, std::min<std::int64_t>(m, 64), 8}, type),
                                            {},
                                            eighths({3, std::min<std::int64_t>(m, 64), 8}, type)};
      const Retriever retriever(config, model, {});
      const RetrievedPrefix expected = retriever.retrieve(queries, {pool, 4}, at::kCPU),
                            found = retriever.retrieve_on_device(queries, {pool, 4}, at::kCPU);
      QVERIFY2(found.hits == expected.hits, qPrintable(QString("round %1").arg(round)));
      QCOMPARE(found.near_ties, expected.near_ties);
      for (const std::size_t layer : {std::size_t{0}, std::size_t{2}}) {
        QVERIFY(found.layers[layer].far.keys.equal(expected.layers[layer].far.keys));
        QVERIFY(found.layers[layer].far.values.equal(expected.layers[layer].far.values));
      }
      QVERIFY(!found.layers[1].far.keys.defined());
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DeviceOpsTest>};
#include "device_ops_test.moc"
