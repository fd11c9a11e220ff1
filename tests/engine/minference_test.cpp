// SPDX-License-Identifier: GPL-3.0-or-later
// MInference (policy minference): against attention under a mask that is made from MInference's description by sorting
// sums, without the engine's index.
#include "engine/policies/minference/minference.h"

#include <QTest>
#include <set>

#include "engine/policies/minference/minference_settings.h"
#include "tests/support/dense_by_mask.h"
#include "tests/support/pair_by_pair.h"
#include "tests/support/policy_facts.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

using Place = std::pair<double, std::int64_t>;

/// The places of the `count` largest, of which those that `forced` says come first.
std::set<std::int64_t> best(const std::vector<double>& sums, std::int64_t count,
                            const std::function<bool(std::int64_t)>& forced) {
  std::vector<Place> order;
  for (std::int64_t i = 0; i < std::ssize(sums); ++i)
    order.emplace_back(forced(i) ? -1e9 + static_cast<double>(i) : -sums[static_cast<std::size_t>(i)], i);
  std::ranges::sort(order);
  std::set<std::int64_t> places;
  for (std::int64_t i = 0; i < std::min(count, std::ssize(order)); ++i)
    places.insert(order[static_cast<std::size_t>(i)].second);
  return places;
}

/// One head's mask for queries [first, end) of a chunk, into `mask`, [n, n].
class HeadMask {
 public:
  HeadMask(at::Tensor mask, at::Tensor queries, at::Tensor keys, std::int64_t first, std::int64_t end)
      : mask_(std::move(mask)), queries_(std::move(queries)), keys_(std::move(keys)), first_(first), end_(end) {}

  void fill(const HeadPattern& pattern) {
    if (pattern.kind == PatternKind::AShape)
      for (std::int64_t query = first_; query < end_; ++query)
        for (std::int64_t key = 0; key <= query; ++key)
          if (key < pattern.vertical || query - key < pattern.slash) see(query, key);
    if (pattern.kind == PatternKind::BlockSparse) fill_blocks(pattern.vertical);
    if (pattern.kind == PatternKind::VerticalSlash) fill_lines(pattern.vertical, pattern.slash);
  }

 private:
  void see(std::int64_t query, std::int64_t key) { mask_.data_ptr<bool>()[query * mask_.size(1) + key] = true; }

  void fill_blocks(std::int64_t count) {
    for (std::int64_t begin = first_; begin < end_;) {
      const std::int64_t block = begin / 64, end = std::min(end_, 64 * (block + 1));
      const at::Tensor query = queries_.narrow(0, begin, end - begin).sum(0);
      std::vector<double> products;
      for (std::int64_t other = 0; other <= block; ++other)
        products.push_back(keys_.narrow(0, 64 * other, std::min<std::int64_t>(64, end_ - 64 * other))
                               .sum(0)
                               .dot(query)
                               .item<double>());
      std::set<std::int64_t> seen = best(products, count, [](std::int64_t) { return false; });
      seen.insert(block);
      for (const std::int64_t other : seen)
        for (std::int64_t q = begin; q < end; ++q)
          for (std::int64_t key = 64 * other; key < std::min(64 * (other + 1), q + 1); ++key) see(q, key);
      begin = end;
    }
  }

  void fill_lines(std::int64_t columns, std::int64_t diagonals) {
    std::vector<double> by_column(static_cast<std::size_t>(end_)), by_distance(by_column);
    for (std::int64_t query = std::max(first_, end_ - 64); query < end_; ++query) {
      const at::Tensor weights =
          (keys_.narrow(0, 0, query + 1).mv(queries_[query]) / std::sqrt(static_cast<double>(keys_.size(1))))
              .softmax(0);
      for (std::int64_t key = 0; key <= query; ++key) {
        by_column[static_cast<std::size_t>(key)] += weights[key].item<double>();
        by_distance[static_cast<std::size_t>(query - key)] += weights[key].item<double>();
      }
    }
    const auto vertical =
        best(by_column, std::max<std::int64_t>(columns, 30), [](std::int64_t key) { return key < 30; });
    const auto slash =
        best(by_distance, std::max<std::int64_t>(diagonals, 50), [](std::int64_t distance) { return distance < 100; });
    for (std::int64_t query = first_; query < end_; ++query) {
      const std::int64_t tile_end = (query / 64 + 1) * 64;
      std::int64_t run_end = -1;
      for (auto distance = slash.rbegin(); distance != slash.rend(); ++distance) {  // the furthest first
        if (*distance >= tile_end) continue;
        const std::int64_t block_end = std::max<std::int64_t>(tile_end - *distance, 64);
        const std::int64_t from = run_end < 0 || block_end > run_end + 64 ? block_end - 64 : run_end;
        if (block_end <= run_end) continue;
        run_end = from + 64;
        for (std::int64_t key = from; key < std::min(run_end, query + 1); ++key) see(query, key);
      }
      for (const std::int64_t key : vertical)
        if (key < run_end && key <= query) see(query, key);
    }
  }

