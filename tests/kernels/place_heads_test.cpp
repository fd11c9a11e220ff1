// SPDX-License-Identifier: GPL-3.0-or-later
// place_heads: the reference by hand, and the CUDA kernel, run on the CPU, against the reference: the same bytes,
// whatever the strides.
#include <QTest>

#include "tests/support/kernels/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "tests/support/kernel_runs/place_heads.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;

class PlaceHeadsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    int wide_ones = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 4) {
      const PlaceHeadsCase c = kernel_cases::place_heads_case(n);
      if (!runs_soon(c)) continue;
      QVERIFY2(agrees(c, n), qPrintable(QString("case %1").arg(n)));
      wide_ones += run_device_code<uint4>(c, n).has_value();
    }
    QVERIFY2(wide_ones > 20, "units of 16 bytes are meant to be common");
  }

  /// Heads 0 and 2 of one group, by heads; head 1 of another; two positions.
  void reference_puts_heads_side_by_side() {
    const float first[4] = {1, 4, 3, 6}, second[2] = {2, 5};
    const std::int32_t group[3] = {0, 1, 0}, row[3] = {0, 0, 1};
    float out[6];
    PlaceHeads args{};
    args.groups[0] = {first, 2, 1};
    args.groups[1] = {second, 2, 1};
    args.group = group, args.row = row;
    args.heads = 3, args.length = 2, args.head_dim = 1;
    args.output = out;
    reference::place_heads(args, nullptr);
    for (int i = 0; i < 6; ++i) QVERIFY(out[i] == static_cast<float>(i + 1));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PlaceHeadsTest>};
#include "place_heads_test.moc"
