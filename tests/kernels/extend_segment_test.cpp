// SPDX-License-Identifier: GPL-3.0-or-later
// extend_segment: the CUDA kernel, run on the CPU, against the reference, and the reference against those of the
// kernels whose work it does in one pass.
#include <QTest>

#include "kernels/rotate_rows.h"
#include "tests/support/kernels/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "tests/support/kernel_runs/extend_segment.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;

namespace {

/// Bytes of positions [first, first + count) of each row of an output.
Bytes positions_of(const void* rows, std::int64_t heads, std::int64_t row_bytes, std::int64_t first, std::int64_t count,
                   std::int64_t position_bytes) {
  Bytes all;
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto* const from = static_cast<const std::byte*>(rows) + head * row_bytes + first * position_bytes;
    all.insert(all.end(), from, from + count * position_bytes);
  }
  return all;
}

/// `count` rows of the projections from row `first` on, rotated: [count, length, d], or [length, count, d].
Bytes rotated(const ExtendSegmentCase& c, std::int64_t first, std::int32_t count, bool by_position) {
  const std::int64_t d = c.args.head_dim;
  Bytes output(kernel_cases::bytes_of(c.args.type, count * c.args.length * d));
  if (output.empty()) return output;  // no projections to point into
  RotateRows args{};
  args.input = c.projections.data() + first * d * element_bytes(c.args.type);
  args.type = c.args.type;
  args.row_stride = d;
  args.position_stride = (c.args.heads + 2 * std::int64_t{c.args.kv_heads}) * d;
  args.cosine = c.cosine.data(), args.sine = c.sine.data();
  args.rows = count, args.length = c.args.length, args.head_dim = c.args.head_dim;
  args.output = output.data();
  args.by_position = by_position;
  reference::rotate_rows(args, nullptr);
  return output;
}

}  // namespace

class ExtendSegmentTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    int wide_ones = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 4) {
      const ExtendSegmentCase c = kernel_cases::extend_segment_case(n);
      if (!runs_soon(c)) continue;
      for (const bool packs : {false, true}) {
        const PackedRun run = run_device_code(c, n, packs);
        QVERIFY2(agrees(c, run), qPrintable(QString("case %1").arg(n)));
        wide_ones += run.by_packs;
      }
    }
    QVERIFY2(wide_ones > 30, "packs are meant to be common");
  }

  void reference_is_rotations_and_copies() {
    for (int n = 0; n < 300; ++n) {
      const ExtendSegmentCase c = kernel_cases::extend_segment_case(n);
      PlacedArrays arrays(0);
      const ExtendSegment args = with_addresses(c, arrays);
      reference::extend_segment(args, nullptr);
      const std::int64_t bytes = element_bytes(args.type), d = args.head_dim * bytes, row = args.row_stride * bytes,
                         step = (args.heads + 2 * std::int64_t{args.kv_heads}) * d, keys = args.heads,
                         values = keys + args.kv_heads;
      QVERIFY(output_at(args.queries, c.query_bytes()) == rotated(c, 0, args.heads, true));
      const auto chunk = [&](const void* rows) {
        return positions_of(rows, args.kv_heads, row, args.first, args.length, d);
      };
      const auto projected = [&](std::int64_t first, std::int64_t heads, std::int64_t from) {
        Bytes all;
        for (std::int64_t head = 0; head < heads; ++head)
          for (std::int64_t position = from; position < args.length; ++position) {
            const auto begin = c.projections.begin() + position * step + (first + head) * d;
            all.insert(all.end(), begin, begin + d);
          }
        return all;
      };
      QVERIFY(chunk(args.rotated_keys) == rotated(c, keys, args.kv_heads, false));
      QVERIFY(chunk(args.values) == projected(values, args.kv_heads, 0));
      if (args.keys != nullptr) QVERIFY(chunk(args.keys) == projected(keys, args.kv_heads, 0));
      QVERIFY(positions_of(args.tail, args.heads, args.tail_row_stride * bytes, args.tail_first, args.tail_kept, d) ==
              projected(0, args.heads, args.length - args.tail_kept));
    }
  }

 private:
  static Bytes output_at(const void* output, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(output);
    return {from, from + size};
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ExtendSegmentTest>};
#include "extend_segment_test.moc"
