// SPDX-License-Identifier: GPL-3.0-or-later
// gather_prefix: row by row by definition, and the CUDA kernel, run on the CPU in every width of copy, against the
// reference. Copies are exact: everything is compared byte by byte.
#include <QTest>

#include "tests/support/kernels/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "tests/support/kernel_runs/gather_prefix.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;

class GatherPrefixTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reference_copies_the_chosen_rows() {
    for (int n = 0; n < kernel_cases::case_count; ++n) {
      const GatherPrefixCase c = kernel_cases::gather_prefix_case(n);
      const KeysAndValues result = run_reference(c);
      const auto row = static_cast<std::size_t>(c.args.head_dim * element_bytes(c.args.type));
      for (std::size_t i = 0; i < c.positions.size(); ++i) {
        const std::size_t head = i / static_cast<std::size_t>(c.args.prefix_length);
        const auto from = static_cast<std::ptrdiff_t>(
            (c.head_slot[head] * c.args.slot_stride + c.positions[i] * c.args.head_dim) * element_bytes(c.args.type));
        const auto equal = [&](const std::vector<std::byte>& out, const std::vector<std::byte>& pool) {
          return std::equal(pool.begin() + from, pool.begin() + from + static_cast<std::ptrdiff_t>(row),
                            out.begin() + static_cast<std::ptrdiff_t>(i * row));
        };
        QVERIFY(equal(result.keys, c.pool_keys) && equal(result.values, c.pool_values));
      }
      QVERIFY(result.intact);
    }
  }

  void device_code_equals_reference() {
    int wide_ones = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 5) {
      const GatherPrefixCase c = kernel_cases::gather_prefix_case(n);
      if (!runs_soon(c)) continue;
      QVERIFY2(agrees(c, n), qPrintable(QString("case %1").arg(n)));
      wide_ones += run_device_code<uint4>(c, n).has_value();
    }
    QVERIFY2(wide_ones > 20, "units of 16 bytes are meant to be common");
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<GatherPrefixTest>};
#include "gather_prefix_test.moc"
