// SPDX-License-Identifier: GPL-3.0-or-later
// Python's random: the draws of CPython for the same seeds, and what holds for every draw. Recorded from CPython 3.11
// by
//   python3 -c '
//   import random, string, uuid
//   for seed in (0, 1, 42, 2**32 - 1, 2**32, 2**64 - 1):
//     r, s = random.Random(seed), list(range(12))
//     print(r.random(), r.getrandbits(32), r.getrandbits(5), r.getrandbits(64), r.randint(10**6, 10**7 - 1),
//           r.randint(5, 5), r.choice(range(6000000)), *r.sample(range(40), 4), *r.sample(range(21), 5),
//           *r.sample(range(22), 5), *r.sample(range(86), 7), "".join(r.choices(string.ascii_uppercase, k=5)),
//           uuid.UUID(int=r.getrandbits(128), version=4), r.randrange(10**12), end=" ")
//     r.shuffle(s)
//     print(*s)'
#include "engine/tasks/base/python_random.h"

#include <QTest>
#include <algorithm>
#include <numeric>
#include <set>

#include "engine/base/text_parts.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

/// Returns what the command above prints, numbers and words with one blank between them.
std::string draws(std::uint64_t seed) {
  PythonRandom random(seed);
  std::string text;
  const auto add = [&](auto value) {
    append_digits(text, value);
    text += ' ';
  };
  add(random.real());
  add(random.bits(32));
  add(random.bits(5));
  add(random.bits(64));
  add(random.integer(1'000'000, 9'999'999));
  add(random.integer(5, 5));
  add(random.below(6'000'000));
  using Sample = std::pair<std::size_t, std::size_t>;
  for (const auto& [size, count] : {Sample{40, 4}, Sample{21, 5}, Sample{22, 5}, Sample{86, 7}})
    for (const std::size_t index : random.sample(size, count)) add(index);
  text += random.letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 5) + " ";
  text += random.uuid() + " ";
  add(random.below(1'000'000'000'000));
  std::vector<int> shuffled(12);
  std::iota(shuffled.begin(), shuffled.end(), 0);
  random.shuffle(shuffled);
  for (const int value : shuffled) add(value);
  return text;
}

}  // namespace

class PythonRandomTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void draws_what_cpython_draws_data() {
    QTest::addColumn<quint64>("seed");
    QTest::addColumn<QByteArray>("recorded");
    QTest::newRow("0")
        << quint64{0u}
        << QByteArray(
               "0.8444218515250481 3255389356 28 746805015404516437 5343902 5 3396833 19 30 22 37 6 16 4 9 18 3 "
               "19 8 17 4 39 12 9 42 60 71 45 LPXZM 0ff18e02-42af-4fc3-8577-6e9add84f39e 98844556456 10 4 3 9 2 "
               "8 1 5 7 0 6 11");
    QTest::newRow("1")
        << quint64{1u}
        << QByteArray(
               "0.13436424411240122 3639700191 25 1164115433906158532 5279348 5 4156010 28 30 24 13 3 15 0 12 "
               "13 19 0 14 8 7 75 13 40 3 2 83 69 AWRZS 701966a0-c381-488f-b8c0-c8fd8712b8bc 545199570927 4 9 1 "
               "0 2 7 6 11 10 5 3 8");
    QTest::newRow("42")
        << quint64{42u}
        << QByteArray(
               "0.6394267984578837 107420369 23 4517457392071889495 4744854 5 859791 34 5 37 27 1 0 2 6 7 16 19 "
               "0 17 6 83 69 53 28 57 75 35 VAUSI c37459ee-f50b-4a63-b71e-cd7b27cd8130 113114812281 9 10 7 3 0 "
               "2 4 8 5 11 6 1");
    QTest::newRow("4294967295")
        << quint64{4294967295u}
        << QByteArray(
               "0.6353574441341173 872737089 6 9636539732900733108 5887799 5 3197034 17 22 31 26 2 6 4 15 16 11 "
               "5 1 10 12 56 72 32 69 75 8 0 OTFGJ 48ad332b-e792-4436-aa71-0ad76b70143a 530436359467 2 11 9 4 3 "
               "8 7 1 5 6 0 10");
    QTest::newRow("4294967296")
        << quint64{4294967296u}
        << QByteArray(
               "0.11299430095636409 1794561286 29 420988764530468635 6561834 5 117426 8 4 27 32 10 20 12 15 14 "
               "5 3 21 9 4 71 35 45 64 19 75 65 XXZPA d0aa1391-5a93-4a02-8c42-031db9cb9fec 24514468047 11 9 0 8 "
               "7 6 10 5 1 2 3 4");
    QTest::newRow("18446744073709551615")
        << quint64{18446744073709551615u}
        << QByteArray(
               "0.021825695401270107 1452108352 19 8412893781816475729 2594129 5 5834660 3 12 34 30 2 10 15 8 "
               "17 18 1 10 9 19 63 47 18 45 68 30 41 CZEAU 40617f75-70bc-41a1-ac0a-89f1c2f28b94 681551567725 2 "
               "7 6 5 8 3 1 10 9 11 0 4");
  }
  void draws_what_cpython_draws() {
    QFETCH(quint64, seed);
    QFETCH(QByteArray, recorded);
    QCOMPARE(QByteArray::fromStdString(draws(seed)), recorded + " ");
  }

  void every_draw_is_one_of_those_asked_for() {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      PythonRandom random(seed);
      const std::size_t size = 1 + random.below(300), count = random.below(size + 1);
      const std::vector<std::size_t> sample = random.sample(size, count);
      QCOMPARE(sample.size(), count);
      QCOMPARE(std::set<std::size_t>(sample.begin(), sample.end()).size(), count);
      QVERIFY(std::all_of(sample.begin(), sample.end(), [&](std::size_t index) { return index < size; }));
      std::vector<std::size_t> order(size);
      std::iota(order.begin(), order.end(), std::size_t{0});
      const std::vector<std::size_t> sorted = order;
      random.shuffle(order);
      QVERIFY(std::is_permutation(order.begin(), order.end(), sorted.begin()));
      const std::string uuid = random.uuid();
      QVERIFY(uuid.size() == 36 && uuid[14] == '4' && std::string("89ab").find(uuid[19]) != std::string::npos);
      QVERIFY(random.integer(-3, 3) >= -3 && random.integer(-3, 3) <= 3);
      QVERIFY(random.real() < 1 && random.real() >= 0);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PythonRandomTest>};
#include "python_random_test.moc"
