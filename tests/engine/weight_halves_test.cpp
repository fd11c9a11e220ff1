// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/weight_halves.h"

#include <ATen/ATen.h>

#include <QTest>
#include <limits>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

/// Every kind of number, in any bits, and what lies at and beside the middle of two bf16.
at::Tensor all_kinds() {
  const at::Tensor upper = at::randint(-32768, 32768, {20000}, at::kInt).bitwise_left_shift(16);
  std::vector<at::Tensor> bits{at::randint(-2147483648LL, 2147483648LL, {100000}, at::kLong).to(at::kInt)};
  for (const int low : {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff}) bits.push_back(upper.bitwise_or(low));
  const at::Tensor numbers = at::cat(bits).view(at::kFloat);
  return at::cat({numbers, at::randn({100000}, at::kFloat)}).contiguous();
}

struct Halves {
  at::Tensor high, low;
  explicit Halves(const at::Tensor& like)
      : high(at::empty(like.sizes(), at::kBFloat16)), low(at::empty(like.sizes(), at::kShort)) {}
};

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.view(at::kInt).equal(b.view(at::kInt));
}

}  // namespace

class WeightHalvesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { at::manual_seed(3); }

  void halves_are_the_number_again() {
    const at::Tensor numbers = all_kinds();
    Halves halves(numbers), again(numbers);
    ops::split_halves(numbers, halves.high, halves.low);
    const at::Tensor joined = ops::join_halves(halves.high, halves.low), there = ~numbers.isnan();
    QVERIFY(same_bits(joined.masked_select(there), numbers.masked_select(there)));
    QVERIFY(joined.isnan().equal(numbers.isnan()) && halves.high.isnan().equal(numbers.isnan()));
    ops::split_halves(joined, again.high, again.low);
    QVERIFY(again.high.view(at::kShort).equal(halves.high.view(at::kShort)) && again.low.equal(halves.low));
  }

  /// The framework's rounding, except where two are equally near.
  void the_upper_half_is_the_nearest_bf16() {
    const at::Tensor numbers = all_kinds();
    Halves halves(numbers);
    ops::split_halves(numbers, halves.high, halves.low);
    const at::Tensor counts = ~numbers.isnan(), tie = halves.low.eq(std::numeric_limits<std::int16_t>::min());
    const at::Tensor nearest = numbers.to(at::kBFloat16);
    QVERIFY(halves.high.eq(nearest).logical_or(tie).masked_select(counts).all().item<bool>());
    QVERIFY(halves.high.abs().ge(nearest.abs()).masked_select(counts).all().item<bool>());
    QVERIFY(tie.any().item<bool>() && !tie.all().item<bool>());
  }

  void a_leaf_alone_is_whole_with_nothing_below() {
    const at::Tensor leaf = at::randn({777}, at::kFloat).to(at::kBFloat16);
    QVERIFY(ops::join_halves(leaf, at::zeros({777}, at::kShort)).equal(leaf.to(at::kFloat)));
  }

  void a_gpus_way_gives_the_same_bits() {
    const at::Tensor numbers = all_kinds();
    Halves own(numbers), other(numbers);
    ops::split_halves(numbers, own.high, own.low);
    ops::split_halves_on_device(numbers, other.high, other.low);
    QVERIFY(own.high.view(at::kShort).equal(other.high.view(at::kShort)) && own.low.equal(other.low));
    QVERIFY(same_bits(ops::join_halves(own.high, own.low), ops::join_halves_on_device(own.high, own.low)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<WeightHalvesTest>};
#include "weight_halves_test.moc"
