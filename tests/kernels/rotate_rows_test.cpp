// SPDX-License-Identifier: GPL-3.0-or-later
// rotate_rows: the reference by its properties (app:rope), and the CUDA kernel, run on the CPU, against the reference.
#include <QTest>
#include <complex>

#include "tests/support/kernels/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "tests/support/kernel_runs/rotate_rows.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;
using kernel_cases::numbers;

class RotateRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    int wide_ones = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 4) {
      const RotateRowsCase c = kernel_cases::rotate_rows_case(n);
      if (!runs_soon(c)) continue;
      for (const bool packs : {false, true}) {
        const PackedRun run = run_device_code(c, n, packs);
        QVERIFY2(agrees(c, run), qPrintable(QString("case %1").arg(n)));
        wide_ones += run.by_packs;
      }
    }
    QVERIFY2(wide_ones > 30, "packs are meant to be common");
  }

  /// Each pair (c, c + d/2) is a complex number that is multiplied by cosine + i · sine, backwards by its conjugate.
  void reference_turns_pairs_as_complex_numbers() {
    for (int n = 0; n < kernel_cases::case_count; ++n) {
      const RotateRowsCase c = kernel_cases::rotate_rows_case(n);
      const Element opmath = c.args.type == Element::Float64 ? Element::Float64 : Element::Float32;
      const auto input = numbers(c.input, c.args.type), output = numbers(run_reference(c), c.args.type),
                 cosine = numbers(c.cosine, opmath), sine = numbers(c.sine, opmath);
      const std::int64_t rows = c.args.rows, length = c.args.length, d = c.args.head_dim, half = d / 2;
      const auto at = [](const std::vector<double>& values, std::int64_t i) {
        return values[static_cast<std::size_t>(i)];
      };
      for (std::int64_t i = 0; i < rows * length * half; ++i) {
        const std::int64_t row = i / (length * half), position = i / half % length, k = i % half;
        const std::int64_t from = c.row.empty() ? row : c.row[static_cast<std::size_t>(row)];
        const std::int64_t in = from * c.args.row_stride + position * c.args.position_stride + k,
                           out = (c.args.by_position ? position * rows + row : row * length + position) * d + k;
        const std::complex angle(at(cosine, position * half + k), at(sine, position * half + k));
        const std::complex turned =
            std::complex(at(input, in), at(input, in + half)) * (c.args.backwards ? std::conj(angle) : angle);
        QVERIFY(std::abs(at(output, out) - turned.real()) <= c.tolerance());
        QVERIFY(std::abs(at(output, out + half) - turned.imag()) <= c.tolerance());
      }
    }
  }

  /// Forwards, then backwards: what came in.
  void backwards_undoes_it() {
    int tried = 0;
    for (int n = 2; n < kernel_cases::case_count; n += 3) {  // fp64
      RotateRowsCase c = kernel_cases::rotate_rows_case(n);
      c.args.row_stride = std::int64_t{c.args.length} * c.args.head_dim;
      c.args.position_stride = c.args.head_dim;
      c.input.resize(c.result_bytes());
      c.args.backwards = c.args.by_position = false;
      c.row.clear();
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
