// SPDX-License-Identifier: GPL-3.0-or-later
// gather_prefix: row by row by definition, and the CUDA kernel, run on the CPU in every width of copy, against the
// reference. Copies are exact: everything is compared byte by byte.
#include <QTest>

#include "tests/support/cuda_on_cpu.h"
// The kernel needs the names that cuda_on_cpu.h gives it.
#include "kernels/cuda/gather_prefix_device.h"
#include "tests/support/kernel_cases.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernels;
using kernel_cases::GatherPrefixCase;

namespace {

struct Result {
  std::vector<std::byte> keys, values;
  bool operator==(const Result&) const = default;
};

constexpr std::size_t guard = 16;  ///< untouched bytes expected behind each output

GatherPrefix with_addresses(const GatherPrefixCase& c, Result& result) {
  result.keys.assign(c.result_bytes() + guard, std::byte{0x5a});
  result.values.assign(c.result_bytes() + guard, std::byte{0x5a});
  GatherPrefix args = c.args;
  args.pool_keys = c.pool_keys.data();
  args.pool_values = c.pool_values.data();
  args.head_slot = c.head_slot.data();
  args.positions = c.positions.data();
  args.keys = result.keys.data();
  args.values = result.values.data();
  return args;
}

Result run_reference(const GatherPrefixCase& c) {
  Result result;
  reference::gather_prefix(with_addresses(c, result), nullptr);
  return result;
}

template <typename Unit>
Result run_device_code(const GatherPrefixCase& c) {
  Result result;
  const GatherPrefix args = with_addresses(c, result);
  const auto unit = static_cast<std::int64_t>(sizeof(Unit)), bytes = element_bytes(args.type);
  cuda_on_cpu::launch({3, 1, 1}, gather_threads,
                      [&] { gather_rows<Unit>(args, args.head_dim * bytes / unit, args.slot_stride * bytes / unit); });
  return result;
}

}  // namespace

class GatherPrefixTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reference_copies_the_chosen_rows() {
    for (int n = 0; n < kernel_cases::case_count; ++n) {
      const GatherPrefixCase c = kernel_cases::gather_prefix_case(n);
      const Result result = run_reference(c);
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
      for (std::size_t i = 0; i < guard; ++i) {
        QVERIFY(result.keys[c.result_bytes() + i] == std::byte{0x5a});
        QVERIFY(result.values[c.result_bytes() + i] == std::byte{0x5a});
      }
    }
  }

  void device_code_equals_reference() {
    int wide = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 5) {
      const GatherPrefixCase c = kernel_cases::gather_prefix_case(n);
      if (c.positions.empty()) continue;
      const Result expected = run_reference(c);
      const std::int64_t row_bytes = c.args.head_dim * element_bytes(c.args.type);
      QVERIFY2(run_device_code<std::uint16_t>(c) == expected, qPrintable(QString("case %1").arg(n)));
      if (row_bytes % 4 == 0) QVERIFY(run_device_code<std::uint32_t>(c) == expected);
      if (row_bytes % 8 == 0) QVERIFY(run_device_code<std::uint64_t>(c) == expected);
      wide += row_bytes % 8 == 0;
    }
    QVERIFY(wide > 20);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<GatherPrefixTest>};
#include "gather_prefix_test.moc"
