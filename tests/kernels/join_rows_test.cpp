// SPDX-License-Identifier: GPL-3.0-or-later
// join_rows: the CUDA kernel, run on the CPU, against the reference: the same bytes, whatever the strides.
#include <QTest>

#include "tests/support/kernels/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "tests/support/kernel_runs/join_rows.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;

class JoinRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    int wide_ones = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 4) {
      const JoinRowsCase c = kernel_cases::join_rows_case(n);
      if (!runs_soon(c)) continue;
      QVERIFY2(agrees(c, n), qPrintable(QString("case %1").arg(n)));
      wide_ones += run_device_code<uint4>(c, n).has_value();
    }
    QVERIFY2(wide_ones > 20, "units of 16 bytes are meant to be common");
  }

  /// One head, a prefix of one position and a segment of two, strided: written out by hand.
  void reference_puts_the_prefix_first() {
    const float before[2] = {1, 2}, keys[6] = {3, 4, 0, 0, 5, 6};  // the middle is another head's
    const std::int32_t row = 0;
    float out_keys[6], out_values[6];
    JoinRows args{};
    args.prefix = {before, before, 2, 2, 2, 2, &row};
    args.segment = {keys, keys, 2, 4, 2, 4, &row};
    args.heads = args.prefix_length = 1, args.length = args.head_dim = 2;
    args.keys = out_keys, args.values = out_values;
    reference::join_rows(args, nullptr);
    for (int i = 0; i < 6; ++i) QVERIFY(out_keys[i] == static_cast<float>(i + 1) && out_values[i] == out_keys[i]);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<JoinRowsTest>};
#include "join_rows_test.moc"
