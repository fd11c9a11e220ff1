// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "engine/cost/policy_table.h"
#include "engine/cost/visible_keys.h"
#include "engine/ops/elementwise.h"
#include "tests/support/run_layers.h"

namespace carryover::test {

/// Attention by its definition, over the whole text at once and a query at a time: a copy of it is turned to each key.
class PairByPair {
 public:
  /// Query t of a head sees token j where it is one of the first `sinks` or less than `window` back (0: all), from
  /// min(t, sinks + window − 1) − j positions away where sinks stand in the cache and else from t − j.
  struct Sees {
    std::int64_t sinks = 0, window = 0;
    bool sinks_in_cache = false;
  };

  PairByPair(const Decoder& decoder, std::int64_t tokens, std::function<Sees(int layer, int head)> sees)
      : decoder_(decoder),
        sees_(std::move(sees)),
        ropes_(decoder.config, decoder.config.rope, tokens, decoder.options()) {}

  at::Tensor run(const std::vector<std::int32_t>& ids) {
    return run_layers(decoder_, ids, [this](int layer, const Decoder::Projections& p) { return attend(layer, p); });
  }

 private:
  at::Tensor attend(int layer, const Decoder::Projections& p) {
    const std::int64_t m = p.queries.size(1), heads = p.queries.size(0), share = heads / p.keys.size(0);
    const RopeAngles turns = ropes_.of(layer).angles(0, m);  // of each distance
    at::Tensor out = at::zeros_like(p.queries);
    for (std::int64_t head = 0; head < heads; ++head) {
      const Sees sees = sees_(layer, static_cast<int>(head));
      for (std::int64_t query = 0; query < m; ++query) {
        std::vector<std::int64_t> seen, distances;
        for (std::int64_t key = 0; key <= query; ++key) {
          const bool sink = key < sees.sinks;
          if (sees.window > 0 && !sink && query - key >= sees.window) continue;
          const std::int64_t from = sink && sees.sinks_in_cache ? std::min(query, sees.sinks + sees.window - 1) : query;
          seen.push_back(key);
          distances.push_back(from - key);
        }
        const at::Tensor rows = at::tensor(seen, at::kLong), apart = at::tensor(distances, at::kLong);
        const at::Tensor turned = ops::rotate(p.queries[head][query].expand({1, rows.size(0), -1}).contiguous(),
                                              turns.cos.index_select(0, apart), turns.sin.index_select(0, apart))[0];
        const at::Tensor scores = (turned * p.keys[head / share].index_select(0, rows)).sum(1) /
                                  std::sqrt(static_cast<double>(p.keys.size(2)));
        out[head][query] = scores.to(at::kDouble).softmax(0).matmul(p.values[head / share].index_select(0, rows));
      }
    }
    return out.transpose(0, 1).reshape({m, -1});
  }

  const Decoder& decoder_;
  std::function<Sees(int layer, int head)> sees_;
  Ropes ropes_;
};

inline double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

/// A random model and configuration, and a text for policies that run in chunks.
struct ChunkedCase {
  std::mt19937 random;
  ModelConfig model;
  SegmentConfig config;
  std::vector<std::int32_t> ids;
  TinyDecoder tiny;

  explicit ChunkedCase(unsigned seed, at::ScalarType type = at::kDouble)
      : random(seed),
        model(random_tiny_config(random)),
        config(random_small_config(random, model)),
        ids(distinct_ids(random, draw(random, 1, 150), model.vocabulary)),
        tiny(model, seed, type) {}

  std::int64_t segments() const { return (std::ssize(ids) - 1) / config.segment_length + 1; }
  at::Tensor segment(const std::vector<std::int32_t>& text, std::int64_t index) const {
    const std::int64_t first = index * config.segment_length;
    return as_tensor(text).narrow(0, first, std::min(config.segment_length, std::ssize(text) - first));
  }

