// SPDX-License-Identifier: GPL-3.0-or-later
// rope_prefix: the reference by its properties (app:rope), and the CUDA kernel, run on the CPU, against the reference
// within kernel_cases::rope_tolerance.
#include <QTest>
#include <cmath>
#include <complex>

#include "tests/support/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "tests/support/kernel_runs/rope_prefix.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;
using kernel_cases::numbers;

namespace {

/// A case in fp64, whose reference is compared with exact properties.
RopePrefixCase double_case(int n) {
  RopePrefixCase c = kernel_cases::rope_prefix_case(3 * n + 2);
  c.args.attention_scale = 1;
  return c;
}

double dot(const std::vector<double>& a, std::size_t i, const std::vector<double>& b, std::size_t j, std::size_t d) {
  double sum = 0;
  for (std::size_t c = 0; c < d; ++c) sum += a[i * d + c] * b[j * d + c];
  return sum;
}

}  // namespace

class RopePrefixTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Each pair (c, c + d/2) is a complex number that is multiplied by e^(i · position · frequency).
  void reference_turns_pairs_as_complex_numbers() {
    for (int n = 0; n < kernel_cases::case_count; ++n) {
      const RopePrefixCase c = kernel_cases::rope_prefix_case(n);
      const auto input = numbers(c.input, c.args.type), output = numbers(run_reference(c), c.args.type);
      const auto d = static_cast<std::size_t>(c.args.head_dim), half = d / 2;
      for (std::size_t i = 0; i < input.size(); ++i) {
        if (i % d >= half) continue;
        const auto key = static_cast<std::int64_t>(i / d) % std::max(1, c.args.length);
        const auto position = static_cast<double>(c.args.first_position + key);
        double angle = position * double{c.inverse_frequency[i % d]};
        if (c.args.type != Element::Float64) {
          angle = double{static_cast<float>(position) * c.inverse_frequency[i % d]};  // the angle is rounded to fp32
        }
        const auto expected = std::complex(input[i], input[i + half]) * std::polar(1.0, angle) *
                              static_cast<double>(c.args.attention_scale);
        const double tolerance = kernel_cases::rope_tolerance(c.args.type);
        QVERIFY(std::abs(output[i] - expected.real()) <= tolerance);
        QVERIFY(std::abs(output[i + half] - expected.imag()) <= tolerance);
      }
    }
  }

  void device_code_equals_reference() {
    for (int n = 0; n < kernel_cases::case_count; n += 3) {
      QVERIFY2(agrees(kernel_cases::rope_prefix_case(n + n / 3 % 3), n), qPrintable(QString("case %1").arg(n)));
    }
  }

  void position_zero_changes_nothing() {
    for (int n = 0; n < 50; ++n) {
      RopePrefixCase c = double_case(n);
      c.args.first_position = 0;
      c.args.rows = c.args.rows * c.args.length;
      c.args.length = 1;
      QVERIFY(run_reference(c) == c.input);
    }
  }

  /// A score depends on relative positions only, so a prefix may stand at 0.. or at -P..: shifting changes no dot
  /// product.
  void dot_products_depend_on_relative_positions_only() {
    for (int n = 0; n < 100; ++n) {
      RopePrefixCase c = double_case(n);
      const auto d = static_cast<std::size_t>(c.args.head_dim);
      c.args.first_position = 0;
      const auto at_zero = numbers(run_reference(c), Element::Float64);
      c.args.first_position = -c.args.length;
      const auto shifted = numbers(run_reference(c), Element::Float64);
      const std::size_t keys = c.args.rows > 0 ? static_cast<std::size_t>(c.args.length) : 0;
      for (std::size_t i = 0; i < keys; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          QVERIFY(std::abs(dot(at_zero, i, at_zero, j, d) - dot(shifted, i, shifted, j, d)) <= 1e-9);
        }
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RopePrefixTest>};
#include "rope_prefix_test.moc"
