// SPDX-License-Identifier: GPL-3.0-or-later
// list_attention: the reference by what it promises, and the CUDA kernels, run on the CPU, against the reference.
#include <QTest>
#include <set>

#include "tests/support/kernels/cuda_on_cpu.h"
// The kernels need the names that cuda_on_cpu.h gives them.
#include "tests/support/kernel_runs/list_attention.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::kernel_runs;
using kernel_cases::KvCase;

namespace {

struct TileOfRow {
  std::int64_t row;
  QueryTile tile;
};

std::vector<TileOfRow> tiles_of(const ListAttentionCase& c) {
  ListAttention args = c.args;
  if (!c.lists.empty()) args.tiles = c.tiles.data();
  std::vector<TileOfRow> all;
  for (std::int64_t row = 0; row < args.heads / args.heads_together; ++row)
    for (std::int32_t t = 0; t < args.tile_count; ++t) all.push_back({row, tile_of(args, t)});
  return all;
}

/// The places that a tile's lists or window name.
std::vector<std::int32_t> places_of(const ListAttentionCase& c, const TileOfRow& of) {
  ListAttention args = c.args;
  if (!c.lists.empty()) args.tiles = c.tiles.data(), args.lists = c.lists.data(), args.runs = c.runs.data();
  std::vector<std::int32_t> places;
  for (std::int32_t b = 0; b < args.band_count; ++b) {
    const TileKeys keys = keys_of(args, args.bands[b], of.row, of.tile);
    for (std::int32_t i = 0; i < keys.keys; ++i) {
      const KeyRun run = run_at(keys, find_run(keys, 0, keys.run_count, i));
      places.push_back(run.first + i - run.before);
    }
  }
  return places;
}

/// Keys and values of every place that no tile of the row's heads names become NaN.
void spoil_the_rest(ListAttentionCase& c) {
  std::set<std::pair<std::int32_t, std::int32_t>> of_prefix, of_segment;  // row and position
  for (const TileOfRow& of : tiles_of(c)) {
    const auto head = static_cast<std::size_t>(of.row * c.args.heads_together);
    for (const std::int32_t place : places_of(c, of)) {
      if (place < c.args.prefix_length)
        of_prefix.emplace(c.prefix.row[head], place);
      else
        of_segment.emplace(c.segment.row[head], place - c.args.prefix_length);
    }
  }
  const std::int64_t bytes = element_bytes(c.args.type), d = c.args.head_dim;
  const auto spoil = [&](KvCase& kv, std::int64_t length, const auto& kept) {
    const std::int64_t rows = kv.args.key_row_stride == 0 ? 0 : std::ssize(kv.keys) / bytes / kv.args.key_row_stride;
    for (std::int32_t row = 0; row < rows; ++row)
      for (std::int32_t position = 0; position < length; ++position) {
        if (kept.count({row, position}) > 0) continue;
        const auto fill = [&](Bytes& numbers, std::int64_t row_stride, std::int64_t position_stride) {
          std::fill_n(numbers.begin() + (row * row_stride + position * position_stride) * bytes, d * bytes,
                      std::byte{0xff});
        };
        fill(kv.keys, kv.args.key_row_stride, kv.args.key_position_stride);
        fill(kv.values, kv.args.value_row_stride, kv.args.value_position_stride);
      }
  };
  spoil(c.prefix, c.args.prefix_length, of_prefix);
  spoil(c.segment, c.args.length, of_segment);
}

}  // namespace

class ListAttentionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void device_code_equals_reference() {
    int lists = 0, windows = 0, together = 0, in_parts = 0, empty = 0;
    for (int n = 0; n < 260; ++n) {
      const ListAttentionCase c = kernel_cases::list_attention_case(n);
      const ListAttentionResult expected = run_reference(c);
      QVERIFY2(agree(c, run_device_code(c), expected), qPrintable(QString("case %1").arg(n)));
      lists += !c.lists.empty(), windows += c.lists.empty();
      together += c.args.heads_together > 1, in_parts += list_parts(c.args) > 1;
      for (const float sum : expected.log_sums) empty += std::isinf(sum);
    }
    QVERIFY(lists > 50 && windows > 50 && together > 20 && in_parts > 10 && empty > 20);
  }

  /// Scores of thousands: only the best key counts, and nothing overflows.
  void a_steep_softmax_picks_one_value() {
    for (int n = 0; n < 40; n += 2) {  // fp32
      ListAttentionCase c = kernel_cases::list_attention_case(n);
      c.args.scale = 40;
      QVERIFY2(kernel_cases::agree(run_device_code(c).output, run_reference(c).output, c.args.type, 1e-3),
               qPrintable(QString("case %1").arg(n)));
    }
  }

  /// With a scale of zero all weights are equal, and a log-sum counts the keys that a query sees: by a rule that is
  /// asked pair by pair here.
  void reference_sees_what_lists_and_windows_name() {
    for (int n = 0; n < 200; ++n) {
      ListAttentionCase c = kernel_cases::list_attention_case(n);
      c.args.scale = 0;
      const std::vector<float> log_sums = run_reference(c).log_sums;
      for (const TileOfRow& of : tiles_of(c)) {
        const std::vector<std::int32_t> places = places_of(c, of);
        for (std::int32_t query = of.tile.first; query < of.tile.first + of.tile.count; ++query) {
          const auto seen = std::count_if(places.begin(), places.end(), [&](std::int32_t place) {
            const std::int32_t own = c.places() - c.args.query_count + query;
            const auto* band = std::find_if(c.args.bands, c.args.bands + c.args.band_count,
                                            [&](const KeyBand& b) { return b.first <= place && place < b.end; });
            return own - place >= band->least && own - place < band->reach;
          });
          const auto at = static_cast<std::size_t>(of.row * c.args.heads_together * c.args.query_count + query);
          if (seen == 0)
            QVERIFY(std::isinf(log_sums[at]) && log_sums[at] < 0);
          else
            QVERIFY(std::abs(log_sums[at] - std::log(static_cast<float>(seen))) < 1e-5f);
        }
      }
    }
  }

  void a_query_that_sees_nothing_gets_zeros() {
    int zeros = 0;
    for (int n = 0; n < 120; ++n) {
      const ListAttentionCase c = kernel_cases::list_attention_case(n);
      const ListAttentionResult found = run_device_code(c);
      const std::vector<double> numbers = kernel_cases::numbers(found.output, c.args.type);
      for (std::int64_t head = 0; head < c.args.heads; ++head)
        for (std::int64_t query = 0; query < c.args.query_count; ++query) {
          if (!std::isinf(found.log_sums[static_cast<std::size_t>(head * c.args.query_count + query)])) continue;
          const auto begin = numbers.begin() + (query * c.args.heads + head) * c.args.head_dim;
          QVERIFY(std::all_of(begin, begin + c.args.head_dim, [](double number) { return number == 0; }));
          ++zeros;
        }
    }
    QVERIFY(zeros > 20);
  }

  /// Nothing that no list and no window names is read: NaN there changes no bit.
  void no_other_key_is_read() {
    int spoiled = 0;
    for (int n = 0; n < 120; ++n) {
      const ListAttentionCase c = kernel_cases::list_attention_case(n);
      ListAttentionCase less = c;
      spoil_the_rest(less);
      spoiled += less.prefix.keys != c.prefix.keys || less.segment.keys != c.segment.keys;
      QVERIFY2(run_device_code(less).output == run_device_code(c).output, qPrintable(QString("case %1").arg(n)));
    }
    QVERIFY(spoiled > 40);
  }

  /// The launch refuses what its packs would read misaligned: bases and strides that are no multiples of 16 bytes.
  void views_off_their_alignment_are_refused() {
    int refused = 0;
    for (int n = 0; n < kernel_cases::case_count; n += 9) {
      const ListAttentionCase c = kernel_cases::list_attention_case(n);
      PlacedArrays arrays(0);
      std::vector<float> log_sums;
      const ListAttention args = with_addresses(c, arrays, log_sums);
      QVERIFY(reads_aligned(args));
      const auto refuses = [&](auto&& change) {
        ListAttention changed = args;
        change(changed);
        return !reads_aligned(changed);
      };
      const auto later = [](const void* pointer) { return static_cast<const std::byte*>(pointer) + 8; };
      QVERIFY(refuses([&](ListAttention& a) { a.queries.data = later(a.queries.data); }));
      QVERIFY(refuses([](ListAttention& a) { a.queries.head_stride += 2; }));
      QVERIFY(refuses([&](ListAttention& a) { a.segment.keys = later(a.segment.keys); }));
      QVERIFY(refuses([&](ListAttention& a) { a.segment.values = later(a.segment.values); }));
      QVERIFY(refuses([](ListAttention& a) { a.segment.key_position_stride += 2; }));
      QVERIFY(refuses([](ListAttention& a) { a.segment.value_row_stride += 2; }));
      QVERIFY(refuses([](ListAttention& a) { a.output = static_cast<std::byte*>(a.output) + 8; }));
      refused += refuses([&](ListAttention& a) { a.prefix.values = later(a.prefix.values); });
      refused += refuses([&](ListAttention& a) { a.apart_queries.data = later(a.apart_queries.data); });
    }
    QVERIFY2(refused > 60, "a prefix and queries of their own that are there have to be aligned");
  }

  void parts_have_every_key_once() {
    for (const std::int64_t all : std::initializer_list<std::int64_t>{0, 1, 31, 32, 33, 700, 4096})
      for (const std::int64_t parts : {1, 2, 7})
        for (const int step : {16, 32}) {
          std::int64_t end = 0;
          for (std::int64_t part = 0; part < parts; ++part) {
            const PartOfKeys own = part_of_keys(all, part, parts, step);
            QVERIFY(own.begin == end && own.end >= end && (own.begin % step == 0 || own.begin == all));
            end = own.end;
          }
          QCOMPARE(end, all);
        }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ListAttentionTest>};
#include "list_attention_test.moc"
