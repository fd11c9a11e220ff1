// SPDX-License-Identifier: GPL-3.0-or-later
// NumPy's legacy random: the draws of NumPy for the same seeds. Recorded from NumPy 2.4.6 by
//   python3 -c '
//   import numpy.random as n
//   for seed in (0, 1, 42, 2**32 - 1):
//     n.seed(seed)
//     print(*[n.randint(10000, 99999) for _ in range(4)], n.randint(3, 4), n.randint(-3, 5), n.randint(0, 2**32 - 1))'
#include "engine/tasks/base/numpy_random.h"

#include <QTest>
#include <vector>

#include "tests/support/test_program.h"

using namespace carryover;

class NumpyRandomTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void draws_what_numpy_draws_data() {
    QTest::addColumn<quint32>("seed");
    QTest::addColumn<QList<qint64>>("recorded");
    const auto row = [](quint32 seed, const QList<qint64>& recorded) {
      QTest::addRow("seed %u", seed) << seed << recorded;
    };
    row(0, {78268, 53567, 52613, 55891, 3, 0, 2340255427});
    row(1, {87708, 15192, 60057, 83349, 3, 4, 1013994432});
    row(42, {25795, 10860, 86820, 64886, 3, -2, 669991378});
    row(4294967295, {37043, 26674, 54103, 24260, 3, -3, 3350089942});
  }
  void draws_what_numpy_draws() {
    QFETCH(quint32, seed);
    QFETCH(QList<qint64>, recorded);
    NumpyRandom random(seed);
    QList<qint64> drawn;
    for (int i = 0; i < 4; ++i) drawn.append(random.integer(10000, 99999));
    drawn.append(random.integer(3, 4));
    drawn.append(random.integer(-3, 5));
    drawn.append(random.integer(0, 4294967295));
    QCOMPARE(drawn, recorded);
  }

  void every_number_of_a_range_comes_and_no_other() {
    for (std::int64_t size = 1; size < 40; ++size) {
      NumpyRandom random(static_cast<std::uint32_t>(size));
      std::vector<int> counts(static_cast<std::size_t>(size));
      for (std::int64_t i = 0; i < 60 * size; ++i)
        ++counts.at(static_cast<std::size_t>(random.integer(-7, size - 7) + 7));
      for (const int count : counts) QVERIFY(count > 20);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<NumpyRandomTest>};
#include "numpy_random_test.moc"
