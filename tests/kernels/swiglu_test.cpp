// SPDX-License-Identifier: GPL-3.0-or-later
// swiglu: the reference against differences of the definition, and the CUDA kernels, run on the CPU, against the
// reference.
#include <QTest>

#include "tests/support/kernels/cuda_on_cpu.h"
// The kernels need the names that cuda_on_cpu.h gives them.
#include "tests/support/kernel_runs/swiglu.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;

namespace {

double value(double gate, double up, bool gelu) {
  if (!gelu) return gate / (1 + std::exp(-gate)) * up;
  return 0.5 * gate * (1 + std::tanh(0.79788456080286536 * (gate + 0.044715 * gate * gate * gate))) * up;  // √(2/π)
}

}  // namespace

class SwigluTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    int wide_ones = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 4) {
      const SwigluCase c = kernel_cases::swiglu_case(n);
      if (!runs_soon(c)) continue;
      for (const bool backward : {false, true}) {
        const PackedRun run = run_device_code(c, backward, n);
        QVERIFY2(agrees(c, backward, run), qPrintable(QString("case %1").arg(n)));
        wide_ones += run.by_packs;
      }
    }
    QVERIFY2(wide_ones > 30, "packs are meant to be common");
  }

  void reference_is_the_definition_and_its_derivative() {
    constexpr double h = 1e-5;
    for (int n = 2; n < 300; n += 3) {  // fp64
      const SwigluCase c = kernel_cases::swiglu_case(n);
      const auto input = kernel_cases::numbers(c.input, c.args.type),
                 from = kernel_cases::numbers(c.gradient, c.args.type),
                 out = kernel_cases::numbers(run_reference(c, false), c.args.type),
                 back = kernel_cases::numbers(run_reference(c, true), c.args.type);
      const auto inner = static_cast<std::size_t>(c.args.inner);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t gate_at = i / inner * 2 * inner + i % inner, up_at = gate_at + inner;
        const double gate = input[gate_at], up = input[up_at];
        QVERIFY(std::abs(out[i] - value(gate, up, c.args.gelu)) <= 1e-12);
        const double by_gate = (value(gate + h, up, c.args.gelu) - value(gate - h, up, c.args.gelu)) / (2 * h);
        QVERIFY(std::abs(back[gate_at] - from[i] * by_gate) <= 1e-7);
        QVERIFY(std::abs(back[up_at] - from[i] * value(gate, 1, c.args.gelu)) <= 1e-12);
      }
    }
  }

  void a_gate_that_is_shut_gives_zero() {
    SwigluCase c;
    c.args.rows = c.args.inner = 1;
    const float shut[2] = {-1000, 3}, one = 1;
    c.input.resize(sizeof shut);
    c.gradient.resize(sizeof one);
    memcpy(c.input.data(), shut, sizeof shut);
    memcpy(c.gradient.data(), &one, sizeof one);
    for (const bool backward : {false, true})
      for (const double number : kernel_cases::numbers(run_device_code(c, backward, 0).output, c.args.type))
        QCOMPARE(std::abs(number), 0.0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SwigluTest>};
#include "swiglu_test.moc"
