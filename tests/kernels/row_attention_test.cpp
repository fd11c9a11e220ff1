// SPDX-License-Identifier: GPL-3.0-or-later
// row_attention: the reference by what softmax promises, and the CUDA kernels, run on the CPU, against the reference.
#include <QTest>

#include "tests/support/kernels/cuda_on_cpu.h"
// The kernels need the names that cuda_on_cpu.h gives them.
#include "tests/support/kernel_runs/row_attention.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;

class RowAttentionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    for (int n = 0; n < kernel_cases::case_count; n += 9) {
      const RowAttentionCase c = kernel_cases::row_attention_case(n);
      QVERIFY2(agrees(c, n), qPrintable(QString("case %1").arg(n)));
    }
  }

  /// Scores of thousands: only the best key counts, and nothing overflows.
  void a_steep_softmax_picks_one_value() {
    for (int n = 0; n < 40; n += 2) {  // fp32
      RowAttentionCase c = kernel_cases::row_attention_case(n);
      c.args.scale = 40;
      QVERIFY(kernel_cases::agree(run_device_code(c), run_reference(c), c.args.type, 1e-3));
    }
  }

  /// With a scale of zero all weights are equal: the mean of the values, which here are all the same.
  void reference_weighs_equal_scores_equally() {
    RowAttentionCase c = kernel_cases::row_attention_case(0);
    c.args.scale = 0;
    for (kernel_cases::KvCase* kv : {&c.prefix, &c.segment})
      for (std::size_t at = 0; at < kv->values.size(); at += sizeof(float)) {
        const float value = 1.5f;
        memcpy(kv->values.data() + at, &value, sizeof value);
      }
    for (const double number : kernel_cases::numbers(run_reference(c), c.args.type)) QCOMPARE(number, 1.5);
  }

  /// The launch refuses what its packs would read misaligned: bases and strides that are no multiples of 16 bytes.
  void views_off_their_alignment_are_refused() {
    int refused = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 9) {
      const RowAttentionCase c = kernel_cases::row_attention_case(n);
      PlacedArrays arrays(0);
      const RowAttention args = with_addresses(c, arrays);
      QVERIFY(reads_aligned(args));
      const auto refuses = [&](auto&& change) {
        RowAttention changed = args;
        change(changed);
        return !reads_aligned(changed);
      };
      const auto later = [](const void* pointer) { return static_cast<const std::byte*>(pointer) + 8; };
      QVERIFY(refuses([&](RowAttention& a) { a.queries = later(a.queries); }));
      QVERIFY(refuses([&](RowAttention& a) { a.segment.keys = later(a.segment.keys); }));
      QVERIFY(refuses([&](RowAttention& a) { a.segment.values = later(a.segment.values); }));
      QVERIFY(refuses([](RowAttention& a) { a.segment.key_position_stride += 2; }));
      QVERIFY(refuses([](RowAttention& a) { a.segment.value_row_stride += 2; }));
      refused += refuses([&](RowAttention& a) { a.prefix.values = later(a.prefix.values); });
    }
    QVERIFY2(refused > 30, "a prefix that is there has to be aligned");
  }

  /// A caller may ask for the workspace before it has the pointers: a program that did so got too little.
  void the_workspace_depends_on_lengths_alone() {
    for (int n = 0; n < kernel_cases::case_count; ++n) {
      const RowAttentionCase c = kernel_cases::row_attention_case(n);
      PlacedArrays arrays(0);
      QCOMPARE(longest_positions(with_addresses(c, arrays)), longest_positions(c.args));
    }
  }

  void positions_are_cut_into_few_chunks() {
    for (const std::int64_t positions : std::initializer_list<std::int64_t>{1, 128, 129, 32768, 32769, 1000000}) {
      QVERIFY(attend_chunks_of(positions) <= attend_most_chunks);
      QVERIFY(std::int64_t{attend_chunk(positions)} * attend_chunks_of(positions) >= positions);
      QVERIFY(std::int64_t{attend_chunk(positions)} * (attend_chunks_of(positions) - 1) < positions);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RowAttentionTest>};
#include "row_attention_test.moc"
