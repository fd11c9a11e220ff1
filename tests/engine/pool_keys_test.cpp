// SPDX-License-Identifier: GPL-3.0-or-later
// Keys in fewer bits: retrieval over them is exact retrieval over what they were rounded to, and they take the bytes
// that were promised.
#include <QTest>
#include <limits>

#include "engine/cost/cost_model.h"
#include "engine/method/retriever.h"
#include "tests/support/expect_error.h"
#include "tests/support/slow_retrieval.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr PoolKeys kRounded[] = {PoolKeys::BFloat16, PoolKeys::Int8};
constexpr at::ScalarType kTypes[] = {at::kFloat, at::kBFloat16, at::kDouble};

/// Returns the keys [slots, n, d] as a pool stores them, by the formats' definitions, in fp32.
at::Tensor rounded(const at::Tensor& keys, PoolKeys format) {
  const at::Tensor exact = keys.to(at::kFloat);
  if (format == PoolKeys::BFloat16) return exact.to(at::kBFloat16).to(at::kFloat);
  const at::Tensor scales = exact.abs().amax(-1, true) / 127;
  return (exact / scales).round().clamp(-127, 127) * scales;
}

/// One head's retrieval from a pool that was appended to in several steps, so that it grew.
RetrievedPrefix retrieve(SegmentConfig config, PoolKeys format, const at::Tensor& keys, const at::Tensor& queries,
                         std::vector<TokenRange> banned = {}) {
  const ModelConfig model = tiny_config(1, 1, 1, keys.size(2), 16);
  config.pool_keys = format;
  config.grouping = Grouping({0}, {{0}});
  config.segment_length = 16;
  RetrievalPool pool(config, model, at::TensorOptions().dtype(keys.scalar_type()), 1);
  for (std::int64_t done = 0, count; done < keys.size(1); done += count) {
    count = std::min<std::int64_t>(37, keys.size(1) - done);
    pool.append({keys.narrow(1, done, count)}, {keys.narrow(1, done, count) + 1}, count);
  }
  const std::int64_t tail = std::min(config.query_length, queries.size(1));
  return Retriever(config, model, {}, std::move(banned))
      .retrieve({queries.narrow(1, queries.size(1) - tail, tail)}, {pool, 3}, at::kCPU);
}

at::Tensor tensor_of(const std::vector<slow::Vector>& rows) {
  at::Tensor tensor =
      at::empty({1, static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())}, at::kDouble);
  double* out = tensor.mutable_data_ptr<double>();
  for (const slow::Vector& row : rows) out = std::copy(row.begin(), row.end(), out);
  return tensor.to(at::kFloat);
}

std::vector<slow::Vector> rows_of(const at::Tensor& keys) {
  const at::Tensor in_fp64 = keys[0].to(at::kDouble).contiguous();
  std::vector<slow::Vector> rows;
  for (std::int64_t row = 0; row < in_fp64.size(0); ++row) {
    const double* values = in_fp64.const_data_ptr<double>() + row * in_fp64.size(1);
    rows.emplace_back(values, values + in_fp64.size(1));
  }
  return rows;
}

/// Keys of which a format keeps every bit of a part, and rounds the rest: sums over them stay exact in fp32.
void respell(std::vector<slow::Vector>& keys, PoolKeys format) {
  for (slow::Vector& key : keys)
    for (std::size_t c = 0; c < key.size(); ++c) {
      if (format == PoolKeys::BFloat16) {
        key[c] = 2 * key[c] + static_cast<double>(c % 3) / 64;  // 9 bits from 4 on: bf16 has 8
      } else {
        key[c] = c == 0 ? -127.0 / 32 : std::nearbyint(key[c] * 127 / 4) / 32;  // so that the scale is 1/32
      }
    }
}

std::size_t bytes_of(const LayerPool& pool) {
  return pool.keys.rows.nbytes() + (pool.keys.scales.defined() ? pool.keys.scales.nbytes() : 0) + pool.values.nbytes();
}

}  // namespace

class PoolKeysTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    at::manual_seed(11);
    at::set_num_threads(1);
  }

  void names_and_default() {
    QCOMPARE(SegmentConfig().pool_keys, PoolKeys::Model);
    const char* names[] = {"model", "bf16", "int8"};
    for (std::size_t i = 0; i < kPoolKeysNames.size(); ++i)
      QCOMPARE(std::string(kPoolKeysNames[i]), std::string(names[i]));
  }

  void hits_are_those_of_exact_retrieval_over_the_rounded_keys() {
    std::size_t moved = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const slow::RetrievalCase c = slow::random_retrieval_case(seed);
      const at::ScalarType type = kTypes[seed % 3];
      const std::int64_t pool = seed % 50 == 0 ? 9000 : 1 + static_cast<std::int64_t>(seed), d = c.queries[0].size();
      const at::Tensor keys = (at::randn({1, pool, d}) * at::rand({1, pool, 1})).to(type);
      const at::Tensor queries = tensor_of(c.queries).to(type);  // their means are exact in each type
      std::vector<TokenRange> banned;
      if (seed % 4 == 1) banned.push_back({pool / 3, pool / 2});
      const RetrievedPrefix as_is = retrieve(c.config, PoolKeys::Model, keys, queries, banned);
      for (const PoolKeys format : kRounded) {
        const RetrievedPrefix prefix = retrieve(c.config, format, keys, queries, banned);
        const RetrievedPrefix exact =
            retrieve(c.config, PoolKeys::Model, rounded(keys, format), queries.to(at::kFloat), banned);
        QVERIFY2(prefix.hits == exact.hits, qPrintable(QString("seed %1").arg(seed)));
        QCOMPARE(prefix.near_ties, exact.near_ties);
        moved += !(prefix.hits == as_is.hits);
        QCOMPARE(prefix.layers[0].far.keys.scalar_type(), type);
        QVERIFY(prefix.layers[0].far.keys.equal(exact.layers[0].far.keys.to(type)));
        for (std::size_t j = 0; j < prefix.hits[0].hits.size(); ++j)
          QVERIFY(prefix.layers[0].far.values[0][static_cast<std::int64_t>(j)].equal(
              keys[0][prefix.hits[0].hits[j].position] + 1));
      }
    }
    QVERIFY(moved > 20);  // rounding was not for nothing
  }

  void equals_the_plain_reference_over_the_rounded_keys() {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      slow::RetrievalCase c = slow::random_retrieval_case(seed);
      if (c.keys.empty()) c.keys = {c.queries[0]};
      const PoolKeys format = kRounded[seed % 2];
      respell(c.keys, format);
      const at::Tensor keys = tensor_of(c.keys);
      const RetrievedPrefix prefix = retrieve(c.config, format, keys, tensor_of(c.queries));
      const std::vector<Hit> expected = slow::retrieve(c.queries, rows_of(rounded(keys, format)), c.config);
      QVERIFY2(prefix.hits[0].hits == expected, qPrintable(QString("seed %1").arg(seed)));
    }
  }

  void the_models_own_format_keeps_every_bit() {
    for (const at::ScalarType type : kTypes) {
      const at::Tensor keys = at::randn({2, 50, 6}).to(type);
      ops::StoredKeys stored = ops::StoredKeys::empty(PoolKeys::Model, 2, 6, at::TensorOptions().dtype(type));
      stored.rows = at::empty({2, 60, 6}, type);
      stored.store(keys, 3);
      QVERIFY(stored.rows.narrow(1, 3, 50).equal(keys));
      QVERIFY(!stored.scales.defined());
      QVERIFY(stored.upcast(1, 3, 50).equal(keys[1].to(type == at::kDouble ? at::kDouble : at::kFloat)));
    }
  }

  void int8_is_off_by_half_a_step_at_most() {
    at::Tensor keys = at::randn({1, 400, 33}) * at::pow(10.0, at::randint(-30, 30, {1, 400, 1}));
    keys[0][7].zero_();
    ops::StoredKeys stored = ops::StoredKeys::empty(PoolKeys::Int8, 1, 33, at::TensorOptions().dtype(at::kFloat));
    stored.rows = at::empty({1, 400, 33}, at::kChar);
    stored.scales = at::empty({1, 400}, at::kFloat);
    stored.store(keys, 0);
    const at::Tensor most = keys[0].abs().amax(-1, true).to(at::kDouble);
    const at::Tensor error = (stored.upcast(0, 0, 400).to(at::kDouble) - keys[0].to(at::kDouble)).abs();
    QVERIFY((error <= most / 127 * 0.50001).all().item<bool>());
    QVERIFY(stored.upcast(0, 7, 1).equal(at::zeros({1, 33})));

    for (const float broken : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      at::Tensor row = at::ones({1, 1, 33});
      row[0][0][5] = broken;
      stored.store(row, 0);
      QVERIFY(stored.upcast(0, 0, 1).isnan().all().item<bool>());  // never kept by a ranking
    }
  }

  void a_pool_holds_the_bytes_that_were_predicted() {
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
      const std::int64_t kv_heads = draw(random, 1, 3);
      const ModelConfig model = tiny_config(3, kv_heads * draw(random, 1, 3), kv_heads, 2 * draw(random, 1, 6));
      SegmentConfig config = random_segment_config(random, model);
      config.pool_keys = static_cast<PoolKeys>(i % 3);
      const at::TensorOptions options = at::TensorOptions().dtype(kTypes[i / 3 % 3]);
      const CostModel cost{model, config, static_cast<int>(options.dtype().itemsize())};
      RetrievalPool pool(config, model, options, 0);
      std::vector<at::Tensor> past(3);
      for (int l = 0; l < 3; ++l)
        if (const auto slots = std::ssize(pool.layer(l).kv_heads); slots > 0)
          past[static_cast<std::size_t>(l)] = at::zeros({slots, 10, model.head_dim}, options);
      pool.append(past, past, 10);
      QCOMPARE(pool.bytes(), cost.pool_bytes(pool.entries()));
      std::size_t reserved = 0;
      std::int64_t capacity = 0;
      for (int l = 0; l < 3; ++l)
        if (!pool.layer(l).kv_heads.empty()) {
          reserved += bytes_of(pool.layer(l));
          capacity = pool.layer(l).values.size(1);
        }
      QCOMPARE(static_cast<std::int64_t>(reserved), cost.pool_bytes(capacity));
    }
  }

  void a_shared_copy_grows_by_itself() {
    for (const PoolKeys format : {PoolKeys::Model, PoolKeys::BFloat16, PoolKeys::Int8}) {
      const ModelConfig model = tiny_config(1, 1, 1, 8, 16);
      SegmentConfig config;
      config.grouping = Grouping({0}, {{0}});
      config.segment_length = 100;
      config.pool_keys = format;
      const at::Tensor first = at::randn({1, 10, 8}), one = at::randn({1, 10, 8}), other = at::randn({1, 10, 8});
      RetrievalPool pool(config, model, at::TensorOptions().dtype(at::kFloat), 100);
      pool.append({first}, {first}, 10);
      RetrievalPool copy = pool;
      copy.share();
      copy.append({other}, {other}, 10);
      pool.append({one}, {one}, 10);
      const auto held = [&](const at::Tensor& keys) {
        return format == PoolKeys::Model ? keys[0] : rounded(keys, format)[0];
      };
      QVERIFY(pool.layer(0).keys.upcast(0, 0, 20).equal(at::cat({held(first), held(one)})));
      QVERIFY(copy.layer(0).keys.upcast(0, 0, 20).equal(at::cat({held(first), held(other)})));
    }
  }

  void a_gpu_is_not_given_int8_keys() {
    const ModelConfig model = tiny_config(1, 1, 1, 8, 16);
    SegmentConfig config;
    config.grouping = Grouping({0}, {{0}});
    config.pool_keys = PoolKeys::Int8;
    const auto make = [&] { RetrievalPool(config, model, at::TensorOptions().device(at::kCUDA), 100); };
    QCOMPARE(unlike(Fault::Unsupported, "pool_keys bf16, pool_on_host", make), "");
    config.pool_on_host = true;
    make();
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PoolKeysTest>};
#include "pool_keys_test.moc"
