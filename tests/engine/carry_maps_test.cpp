// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of what segments carry: norms and drift, against plain loops, where windowed layers carry more than others.
#include <ATen/ATen.h>

#include <QTest>
#include <cmath>

#include "engine/method/carried_state.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

LayerCarry random_carry(std::int64_t tokens) {
  return {at::randn({2, tokens, 8}), at::randn({2, tokens, 8})};
}

double length_of(const at::Tensor& vector) {
  double sum = 0;
  for (std::int64_t i = 0; i < vector.numel(); ++i) sum += std::pow(vector[i].item<double>(), 2);
  return std::sqrt(sum);
}

/// Mean over both KV heads.
double mean_norm(const at::Tensor& kv, std::int64_t token) {
  return (length_of(kv[0][token]) + length_of(kv[1][token])) / 2;
}

bool is_near(float value, double wanted) {
  return std::abs(static_cast<double>(value) - wanted) < 1e-5 * wanted;
}

}  // namespace

class CarryMapsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Layer 0 has a window, 1 carries a tail, 2 nothing.
  void rows_end_with_the_same_token() {
    at::manual_seed(3);
    const CarriedState before{{{}, random_carry(4), {}}, {random_carry(6), {}, {}}};
    const CarriedState state{{{}, random_carry(4), {}}, {random_carry(11), {}, {}}};
    const CarryMaps maps = carry_maps(state, before);
    QCOMPARE(maps.key_norm.rows, 3);
    QCOMPARE(maps.key_norm.columns, 11);
    for (std::int64_t slot = 0; slot < 11; ++slot) {
      QVERIFY(is_near(maps.key_norm.at(0, slot), mean_norm(state.windows[0].keys, slot)));
      QVERIFY(std::isnan(maps.value_norm.at(2, slot)));
      QCOMPARE(std::isnan(maps.value_norm.at(1, slot)), slot < 7);
      if (slot >= 7) QVERIFY(is_near(maps.value_norm.at(1, slot), mean_norm(state.layers[1].values, slot - 7)));
    }
    QCOMPARE(maps.drift.columns, 4);  // the window has grown: its slots hold other tokens
    const at::Tensor now = state.layers[1].keys, then = before.layers[1].keys;
    for (std::int64_t slot = 0; slot < 4; ++slot) {
      double drift = 0;
      for (std::int64_t head = 0; head < 2; ++head)
        drift += length_of(now[head][slot] - then[head][slot]) / length_of(then[head][slot]) / 2;
      QVERIFY(is_near(maps.drift.at(1, slot), drift));
      QVERIFY(std::isnan(maps.drift.at(0, slot)));
    }
    QVERIFY(carry_maps({}, {}).key_norm.values.empty());
    QVERIFY(carry_maps(state, {}).drift.values.empty());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CarryMapsTest>};
#include "carry_maps_test.moc"
