// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of threads for a decoded token, on simulated machines, and the loops that threads share.
#include "engine/runtime/thread_choice.h"

#include <ATen/Parallel.h>

#include <QTest>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "engine/runtime/parallel.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

/// The seconds that a step takes with so many threads.
using Machine = std::function<double(int)>;

/// Runs steps, and returns the time that they took.
double run(ThreadChoice& choice, const Machine& machine, int steps) {
  double seconds = 0;
  for (int i = 0; i < steps; ++i) {
    const double step = machine(choice.now());
    choice.took(step);
    seconds += step;
  }
  return seconds;
}

Machine with_noise(const std::map<int, double>& seconds, std::mt19937& random) {
  return [&random, seconds](int threads) {
    return seconds.at(threads) * std::uniform_real_distribution(0.97, 1.03)(random);
  };
}

/// Returns the number of threads of most of the next 32 steps.
int usual(ThreadChoice& choice, const Machine& machine) {
  std::map<int, int> steps;
  for (int i = 0; i < 32; ++i) {
    ++steps[choice.now()];
    choice.took(machine(choice.now()));
  }
  return std::ranges::max_element(steps, {}, [](const auto& count) { return count.second; })->first;
}

}  // namespace

class ThreadChoiceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void one_thread_has_no_choice() {
    ThreadChoice choice(1);
    run(
        choice, [](int) { return 1.0; }, 100);
    QCOMPARE(choice.now(), 1);
  }

  void finds_the_fastest_and_loses_little_time() {
    struct Case {
      std::map<int, double> seconds;
      int best;
    };
    const Case cases[] = {{{{2, 0.5}, {1, 1.0}}, 2},
                          {{{2, 4.0}, {1, 1.0}}, 1},  // beside another process
                          {{{8, 0.2}, {4, 0.3}, {2, 0.5}, {1, 1.0}}, 8},
                          {{{8, 0.5}, {4, 0.3}, {2, 0.5}, {1, 1.0}}, 4},
                          {{{8, 5.0}, {4, 3.0}, {2, 1.5}, {1, 1.0}}, 1}};
    for (unsigned seed = 1; seed <= 20; ++seed)
      for (const Case& c : cases) {
        std::mt19937 random(seed);
        const Machine machine = with_noise(c.seconds, random);
        ThreadChoice choice(c.seconds.rbegin()->first);
        run(choice, machine, 40);
        const double ideal = 1000 * c.seconds.at(c.best), took = run(choice, machine, 1000);
        QCOMPARE(usual(choice, machine), c.best);
        QVERIFY2(took < 1.06 * ideal, qPrintable(QString("%1 s instead of %2").arg(took).arg(ideal)));
      }
  }

  void notices_a_neighbour_that_comes_and_goes() {
    std::mt19937 random(1);
    const Machine alone = with_noise({{2, 0.5}, {1, 1.0}}, random), beside = with_noise({{2, 4.0}, {1, 1.0}}, random);
    ThreadChoice choice(2);
    run(choice, alone, 2000);
    QCOMPARE(choice.now(), 2);
    run(choice, beside, 8);  // half of the steps that a decision looks at, and a trial
    QCOMPARE(usual(choice, beside), 1);
    run(choice, alone, 600);  // the longest wait for a trial
    QCOMPARE(usual(choice, alone), 2);
  }

  void a_step_sets_the_threads_and_gives_them_back() {
    const int before = at::get_num_threads();
    ThreadChoice choice(2);
    ChosenThreads step(&choice);
    for (int i = 0; i < 4; ++i) {
      step.run([] { QCOMPARE(at::get_num_threads(), 2); });
      step.end();
    }
    QCOMPARE(choice.now(), 1);  // a trial
    const int seen = step.run([] { return at::get_num_threads(); });
    QCOMPARE(seen, 1);
    QCOMPARE(at::get_num_threads(), 2);
    at::set_num_threads(before);
  }

  void parts_cover_every_unit_once() {
    const int before = at::get_num_threads();
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      for (const std::int64_t count : {0, 1, 7, 64, 1000})
        for (const std::int64_t grain : {1, 5, 100}) {
          std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count + 3));
          ops::parallel_for(3, count + 3, grain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
          });
          for (std::int64_t i = 0; i < count + 3; ++i)
            QCOMPARE(visits[static_cast<std::size_t>(i)].load(), i < 3 ? 0 : 1);
        }
    }
    at::set_num_threads(before);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ThreadChoiceTest>};
#include "thread_choice_test.moc"
