// SPDX-License-Identifier: GPL-3.0-or-later
// Retrieval (app:retrieval) against the plain reference on inputs whose sums are exact: equal indices, kinds and
// scores.
#include "engine/method/retriever.h"

#include <QTest>

#include "engine/base/error.h"
#include "tests/support/slow_retrieval.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

at::Tensor rows_tensor(const std::vector<slow::Vector>& rows, at::ScalarType type) {
  at::Tensor tensor =
      at::empty({1, static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())}, at::kDouble);
  double* out = tensor.mutable_data_ptr<double>();
  for (const slow::Vector& row : rows) out = std::copy(row.begin(), row.end(), out);
  return tensor.to(type);
}

/// One layer, one head, that retrieves.
ModelConfig one_head(std::int64_t head_dim) {
  ModelConfig model = tiny_config(1, 1, 1, head_dim, 16);
  return model;
}

RetrievedPrefix retrieve(const slow::RetrievalCase& c, at::ScalarType type, const std::vector<HeadHits>& forced = {}) {
  const ModelConfig model = one_head(static_cast<std::int64_t>(c.queries[0].size()));
  SegmentConfig config = c.config;
  config.grouping = Grouping({0}, {{0}});
  RetrievalPool pool(config, model, at::TensorOptions().dtype(type), 1);
  const at::Tensor keys = rows_tensor(c.keys, type);
  for (std::int64_t done = 0; done < keys.size(1);) {  // in several appends: it grows
    const std::int64_t count = std::min<std::int64_t>(37, keys.size(1) - done);
    pool.append({keys.narrow(1, done, count)}, {keys.narrow(1, done, count) + 1}, count);
    done += count;
  }
  const auto held = static_cast<std::int64_t>(c.queries.size()), tail = std::min(config.query_length, held);
  const at::Tensor queries = rows_tensor(c.queries, type).narrow(1, held - tail, tail);
  return Retriever(config, model, forced).retrieve({queries}, {pool, 7}, at::kCPU);
}

}  // namespace

class RetrieverTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void equals_the_plain_reference_on_1000_cases() {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      slow::RetrievalCase c = slow::random_retrieval_case(seed);
      if (c.keys.empty()) c.keys = {c.queries[0]};  // the empty pool has a test of its own
      const at::ScalarType type = seed % 3 == 0 ? at::kFloat : seed % 3 == 1 ? at::kBFloat16 : at::kDouble;
      const RetrievedPrefix prefix = retrieve(c, type);
      const std::vector<Hit> expected = slow::retrieve(c.queries, c.keys, c.config);
      QCOMPARE(prefix.hits.size(), std::size_t{1});
      QCOMPARE(prefix.hits[0].segment, 7);
      QVERIFY2(prefix.hits[0].hits == expected, qPrintable(QString("seed %1").arg(seed)));
      const auto length = static_cast<std::int64_t>(expected.size());
      QCOMPARE(prefix.layers[0].far.keys.size(1), length);
      const at::Tensor keys = rows_tensor(c.keys, type);
      for (std::int64_t j = 0; j < length; ++j) {
        const std::int64_t position = expected[static_cast<std::size_t>(j)].position;
        QVERIFY(prefix.layers[0].far.keys[0][j].equal(keys[0][position]));
        QVERIFY(prefix.layers[0].far.values[0][j].equal(keys[0][position] + 1));
      }
    }
  }

  void nothing_is_retrieved_from_an_empty_pool() {
    SegmentConfig config;
    config.grouping = Grouping({0}, {{0}});
    RetrievalPool pool(config, one_head(8), at::TensorOptions().dtype(at::kFloat), 16);
    const RetrievedPrefix prefix =
        Retriever(config, one_head(8), {}).retrieve({at::ones({1, 4, 8})}, {pool, 0}, at::kCPU);
    QVERIFY(prefix.hits.empty());
    QVERIFY(!prefix.layers[0].far.keys.defined());
  }

  /// As a short prompt's: what follows it is no sink, and is searched.
  void sinks_are_of_the_first_segment_alone() {
    SegmentConfig config;
    config.grouping = Grouping({0}, {{0}});
    config.sink_length = 4;
    config.retrieval_length = 8;
    RetrievalPool pool(config, one_head(8), at::TensorOptions().dtype(at::kFloat), 16);
    for (const std::int64_t count : {2, 5}) {
      const at::Tensor rows = at::ones({1, count, 8});
      pool.append({rows}, {rows}, count);
    }
    QCOMPARE(pool.first_searched(), std::int64_t{2});
    const RetrievedPrefix prefix =
        Retriever(config, one_head(8), {}).retrieve({at::ones({1, 4, 8})}, {pool, 2}, at::kCPU);
    QCOMPARE(prefix.hits.at(0).hits.size(), std::size_t{5});
    QCOMPARE(prefix.hits.at(0).hits.front().position, std::int64_t{2});
  }

  void exact_ties_at_a_cut_are_counted_as_close() {
    slow::RetrievalCase c;
    c.config.top_k = 2;
    c.config.retrieval_length = 4;
    c.config.expand_before = c.config.expand_after = 0;
    c.config.anchors = 4;
    c.queries = {slow::Vector(8, 1.0)};
    c.keys = {slow::Vector(8, 3.0), slow::Vector(8, 1.0), slow::Vector(8, 1.0), slow::Vector(8, 0.0),
              slow::Vector(8, -1.0)};
    QCOMPARE(retrieve(c, at::kFloat).near_ties, 2);  // both summaries tie at their second key
    c.keys[2] = slow::Vector(8, 0.5);
    QCOMPARE(retrieve(c, at::kFloat).near_ties, 0);
  }

  void forced_hits_replace_the_search_and_are_checked() {
    const slow::RetrievalCase c = slow::random_retrieval_case(11);
    HeadHits forced{7, 0, 0, {}};
    const std::size_t length = slow::retrieve(c.queries, c.keys, c.config).size();
    for (std::size_t j = 0; j < length; ++j)
      forced.hits.push_back({static_cast<std::int64_t>(j), HitKind::Anchor, 1, static_cast<std::int64_t>(j), 0});
    const RetrievedPrefix prefix = retrieve(c, at::kFloat, {forced});
    QVERIFY(prefix.hits[0].hits == forced.hits);
    forced.hits.back().position = static_cast<std::int64_t>(c.keys.size());
    QVERIFY_THROWS_EXCEPTION(EngineError, retrieve(c, at::kFloat, {forced}));
  }

  void heads_of_a_layer_are_forced_to_as_many_as_the_others_read() {
    const ModelConfig model = tiny_config(1, 2, 1, 8, 16);
    SegmentConfig config;
    config.grouping = Grouping({0}, {{0, 1}});
    RetrievalPool pool(config, model, at::TensorOptions().dtype(at::kFloat), 16);
    const at::Tensor rows = at::arange(16 * 8, at::kFloat).view({1, 16, 8});
    pool.append({rows}, {rows}, 16);
    for (const int head : {0, 1}) {
      const HeadHits nothing{7, 0, head, {}};
      QVERIFY_THROWS_EXCEPTION(
          EngineError, Retriever(config, model, {nothing}).retrieve({at::ones({2, 4, 8})}, {pool, 7}, at::kCPU));
    }
    const RetrievedPrefix none =
        Retriever(config, model, {{7, 0, 0, {}}, {7, 0, 1, {}}}).retrieve({at::ones({2, 4, 8})}, {pool, 7}, at::kCPU);
    QVERIFY(!none.layers[0].far.keys.defined());
  }

  void more_than_the_pool_holds_can_be_asked_for() {
    slow::RetrievalCase c = slow::random_retrieval_case(12);
    c.config.top_k = std::int64_t{1} << 40;
    const RetrievedPrefix prefix = retrieve(c, at::kFloat);
    c.config.top_k = std::ssize(c.keys);
    QVERIFY(prefix.hits[0].hits == slow::retrieve(c.queries, c.keys, c.config));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RetrieverTest>};
#include "retriever_test.moc"
