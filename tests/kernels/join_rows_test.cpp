// SPDX-License-Identifier: GPL-3.0-or-later
// join_rows: the CUDA kernel, run on the CPU, against the reference: the same bytes, whatever the strides.
#include <QTest>

#include "tests/support/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "kernels/cuda/join_rows_device.h"
#include "tests/support/layer_cases.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernels;
using kernel_cases::Bytes;
using kernel_cases::JoinRowsCase;

namespace {

struct Result {
  Bytes keys, values;
  bool operator==(const Result&) const = default;
};

KvRows with_addresses(const kernel_cases::KvCase& c) {
  KvRows rows = c.args;
  rows.keys = c.keys.data(), rows.values = c.values.data(), rows.row = c.row.data();
  return rows;
}

JoinRows with_addresses(const JoinRowsCase& c, Result& result) {
  result.keys.assign(c.result_bytes(), std::byte{0x55});
  result.values.assign(c.result_bytes(), std::byte{0x55});
  JoinRows args = c.args;
  args.prefix = with_addresses(c.prefix), args.segment = with_addresses(c.segment);
  args.keys = result.keys.data(), args.values = result.values.data();
  return args;
}

}  // namespace

class JoinRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    for (int n = 0; n < kernel_cases::case_count; n += 2) {
      const JoinRowsCase c = kernel_cases::join_rows_case(n);
      Result expected, result;
      reference::join_rows(with_addresses(c, expected), nullptr);
      const JoinRows args = with_addresses(c, result);
      if (args.heads > 0)
        visit_element(args.type, [&](auto element) {
          cuda_on_cpu::launch({2, static_cast<unsigned>(args.heads), 2}, join_threads,
                              [&] { join_units<decltype(element)>(args); });
        });
      QVERIFY2(result == expected, qPrintable(QString("case %1").arg(n)));
    }
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