  /// Two runs share the state behind the first half of the segments, and the second one goes on with other tokens: how
  /// far each one's last segment is from that of a run of its own. Nothing for a text of fewer than four segments.
  std::optional<std::pair<double, double>> differences_of_branches(const std::string& policy) const {
    if (segments() < 4) return std::nullopt;
    const std::int64_t half = segments() / 2;
    std::vector<std::int32_t> others = ids;
    std::reverse(others.begin() + half * config.segment_length, others.end());
    PreparedRun one(tiny.decoder, {policy, config, std::ssize(ids)}),
        two(tiny.decoder, {policy, config, std::ssize(ids)});
    for (std::int64_t index = 0; index < half; ++index) one.runner().run_segment(segment(ids, index));
    two.runner().resume(one.runner().state().clone());
    at::Tensor last, other_last;
    for (std::int64_t index = half; index < segments(); ++index) {
      last = one.runner().run_segment(segment(ids, index));
      other_last = two.runner().run_segment(segment(others, index));
    }
    const auto from_its_own = [&](const at::Tensor& rows, const std::vector<std::int32_t>& text) {
      const at::Tensor all = run_hidden(tiny.decoder, policy, config, text);
      return largest_difference(rows, all.narrow(0, all.size(0) - rows.size(0), rows.size(0)));
    };
    return std::pair(from_its_own(last, ids), from_its_own(other_last, others));
  }

  /// By turns a segment at once and one token by token: what is held, and what the last token saw, is to the byte what
  /// the cost model says. `entries`: of the state, behind so many tokens.
  void check_bytes(const std::string& policy, const std::function<std::int64_t(std::int64_t tokens)>& entries) const {
    const CostModel cost{model, config, static_cast<int>(tiny.decoder.options().dtype().itemsize())};
    PreparedRun prepared(tiny.decoder, {policy, config, std::ssize(ids)});
    SegmentRunner& runner = prepared.runner();
    std::int64_t tokens = 0;
    for (std::int64_t index = 0; index < segments(); ++index) {
      const at::Tensor own = segment(ids, index);
      if (index % 2 == 0) runner.run_segment(own);
      for (std::int64_t token = 0; index % 2 == 1 && token < own.size(0); ++token) {
        runner.extend(own.narrow(0, token, 1));
        QCOMPARE(static_cast<double>(runner.attention_kv_bytes()), visible_bytes(cost, policy, tokens + token));
      }
      if (index % 2 == 1) runner.close();
      tokens += own.size(0);
      const MemoryBytes plan = policy_row(policy).memory(cost, tokens, {});
      QCOMPARE(runner.state().pool_bytes(), plan.pool);
      QCOMPARE(runner.attention_kv_bytes(), plan.attention_kv);
      QCOMPARE(runner.state().pool_entries(), entries(tokens));
    }
  }

  /// Returns how far hidden states are apart between the whole text at once and segments, single tokens and random
  /// chunks.
  double largest_difference_of_chunks(const std::string& policy) {
    SegmentConfig whole = config;
    whole.segment_length = std::ssize(ids);
    const at::Tensor expected = run_hidden(tiny.decoder, policy, whole, ids);
    const std::vector<Chunking> chunkings = {
        {}, [](std::int64_t) { return 1; }, [this](std::int64_t left) { return draw(random, 1, left); }};
    double most = 0;
    for (const Chunking& chunking : chunkings)
      most = std::max(most, largest_difference(run_hidden(tiny.decoder, policy, config, ids, chunking), expected));
    return most;
  }
};

/// differences_of_branches() of cases of these seeds, of which more than `least` are long enough.
template <typename Case>
void check_branches(const std::string& policy, unsigned first, unsigned end, int least) {
  const at::NoGradGuard no_gradients;
  int shared = 0;
  for (unsigned seed = first; seed < end; ++seed) {
    const auto off = Case(seed).differences_of_branches(policy);
    if (!off) continue;
    QVERIFY(off->first < 1e-12);
    QVERIFY(off->second < 1e-12);
    ++shared;
  }
  QVERIFY(shared > least);
}

}  // namespace carryover::test
