// SPDX-License-Identifier: GPL-3.0-or-later
// The largest product of each key with some probes, against all products in fp64: every format, any shape, any number
// of threads.
#include "engine/ops/cpu/largest_products.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QTest>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/key_formats.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Case {
  ops::StoredKeys keys;
  at::Tensor probes, offsets;
  std::int64_t slot, first, count;
};

/// `model`: the dtype of the probes too, as queries have it.
Case random_case(std::mt19937& random, KeyFormat format) {
  const std::int64_t slots = draw(random, 1, 3), d = draw(random, 0, 3) == 0 ? draw(random, 1, 70) : 64,
                     entries = draw(random, 1, 3000), n = draw(random, 1, 150), first = draw(random, 0, entries - 1);
  Case made{stored(format, at::randn({slots, entries, d}, at::kDouble)),
            at::randn({n, d}, at::kDouble).to(format.model),
            {},
            draw(random, 0, slots - 1),
            first,
            draw(random, 1, entries - first)};
  if (draw(random, 0, 1) == 1) made.offsets = at::randn({n}, at::kDouble).to(made.keys.opmath_type());
  return made;
}

at::Tensor scanned(const Case& of) {
  return ops::scan_largest_products(of.keys, of.slot, of.first, of.count, of.probes, of.offsets);
}

at::Tensor defined(const Case& of) {
  at::Tensor products =
      at::mm(of.keys.upcast(of.slot, of.first, of.count).to(at::kDouble), of.probes.to(at::kDouble).t());
  if (of.offsets.defined()) products = products - of.offsets.to(at::kDouble);
  return std::get<0>(products.max(1));
}

}  // namespace

class LargestProductsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void are_those_of_the_definition() {
    std::mt19937 random(1);
    at::manual_seed(1);
    for (int i = 0; i < 400; ++i) {
      const KeyFormat format = kKeyFormats[i % std::ssize(kKeyFormats)];
      const Case one = random_case(random, format);
      const at::Tensor found = scanned(one), expected = defined(one);
      QCOMPARE(found.scalar_type(), one.keys.opmath_type());
      const double bound =
          found.scalar_type() == at::kDouble ? 1e-12 : 2e-5;  // of products of some 8 standard deviations
      const double apart = (found.to(at::kDouble) - expected).abs().max().item<double>();
      QVERIFY2(apart < bound, qPrintable(QString("case %1: %2 apart").arg(i).arg(apart)));
    }
  }

  /// With small whole numbers every sum is exact, and most products are equal to others.
  void are_those_of_the_definition_to_the_last_bit_where_nothing_is_rounded() {
    std::mt19937 random(3);
    at::manual_seed(3);
    for (int i = 0; i < 100; ++i) {
      const KeyFormat format = kKeyFormats[i % std::ssize(kKeyFormats)];
      if (format.keys == PoolKeys::Int8) continue;  // its scales round
      Case one = random_case(random, format);
      one.keys = stored(
          format, at::randint(-2, 3, {one.keys.rows.size(0), one.keys.rows.size(1), one.probes.size(1)}, at::kDouble));
      one.probes = at::randint(-2, 3, one.probes.sizes(), at::kDouble).to(format.model);
      if (one.offsets.defined()) one.offsets = at::randint(-9, 10, one.offsets.sizes(), one.offsets.options());
      QVERIFY2(at::equal(scanned(one).to(at::kDouble), defined(one)), qPrintable(QString("case %1").arg(i)));
    }
  }

  void the_number_of_threads_changes_nothing() {
    std::mt19937 random(2);
    at::manual_seed(2);
    const int threads = at::get_num_threads();
    for (int i = 0; i < 20; ++i) {
      const Case one = random_case(random, kKeyFormats[i % std::ssize(kKeyFormats)]);
      const at::Tensor found = scanned(one);
      at::set_num_threads(1);
      QVERIFY(at::equal(scanned(one), found));
      at::set_num_threads(threads);
    }
  }

  void one_probe_of_many_decides() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const KeyFormat format : kKeyFormats)
      for (std::int64_t own = 0; own < 70; ++own) {
        Case one{stored(format, at::ones({1, 20, 8}, at::kDouble)), at::ones({70, 8}, format.model), {}, 0, 0, 20};
        one.probes[own].fill_(2);
        QVERIFY((scanned(one).to(at::kDouble) - 16).abs().max().item<double>() < 1e-5);
        one.probes[own].fill_(nan);
        QVERIFY(scanned(one).isnan().all().item<bool>());
      }
  }

  void what_is_not_finite_is_told() {
    constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (const KeyFormat format : kKeyFormats) {
      if (format.keys == PoolKeys::Int8) continue;  // its rows are finite
      at::Tensor rows = at::ones({1, 20, 8}, at::kDouble);
      rows[0][3][5] = nan;
      rows[0][9][5] = inf;
      rows[0][13][5] = -inf;
      const Case one{stored(format, rows), at::ones({70, 8}, format.model), {}, 0, 0, 20};
      const at::Tensor found = scanned(one).to(at::kDouble);
      for (std::int64_t key = 0; key < 20; ++key) {
        const double value = found[key].item<double>();
        if (key == 3)
          QVERIFY(std::isnan(value));
        else
          QCOMPARE(value, key == 9 ? inf : key == 13 ? -inf : 8.0);
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<LargestProductsTest>};
#include "largest_products_test.moc"
