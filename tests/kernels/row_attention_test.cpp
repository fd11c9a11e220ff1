// SPDX-License-Identifier: GPL-3.0-or-later
// row_attention: the reference by what softmax promises, and the CUDA kernels, run on the CPU, against the reference.
#include <QTest>

#include "tests/support/cuda_on_cpu.h"
// The kernels need the names that cuda_on_cpu.h gives them.
#include "kernels/cuda/row_attention_device.h"
#include "tests/support/layer_cases.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernels;
using kernel_cases::Bytes;
using kernel_cases::RowAttentionCase;

namespace {

KvRows with_addresses(const kernel_cases::KvCase& c) {
  KvRows rows = c.args;
  rows.keys = c.keys.data(), rows.values = c.values.data(), rows.row = c.row.data();
  return rows;
}

RowAttention with_addresses(const RowAttentionCase& c, Bytes& output) {
  output.assign(c.result_bytes(), std::byte{0x55});
  RowAttention args = c.args;
  args.queries = c.queries.data(), args.query_row = c.query_row.data();
  args.prefix = with_addresses(c.prefix), args.segment = with_addresses(c.segment);
  args.output = output.data();
  return args;
}

Bytes run_reference(const RowAttentionCase& c) {
  Bytes output;
  reference::row_attention(with_addresses(c, output), nullptr);
  return output;
}

template <typename T, int width>
void launch(const RowAttention& args) {
  const std::int64_t all = std::int64_t{args.prefix_length} + args.length;
  const std::int32_t chunks = attend_chunks_of(all);
  const auto heads = static_cast<unsigned>(args.heads);
  std::vector<float> partial(static_cast<std::size_t>(args.heads * chunks * partial_floats(args.head_dim)), 1e30f);
  cuda_on_cpu::launch({static_cast<unsigned>(chunks), heads, 1}, attend_threads,
                      [&] { attend_chunks<T, width>(args, attend_chunk(all), partial.data()); });
  cuda_on_cpu::launch({1, heads, 1}, static_cast<unsigned>(args.head_dim),
                      [&] { merge_attended<T>(args, chunks, partial.data()); });
}

template <typename T>
void launch_any(const RowAttention& args) {
  if (args.head_dim == 64) launch<T, 2>(args);
  if (args.head_dim == 128) launch<T, 4>(args);
  if (args.head_dim == 256) launch<T, 8>(args);
}

Bytes run_device_code(const RowAttentionCase& c) {
  Bytes output;
  const RowAttention args = with_addresses(c, output);
  if (args.heads == 0) return output;
  args.type == Element::BFloat16 ? launch_any<BFloat16>(args) : launch_any<float>(args);
  return output;
}

}  // namespace

class RowAttentionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    for (int n = 0; n < kernel_cases::case_count; n += 9) {
      const RowAttentionCase c = kernel_cases::row_attention_case(n);
      QVERIFY2(kernel_cases::agree(run_device_code(c), run_reference(c), c.args.type, c.tolerance()),
               qPrintable(QString("case %1").arg(n)));
    }
  }

  /// Scores of thousands: only the best key counts, and nothing overflows.
  void a_steep_softmax_picks_one_value() {
    for (int n = 0; n < 40; n += 2) {  // fp32
      RowAttentionCase c = kernel_cases::row_attention_case(n);
      c.args.scale = 40;
      QVERIFY(kernel_cases::agree(run_device_code(c), run_reference(c), c.args.type, 1e-3));
    }
  }

  /// With a scale of zero all weights are equal: the mean of the values, which here are all the same.
  void reference_weighs_equal_scores_equally() {
    RowAttentionCase c = kernel_cases::row_attention_case(0);
    c.args.scale = 0;
    for (kernel_cases::KvCase* kv : {&c.prefix, &c.segment})
      for (std::size_t at = 0; at < kv->values.size(); at += sizeof(float)) {
        const float value = 1.5f;
        memcpy(kv->values.data() + at, &value, sizeof value);
      }
    for (const double number : kernel_cases::numbers(run_reference(c), c.args.type)) QCOMPARE(number, 1.5);
  }

  void positions_are_cut_into_few_chunks() {
    for (const std::int64_t positions : std::initializer_list<std::int64_t>{1, 128, 129, 32768, 32769, 1000000}) {
      QVERIFY(attend_chunks_of(positions) <= 256);
      QVERIFY(std::int64_t{attend_chunk(positions)} * attend_chunks_of(positions) >= positions);
      QVERIFY(std::int64_t{attend_chunk(positions)} * (attend_chunks_of(positions) - 1) < positions);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RowAttentionTest>};
#include "row_attention_test.moc"
