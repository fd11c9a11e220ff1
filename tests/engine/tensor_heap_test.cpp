// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runtime/tensor_heap.h"

#include <ATen/ATen.h>
#include <sys/resource.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include "engine/base/system_file.h"
#include "engine/runtime/memory_meter.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

at::Tensor block(std::int64_t bytes, int value = 1) {
  return at::full({bytes}, value, at::kByte);
}

bool holds(const at::Tensor& tensor, int value) {
  return tensor.eq(value).all().item<bool>();
}

/// Tensors come and go; says whether each still had its own values when it went.
bool all_keep_their_values(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(10, 24);
  std::vector<std::pair<at::Tensor, int>> live;
  bool kept = true;
  for (int step = 0; step < 500; ++step) {
    if (live.size() > 20 || (!live.empty() && random() % 3 == 0)) {
      const auto gone = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
      kept = kept && holds(gone->first, gone->second);
      live.erase(gone);
    } else {
      live.emplace_back(block(static_cast<std::int64_t>(std::exp2(exponent(random))), step % 256), step % 256);
      kept = kept && reinterpret_cast<std::uintptr_t>(live.back().first.data_ptr()) % 64 == 0;
    }
  }
  return kept && std::all_of(live.begin(), live.end(), [](const auto& one) { return holds(one.first, one.second); });
}

}  // namespace

class TensorHeapTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { use_tensor_heap(); }
  /// Nothing is left in the heap by any test.
  void cleanup() {
    QCOMPARE(tensor_heap_free_bytes(), tensor_heap_bytes());
    give_back_tensor_heap();
    QCOMPARE(tensor_heap_bytes(), 0);
    QCOMPARE(tensor_heap_free_bytes(), 0);
  }
  void tensors_keep_their_values_on_all_threads();
  void what_is_freed_is_one_piece_again();
  void small_tensors_lie_elsewhere();
  void only_what_is_free_is_given_back();
  void what_was_never_written_is_not_kept();
  void the_meter_counts_it();
  void no_memory_is_an_error_to_go_on_from();
};

void TensorHeapTest::tensors_keep_their_values_on_all_threads() {
  bool kept[3] = {};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i) threads.emplace_back([&kept, i] { kept[i] = all_keep_their_values(i + 1); });
  for (std::thread& thread : threads) thread.join();
  for (bool each : kept) QVERIFY(each);
}

void TensorHeapTest::what_is_freed_is_one_piece_again() {
  std::array order{0, 1, 2};
  do {
    std::array<at::Tensor, 3> tensors;
    for (at::Tensor& tensor : tensors) tensor = block(20 * kMiB);
    const std::int64_t mapped = tensor_heap_bytes();
    for (int i : order) tensors[static_cast<std::size_t>(i)].reset();
    const at::Tensor all = block(60 * kMiB);
    QCOMPARE(tensor_heap_bytes(), mapped);
  } while (std::next_permutation(order.begin(), order.end()));
}

void TensorHeapTest::what_was_never_written_is_not_kept() {
  at::empty({256 * kMiB}, at::kByte);
  QVERIFY(tensor_heap_free_bytes() >= 256 * kMiB);
  QVERIFY(tensor_heap_kept_bytes() <= 4 * kMiB);
  block(64 * kMiB);
  QVERIFY(tensor_heap_kept_bytes() >= 64 * kMiB);
  QVERIFY(tensor_heap_kept_bytes() <= 68 * kMiB);
}

void TensorHeapTest::small_tensors_lie_elsewhere() {
  std::vector<at::Tensor> carries;
  std::int64_t mapped = 0;
  for (int layer = 0; layer < 40; ++layer) {
    const at::Tensor activation = block((10 + layer) * kMiB);  // each needs more than the last one freed
    carries.push_back(block(48 << 10));
    if (layer == 0) mapped = tensor_heap_bytes();
  }
  QCOMPARE(tensor_heap_bytes(), mapped);
}

void TensorHeapTest::only_what_is_free_is_given_back() {
  std::vector<at::Tensor> tensors;
  for (int i = 0; i < 8; ++i) tensors.push_back(block(16 * kMiB, i));
  const std::int64_t mapped = tensor_heap_bytes(), resident = process_bytes("VmRSS");
  for (std::size_t i = 0; i < 8; i += 2) tensors[i].reset();
  give_back_tensor_heap();
  const std::int64_t whole = 4 * 12 * kMiB;  // what lies in huge pages of its own for certain
  QVERIFY(mapped - tensor_heap_bytes() >= whole);
  QVERIFY(resident - process_bytes("VmRSS") >= whole / 2);
  for (std::size_t i = 1; i < 8; i += 2) QVERIFY(holds(tensors[i], static_cast<int>(i)));
}

void TensorHeapTest::the_meter_counts_it() {
  MemoryMeter meter(at::kCPU);
  at::Tensor tensor = block(3 * kMiB);
  QCOMPARE(meter.live_bytes(), 3 * kMiB);
  tensor.reset();
  QCOMPARE(meter.live_bytes(), 0);
  QVERIFY(meter.peak_bytes() >= 3 * kMiB);
}

void TensorHeapTest::no_memory_is_an_error_to_go_on_from() {
  const at::Tensor before = block(kMiB, 7);
  rlimit old{};
  getrlimit(RLIMIT_AS, &old);
  const rlimit tight{static_cast<rlim_t>(process_bytes("VmSize") + 1024 * kMiB), old.rlim_max};  // words need some
  setrlimit(RLIMIT_AS, &tight);
  QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, block(8192 * kMiB));
  const at::Tensor after = block(8 * kMiB, 9);
  setrlimit(RLIMIT_AS, &old);
  QVERIFY(holds(before, 7) && holds(after, 9));
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TensorHeapTest>};
#include "tensor_heap_test.moc"
