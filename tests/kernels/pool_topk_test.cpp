// SPDX-License-Identifier: GPL-3.0-or-later
// pool_topk: the reference against a sort of all scores, and the CUDA kernels, run on the CPU, against the reference.
// The inputs' sums are exact, so everything is compared for equality.
#include <QTest>
#include <cmath>
#include <limits>

#include "tests/support/kernels/cuda_on_cpu.h"
// The kernels need the names that cuda_on_cpu.h gives them.
#include "tests/support/kernel_runs/pool_topk.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// A score in double, and every score sorted: the definition, with nothing clever.
PoolTopkResult sort_everything(const PoolTopkCase& c) {
  PoolTopkResult result;
  const auto d = static_cast<std::size_t>(c.args.head_dim);
  for (std::size_t row = 0; row < c.summaries.size() / d; ++row) {
    const std::int64_t slot = c.head_slot[row / static_cast<std::size_t>(c.args.summary_count)];
    std::vector<std::pair<double, std::int64_t>> all;
    for (std::int64_t entry = 0; entry < c.args.entries; ++entry) {
      const double score = visit_element(c.args.key_type, [&](auto element) {
        const auto* key = reinterpret_cast<const decltype(element)*>(c.keys.data()) + slot * c.args.slot_stride +
                          entry * c.args.head_dim;
        double sum = 0;
        for (std::size_t channel = 0; channel < d; ++channel) {
          sum += double{c.summaries[row * d + channel]} * static_cast<double>(to_opmath(key[channel]));
        }
        return sum;
      });
      all.emplace_back(-score, entry);
    }
    std::sort(all.begin(), all.end());
    all.resize(static_cast<std::size_t>(c.args.k), {std::numeric_limits<double>::infinity(), -1});
    for (const auto& [negative_score, entry] : all) {
      result.scores.push_back(static_cast<float>(-negative_score));
      result.indices.push_back(entry);
    }
  }
  return result;
}

/// One head, one summary of one channel: scores are the keys.
PoolTopkCase line_of_keys(const std::vector<float>& keys, int k) {
  PoolTopkCase c;
  c.args.head_dim = c.args.heads = c.args.summary_count = 1;
  c.args.k = k;
  c.args.entries = c.args.slot_stride = static_cast<std::int64_t>(keys.size());
  c.keys.resize(keys.size() * sizeof(float));
  if (!keys.empty()) memcpy(c.keys.data(), keys.data(), c.keys.size());
  c.summaries = {1.0f};
  c.head_slot = {0};
  return c;
}

}  // namespace

class PoolTopkTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reference_equals_a_full_sort() {
    int ties = 0;
    for (int n = 0; n < kernel_cases::case_count; ++n) {
      const PoolTopkCase c = kernel_cases::pool_topk_case(n);
      const PoolTopkResult result = run_reference(c);
      QVERIFY2(result == sort_everything(c), qPrintable(QString("case %1").arg(n)));
      for (std::size_t i = 1; i < result.scores.size(); ++i) {
        ties += result.indices[i] >= 0 && result.scores[i] == result.scores[i - 1];
      }
    }
    QVERIFY2(ties > 1000, "the cases are meant to hold ties");
  }

  void device_code_equals_reference() {
    int tried = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 8) {
      const PoolTopkCase c = kernel_cases::pool_topk_case(n);
      if (!runs_soon(c)) continue;
      ++tried;
      QVERIFY2(agrees(c, n), qPrintable(QString("case %1").arg(n)));
    }
    QVERIFY(tried > 30);
  }

  /// Ascending scores put every key at the head of the list; many chunks make the merge work.
  void device_code_takes_the_worst_order() {
    for (const int keys : {64, 65, 1200}) {
      std::vector<float> ascending(static_cast<std::size_t>(keys));
      for (std::size_t i = 0; i < ascending.size(); ++i) ascending[i] = static_cast<float>(i / 3);
      for (const int k : {1, 32, 64}) {
        const PoolTopkCase c = line_of_keys(ascending, k);
        QCOMPARE(run_device_code(c).indices, run_reference(c).indices);
      }
    }
  }

  void empty_pool_gives_only_fill() {
    const PoolTopkCase c = line_of_keys({}, 3);
    const PoolTopkResult expected{{minus_infinity, minus_infinity, minus_infinity}, {-1, -1, -1}};
    QVERIFY(run_reference(c) == expected);
    QVERIFY(run_device_code(c) == expected);
  }

  /// An entry that scores -inf is an entry; one that scores NaN is none.
  void infinite_scores_are_kept_and_nan_is_not() {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = -minus_infinity;
    const PoolTopkCase c = line_of_keys({minus_infinity, nan, 1, infinity, minus_infinity}, 5);
    const PoolTopkResult expected{{infinity, 1, minus_infinity, minus_infinity, minus_infinity}, {3, 2, 0, 4, -1}};
    QVERIFY(run_reference(c) == expected);
    QVERIFY(run_device_code(c) == expected);
  }

  /// Rounding, where sums are not exact, may only swap entries whose scores differ by less than it.
  void reference_ranks_rounded_sums_within_their_error() {
    kernel_cases::Draw draw(99);
    PoolTopkCase c = kernel_cases::pool_topk_case(0);
    c.args.head_dim = 128, c.args.heads = c.args.summary_count = 1, c.args.k = 16, c.args.entries = 500;
    c.args.key_type = Element::Float32, c.args.slot_stride = 500 * 128;
    c.head_slot = {0};
    std::vector<float> keys(500 * 128);
    for (float& value : keys) value = draw.eighth() / 3;
    c.summaries.resize(128);
    for (float& value : c.summaries) value = draw.eighth() / 7;
    c.keys.resize(keys.size() * sizeof(float));
    memcpy(c.keys.data(), keys.data(), c.keys.size());
    const PoolTopkResult result = run_reference(c), exact = sort_everything(c);
    // Each of 128 additions rounds by half an ulp of at most 128 · (4/3) · (4/7) < 98.
    const float error = 128 * 98 * std::numeric_limits<float>::epsilon() / 2;
    for (std::size_t i = 0; i < result.scores.size(); ++i) {
      QVERIFY(std::abs(result.scores[i] - exact.scores[i]) <= error);
    }
  }

  void insertion_in_one_step_keeps_the_best_sorted() {
    kernel_cases::Draw draw(5);
    for (int round = 0; round < 200; ++round) {
      std::vector<Ranked> list(static_cast<std::size_t>(draw.whole(1, 64)), no_entry()), all;
      for (std::int32_t index = 0; index < 100; ++index) {
        const Ranked candidate{draw.eighth(), static_cast<std::int32_t>(draw.whole(0, 1000)) * 100 + index};
        all.push_back(candidate);
        const std::vector<Ranked> before = list;
        for (std::size_t slot = 0; slot < list.size(); ++slot) {
          list[slot] = slot_after_insert(before[slot], slot == 0 ? candidate : before[slot - 1], candidate);
        }
      }
      std::sort(all.begin(), all.end(), better);
      for (std::size_t slot = 0; slot < list.size(); ++slot) QCOMPARE(list[slot].index, all[slot].index);
    }
  }

  void pool_is_cut_into_whole_tiles_and_few_chunks() {
    for (const std::int64_t entries :
         std::initializer_list<std::int64_t>{0, 1, 1024, 1025, 262144, 262145, 3000000, pool_topk_max_entries}) {
      for (const std::int32_t heads : {0, 1, 16, 3000}) {
        PoolTopk args{};
        args.entries = entries, args.heads = heads, args.summary_count = 17;
        const PoolChunks chunks = cut_pool(args);
        QCOMPARE(chunks.chunk_keys % tile_keys, 0);
        QVERIFY(chunks.count <= 256);
        QVERIFY(chunks.count * chunks.chunk_keys >= entries);
        QVERIFY(entries == 0 ? chunks.count == 0 : (chunks.count - 1) * chunks.chunk_keys < entries);
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PoolTopkTest>};
#include "pool_topk_test.moc"
