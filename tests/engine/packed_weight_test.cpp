// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/packed_weight.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <limits>

#include "engine/ops/linear.h"
#include "tests/support/tensors.h"
#include "tests/support/test_program.h"

using namespace carryover;
using test::error;

namespace {

at::Tensor packed(const at::Tensor& weight) {
  const at::Tensor out = ops::empty_packed(weight.size(0), weight.size(1));
  ops::pack_weight_rows(weight.const_data_ptr<float>(), 0, weight.size(0), out);
  return out;
}

at::Tensor unpacked(const at::Tensor& weight, at::ScalarType type = at::kFloat) {
  return ops::unpack_weight_rows(weight, 0, ops::packed_outer(weight), type);
}

/// Per block of a row, [outer, inner / 32, 32].
at::Tensor blocks(const at::Tensor& rows) {
  return rows.view({rows.size(0), -1, ops::kPackedBlock});
}

struct ThreadCount {
  explicit ThreadCount(int count) { at::set_num_threads(count); }
  ~ThreadCount() { at::set_num_threads(2); }
};

}  // namespace

class PackedWeightTest : public QObject {
  Q_OBJECT
  const at::AutoGradMode no_gradients_{false};

 private Q_SLOTS:
  void init() {
    at::manual_seed(5);
    at::set_num_threads(2);
  }
  void cleanup() { ops::allow_packed_matmul(ops::PackedMatmul::Bytes); }

  void what_q8_0_can_hold_is_held_exactly() {
    const at::Tensor whole = at::randint(-127, 128, {48, 5, ops::kPackedBlock}, at::kFloat);
    whole.select(2, 7).fill_(127);  // as its writers choose the scale
    at::Tensor scales = at::randn({48, 5, 1}, at::kFloat).abs().to(at::kHalf).to(at::kFloat);
    scales[3][2] = 0;
    const at::Tensor weight = (whole * scales).view({48, -1});
    QVERIFY(unpacked(packed(weight)).equal(weight));
  }

  void other_values_are_rounded_by_half_a_step() {
    const at::Tensor weight = at::randn({64, 96}, at::kFloat) * at::randn({64, 1}, at::kFloat).exp();
    const at::Tensor step = blocks(weight).abs().amax(2, true) / 127;
    const at::Tensor off = (blocks(unpacked(packed(weight))) - blocks(weight)).abs();
    QVERIFY(off.le(step * (0.5 + 127.0 / 2048)).all().item<bool>());  // the scale itself is rounded to 11 bits
    QVERIFY(off.gt(0).any().item<bool>());
  }

  void a_broken_value_breaks_its_block_alone() {
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      const at::Tensor weight = at::randn({16, 96}, at::kFloat);
      weight[5][40] = value;
      const at::Tensor broken = blocks(unpacked(packed(weight))).isnan();
      QVERIFY(broken[5][1].all().item<bool>());
      QCOMPARE(broken.sum().item<std::int64_t>(), ops::kPackedBlock);
      const at::Tensor sums = ops::packed_row_matmul(at::ones({1, 96}, at::kFloat), packed(weight));
      QVERIFY(sums.isnan()[0][5].item<bool>() && sums.isnan().sum().item<std::int64_t>() == 1);
    }
  }

  void rows_can_be_packed_and_read_in_pieces() {
    const at::Tensor weight = at::randn({80, 64}, at::kFloat), whole = packed(weight);
    const at::Tensor pieces = ops::empty_packed(80, 64);
    for (const std::int64_t first : {48, 0, 16, 32, 64})
      ops::pack_weight_rows(weight[first].const_data_ptr<float>(), first, 16, pieces);
    QVERIFY(pieces.equal(whole));
    const at::Tensor ids = at::tensor(std::vector<std::int64_t>{79, 0, 17, 17, 48});
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kDouble}) {
      const at::Tensor rows = unpacked(whole, at::kFloat).to(type);
      QVERIFY(unpacked(whole, type).equal(rows));
      QVERIFY(ops::packed_embedding(whole, ids, type).equal(rows.index_select(0, ids)));
      QVERIFY(ops::unpack_weight_rows(whole, 17, 5, type).equal(rows.narrow(0, 17, 5)));
    }
  }

  /// For bf16 its error is that of rounding the result; the framework rounds the weights too.
  void one_rows_matmul_is_as_near_as_the_frameworks() {
    for (const auto& [outer, inner] : {std::pair{16, 32}, {960, 576}, {576, 1536}, {48, 4096}}) {
      const at::Tensor weight = packed(at::randn({outer, inner}, at::kFloat)), in_fp64 = unpacked(weight, at::kDouble);
      const at::Tensor x = at::randn({1, inner}, at::kFloat) * at::randn({1, inner}, at::kFloat).exp();
      const at::Tensor half = x.to(at::kBFloat16), exact = at::linear(half.to(at::kDouble), in_fp64);
      const at::Tensor ours = ops::packed_row_matmul(half, weight);
      QCOMPARE(ours.scalar_type(), at::kBFloat16);
      QVERIFY(error(ours, exact) <= 2 * error(at::linear(half, in_fp64.to(at::kBFloat16)), exact));
      // 16 bits of x, whose step is a block's largest / 32512, and sums in fp32
      const at::Tensor step = blocks(x).abs().amax(2, true).to(at::kDouble) / 32512;
      const at::Tensor bound = (step * blocks(in_fp64).abs()).sum({1, 2}) * 0.5 +
                               1e-6 * at::linear(x.abs().to(at::kDouble), in_fp64.abs())[0];
      const at::Tensor off =
          (ops::packed_row_matmul(x, weight).to(at::kDouble) - at::linear(x.to(at::kDouble), in_fp64)).abs()[0];
      QVERIFY(off.le(bound).all().item<bool>());
    }
  }

  void processors_and_threads_give_the_same_bits() {
    const at::Tensor weight = packed(at::randn({2048, 576}, at::kFloat)), x = at::randn({1, 576}, at::kFloat);
    const at::Tensor fast = ops::packed_row_matmul(x, weight);
    {
      const ThreadCount one(1);
      QVERIFY(ops::packed_row_matmul(x, weight).equal(fast));
    }
    for (const ops::PackedMatmul best : {ops::PackedMatmul::Pairs, ops::PackedMatmul::Plain}) {
      ops::allow_packed_matmul(best);
      QVERIFY(ops::packed_row_matmul(x, weight).equal(fast));
    }
  }

  /// The second weight is upcast in several blocks.
  void several_rows_multiply_the_upcast_weight() {
    for (const auto& [outer, inner] : {std::pair{176, 96}, {6000, 1024}}) {
      const at::Tensor weight = packed(at::randn({outer, inner}, at::kFloat));
      for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
        const at::Tensor x = at::randn({7, inner}, type), dense = unpacked(weight, type);
        const at::Tensor exact = at::linear(x.to(at::kDouble), dense.to(at::kDouble));
        QVERIFY(error(ops::linear(x, weight), exact) <= 2 * error(at::linear(x, dense), exact));
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PackedWeightTest>};
#include "packed_weight_test.moc"
