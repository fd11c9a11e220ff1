// SPDX-License-Identifier: GPL-3.0-or-later
// rotate_rows: the reference by its properties (app:rope), and the CUDA kernel, run on the CPU, against the reference.
#include <QTest>

#include "tests/support/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "kernels/cuda/rotate_rows_device.h"
#include "tests/support/layer_cases.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernels;
using kernel_cases::Bytes;
using kernel_cases::RotateRowsCase;

namespace {

RotateRows with_addresses(const RotateRowsCase& c, Bytes& output) {
  output.assign(c.result_bytes(), std::byte{0x55});
  RotateRows args = c.args;
  args.input = c.input.data(), args.cosine = c.cosine.data(), args.sine = c.sine.data();
  args.output = output.data();
  return args;
}

Bytes run_reference(const RotateRowsCase& c) {
  Bytes output;
  reference::rotate_rows(with_addresses(c, output), nullptr);
  return output;
}

template <int width, typename T>
void launch(const RotateRows& args) {
  if (args.rows == 0 || args.length == 0) return;
  cuda_on_cpu::launch({2, static_cast<unsigned>(args.rows), 1}, rotate_threads, [&] { rotate_packs<T, width>(args); });
}

/// Whole packs where they fit and `wide` asks for them, else one pair at a time.
Bytes run_device_code(const RotateRowsCase& c, bool wide, int& wide_ones) {
  Bytes output;
  const RotateRows args = with_addresses(c, output);
  visit_element(args.type, [&](auto element) {
    using T = decltype(element);
    constexpr int width = elements_at_once<T>;
    const bool fits = wide && takes_packs(args, width);
    wide_ones += fits;
    fits ? launch<width, T>(args) : launch<1, T>(args);
  });
  return output;
}

}  // namespace

class RotateRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    int wide_ones = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 4) {
      const RotateRowsCase c = kernel_cases::rotate_rows_case(n);
      for (const bool wide : {false, true})
        QVERIFY2(kernel_cases::agree(run_device_code(c, wide, wide_ones), run_reference(c), c.args.type, c.tolerance()),
                 qPrintable(QString("case %1").arg(n)));
    }
    QVERIFY2(wide_ones > 30, "packs are meant to be common");
  }

  /// Forwards, then backwards: what came in.
  void backwards_undoes_it() {
    int tried = 0;
    for (int n = 2; n < kernel_cases::case_count; n += 3) {  // fp64
      RotateRowsCase c = kernel_cases::rotate_rows_case(n);
      c.args.row_stride = std::int64_t{c.args.length} * c.args.head_dim;
      c.args.position_stride = c.args.head_dim;
      c.input.resize(c.result_bytes());
      c.args.backwards = false;
      RotateRowsCase back = c;
      back.args.backwards = true;
      back.input = run_reference(c);
      QVERIFY(kernel_cases::agree(run_reference(back), c.input, c.args.type, 1e-12));
      tried += !c.input.empty();
    }
    QVERIFY(tried > 100);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RotateRowsTest>};
#include "rotate_rows_test.moc"