  at::Tensor mask_, queries_, keys_;
  std::int64_t first_, end_;
};

HeadPattern random_pattern(std::mt19937& random) {
  switch (draw(random, 0, 2)) {
    case 0:
      return {PatternKind::AShape, draw(random, 1, 8), draw(random, 1, 60), 1};
    case 1:
      return {PatternKind::BlockSparse, draw(random, 1, 3), 1, 1};
    default:
      return {PatternKind::VerticalSlash, draw(random, 1, 60), draw(random, 1, 160), 1};
  }
}

struct PatternCase : ChunkedCase {
  explicit PatternCase(unsigned seed) : ChunkedCase(seed) {
    ids = random_ids(random, draw(random, 1, 330), model.vocabulary);
    config.segment_length = draw(random, 1, 400);
    for (int layer = 0; layer < model.layers; ++layer)
      for (int head = 0; head < model.heads; ++head)
        if (draw(random, 0, 3) > 0)
          config.of<MinferenceSettings>().head_patterns.set(layer, head, random_pattern(random));
  }

  at::Tensor expected() {
    return DenseByMask(tiny.decoder, std::ssize(ids),
                       [this](int layer, const at::Tensor& q, const at::Tensor& k) {
                         const std::int64_t n = q.size(1);
                         at::Tensor mask = at::zeros({q.size(0), n, n}, at::kBool);
                         for (int head = 0; head < model.heads; ++head)
                           for (std::int64_t first = 0; first < n; first += config.segment_length) {
                             const std::int64_t end = std::min(n, first + config.segment_length);
                             if (end - first == 1)  // a decoded token sees everything
                               mask[head][first].fill_(true);
                             else
                               HeadMask(mask[head], q[head], k[head / model.group_size()], first, end)
                                   .fill(config.of<MinferenceSettings>().head_patterns.at(layer, head));
                           }
                         return mask;
                       })
        .run(ids);
  }
};

}  // namespace

class MinferenceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_equals_the_definition() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 0; seed < 24; ++seed) {
      PatternCase c(seed);
      const double off = largest_difference(run_hidden(c.tiny.decoder, "minference", c.config, c.ids), c.expected());
      record_fact("minference", kReferenceFact, off);
      if (std::ssize(c.ids) > c.config.segment_length) record_fact("minference", kChunksFact, off);  // several chunks
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
    }
  }

  /// Patterns that list everything are full attention; so are decoded tokens behind any prompt.
  void everything_listed_is_full_attention() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 40; seed < 50; ++seed) {
      PatternCase c(seed);
      c.config.of<MinferenceSettings>().head_patterns = {};
      const Chunking one_by_one = [](std::int64_t) { return 1; };
      QVERIFY(largest_difference(run_hidden(c.tiny.decoder, "minference", c.config, c.ids),
                                 run_hidden(c.tiny.decoder, "full", c.config, c.ids)) < 1e-10);
      c.config.of<MinferenceSettings>().head_patterns.set(0, 0, {PatternKind::AShape, 1, 1, 1});
      QVERIFY(largest_difference(run_hidden(c.tiny.decoder, "minference", c.config, c.ids, one_by_one),
                                 run_hidden(c.tiny.decoder, "full", c.config, c.ids)) < 1e-10);
    }
  }

  /// The check can fail: another pattern is another result.
  void another_pattern_is_another_result() {
    const at::NoGradGuard no_gradients;
    PatternCase c(60);
    c.ids = random_ids(c.random, 300, c.model.vocabulary);
    c.config.segment_length = 300;
    c.config.of<MinferenceSettings>().head_patterns = {};
    for (int layer = 0; layer < c.model.layers; ++layer)
      for (int head = 0; head < c.model.heads; ++head)
        c.config.of<MinferenceSettings>().head_patterns.set(layer, head, {PatternKind::AShape, 4, 20, 1});
    const at::Tensor expected = c.expected();
    c.config.of<MinferenceSettings>().head_patterns.set(0, 0, {PatternKind::AShape, 4, 21, 1});
    QVERIFY(largest_difference(run_hidden(c.tiny.decoder, "minference", c.config, c.ids), expected) > 1e-6);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<MinferenceTest>};
#include "minference_test.moc"
