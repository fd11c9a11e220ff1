// SPDX-License-Identifier: GPL-3.0-or-later
// Pools and caches of more than 2^31 elements: device code that finds its rows so far apart gives what the references
// give for the same rows side by side. Almost none of that memory is touched.
#include <sys/mman.h>

#include <QTest>
#include <deque>

#include "tests/support/kernels/cuda_on_cpu.h"
// The kernels need the names that cuda_on_cpu.h gives them.
#include "tests/support/kernel_runs/gather_prefix.h"
#include "tests/support/kernel_runs/join_rows.h"
#include "tests/support/kernel_runs/list_attention.h"
#include "tests/support/kernel_runs/place_heads.h"
#include "tests/support/kernel_runs/pool_topk.h"
#include "tests/support/kernel_runs/rotate_rows.h"
#include "tests/support/kernel_runs/row_attention.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;

namespace {

constexpr std::int64_t wide = (std::int64_t{1} << 31) + 64;  ///< elements from one row to the next

/// Rows that lie `wide` apart, in memory that the system gives where it is written.
class WideRows {
 public:
  explicit WideRows(Element type) : element_(element_bytes(type)) {
    void* const memory =
        mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) memory_ = static_cast<std::byte*>(memory);
  }
  ~WideRows() {
    if (memory_ != nullptr) munmap(memory_, bytes());
  }
  WideRows(const WideRows&) = delete;
  WideRows& operator=(const WideRows&) = delete;
  const std::byte* data() const { return memory_; }

  /// Positions of `d` elements, which lie in `dense` by the strides given; here one behind the other in each row.
  void fill(const Bytes& dense, std::int64_t row_stride, std::int64_t position_stride, std::int64_t positions,
            std::int64_t d) {
    const auto all = static_cast<std::int64_t>(dense.size()) / element_;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t position = 0; position < positions; ++position) {
        const std::int64_t from = row * row_stride + position * position_stride;
        if (from + d > all) break;  // of fewer rows
        std::copy_n(dense.begin() + from * element_, d * element_, memory_ + (row * wide + position * d) * element_);
      }
  }

 private:
  static constexpr std::int64_t rows = 5;
  std::size_t bytes() const { return static_cast<std::size_t>(rows * wide * element_); }

  std::int64_t element_;
  std::byte* memory_ = nullptr;
};

struct WideKv {
  WideKv(const kernel_cases::KvCase& c, Element type, std::int64_t positions, std::int64_t d)
      : keys(type), values(type), args(c.args) {
    if (keys.data() == nullptr || values.data() == nullptr) return;
    keys.fill(c.keys, args.key_row_stride, args.key_position_stride, positions, d);
    values.fill(c.values, args.value_row_stride, args.value_position_stride, positions, d);
    args = {keys.data(), values.data(), wide, d, wide, d, c.row.data()};
  }
  WideRows keys, values;
  KvRows args;
};

#define SKIP_WITHOUT(memory) \
  if ((memory).data() == nullptr) QSKIP("this system does not give out memory that it may not have")

}  // namespace

class WideStridesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pool_topk_finds_far_slots() {
    int far = 0;
    for (int n = 0; n < 300; n += 3) {
      const PoolTopkCase c = kernel_cases::pool_topk_case(n + n / 3 % 3);
      if (!runs_soon(c)) continue;
      WideRows keys(c.args.key_type);
      SKIP_WITHOUT(keys);
      keys.fill(c.keys, c.args.slot_stride, c.args.head_dim, c.args.entries, c.args.head_dim);
      PoolTopkResult result;
      PoolTopk args = with_addresses(c, result);
      args.keys = keys.data(), args.slot_stride = wide;
      launch(args);
      QVERIFY2(result == run_reference(c), qPrintable(QString("case %1").arg(n)));
      far += *std::max_element(c.head_slot.begin(), c.head_slot.end()) > 0;
    }
    QVERIFY(far > 10);
  }

  void gather_prefix_finds_far_slots() {
    for (int n = 0; n < 300; n += 7) {
      const GatherPrefixCase c = kernel_cases::gather_prefix_case(n);
      if (!runs_soon(c)) continue;
      WideRows keys(c.args.type), values(c.args.type);
      SKIP_WITHOUT(keys);
      SKIP_WITHOUT(values);
      const std::int64_t d = c.args.head_dim, capacity = c.args.slot_stride / d;
      keys.fill(c.pool_keys, c.args.slot_stride, d, capacity, d);
      values.fill(c.pool_values, c.args.slot_stride, d, capacity, d);
      PlacedArrays arrays(0);
      GatherPrefix args = with_addresses(c, arrays);
      args.pool_keys = keys.data(), args.pool_values = values.data(), args.slot_stride = wide;
      launch<std::uint16_t>(args);
      QVERIFY2(KeysAndValues(args, c.result_bytes(), arrays) == run_reference(c),
               qPrintable(QString("case %1").arg(n)));
    }
  }

  void join_rows_finds_far_rows() {
    for (int n = 0; n < 300; n += 7) {
      const JoinRowsCase c = kernel_cases::join_rows_case(n);
      if (!runs_soon(c)) continue;
      const WideKv prefix(c.prefix, c.args.type, c.args.prefix_length, c.args.head_dim),
          segment(c.segment, c.args.type, c.args.length, c.args.head_dim);
      SKIP_WITHOUT(segment.values);
      PlacedArrays arrays(0);
      JoinRows args = with_addresses(c, arrays);
      args.prefix = prefix.args, args.segment = segment.args;
      QVERIFY(launch<uint4>(args) || launch<std::uint64_t>(args) || launch<std::uint32_t>(args) ||
              launch<std::uint16_t>(args));
      QVERIFY2(KeysAndValues(args, c.result_bytes(), arrays) == run_reference(c),
               qPrintable(QString("case %1").arg(n)));
    }
  }

  void place_heads_finds_far_heads() {
    for (int n = 0; n < 300; n += 7) {
      const PlaceHeadsCase c = kernel_cases::place_heads_case(n);
      if (!runs_soon(c)) continue;
      std::deque<WideRows> groups;
      PlacedArrays arrays(0);
      PlaceHeads args = with_addresses(c, arrays);
      for (std::size_t g = 0; g < c.groups.size(); ++g) {
        WideRows& rows = groups.emplace_back(c.args.type);
        SKIP_WITHOUT(rows);
        const PlaceHeads::Group& group = c.args.groups[g];
        rows.fill(c.groups[g], group.head_stride, group.position_stride, c.args.length, c.args.head_dim);
        args.groups[g] = {rows.data(), wide, c.args.head_dim};
      }
      QVERIFY(launch<uint4>(args) || launch<std::uint64_t>(args) || launch<std::uint32_t>(args) ||
              launch<std::uint16_t>(args));
      QVERIFY2(output_of(args, c.result_bytes()) == run_reference(c), qPrintable(QString("case %1").arg(n)));
    }
  }

  void row_attention_finds_far_rows() {
    for (int n = 0; n < 300; n += 9) {
      const RowAttentionCase c = kernel_cases::row_attention_case(n);
      if (!runs_soon(c)) continue;
      const WideKv prefix(c.prefix, c.args.type, c.args.prefix_length, c.args.head_dim),
          segment(c.segment, c.args.type, c.args.length, c.args.head_dim);
      SKIP_WITHOUT(segment.values);
      PlacedArrays arrays(0);
      RowAttention args = with_addresses(c, arrays);
      args.prefix = prefix.args, args.segment = segment.args;
      launch(args);
      QVERIFY2(kernel_cases::agree(output_of(args, c.result_bytes()), run_reference(c), c.args.type, c.tolerance()),
               qPrintable(QString("case %1").arg(n)));
    }
  }

  void rotate_rows_finds_far_rows() {
    for (int n = 0; n < 300; n += 7) {
      const RotateRowsCase c = kernel_cases::rotate_rows_case(n);
      if (!runs_soon(c)) continue;
      WideRows input(c.args.type);
      SKIP_WITHOUT(input);
      input.fill(c.input, c.args.row_stride, c.args.position_stride, c.args.length, c.args.head_dim);
      PlacedArrays arrays(0);
      RotateRows args = with_addresses(c, arrays);
      args.input = input.data(), args.row_stride = wide, args.position_stride = args.head_dim;
      launch(args, true);
      QVERIFY2(kernel_cases::agree(output_of(args, c.result_bytes()), run_reference(c), c.args.type, c.tolerance()),
               qPrintable(QString("case %1").arg(n)));
    }
  }

  void list_attention_finds_far_rows() {
    for (int n = 0; n < 90; n += 7) {
      const ListAttentionCase c = kernel_cases::list_attention_case(n);
      if (!runs_soon(c) || c.args.heads > 5) continue;
      const std::int64_t d = c.args.head_dim;
      const WideKv prefix(c.prefix, c.args.type, c.args.prefix_length, d),
          segment(c.segment, c.args.type, c.args.length, d);
      WideRows queries(c.args.type);
      SKIP_WITHOUT(segment.values);
      SKIP_WITHOUT(queries);
      queries.fill(c.queries, c.args.queries.head_stride, c.args.queries.position_stride, c.args.query_count, d);
      const ListAttentionResult found = result_of(c, [&](ListAttention args) {
        args.prefix = prefix.args, args.segment = segment.args, args.queries = {queries.data(), wide, d};
        launch(args);
      });
      QVERIFY2(agree(c, found, run_reference(c)), qPrintable(QString("case %1").arg(n)));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<WideStridesTest>};
#include "wide_strides_test.moc"
