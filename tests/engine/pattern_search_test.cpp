// SPDX-License-Identifier: GPL-3.0-or-later
// The pattern that a search gives to a head is the one that its definition says, and what it says of it is what a run
// under policy minference does.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/heads/choice/head_pattern_file.h"
#include "engine/heads/pattern_choice.h"
#include "engine/method/pattern_index.h"
#include "engine/ops/prefix_attention.h"
#include "engine/policies/minference/minference_settings.h"
#include "engine/policies/registry.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr std::int64_t kTokens = 1100;  // whose last tile is not full

struct Case {
  std::mt19937 random;
  ModelConfig model;
  TinyDecoder tiny;
  PatternSearchRequest request;
  RunControl control;

  explicit Case(unsigned seed) : random(seed), model(random_tiny_config(random)), tiny(model, seed, at::kDouble) {
    request.most_keys = 1;
    request.ids = std::make_shared<const std::vector<std::int32_t>>(random_ids(random, kTokens, model.vocabulary));
  }

  FoundPatterns find() { return search_patterns(tiny.decoder, request, control); }

  /// Returns the outputs of each layer's heads under a policy, [H, N, d] each; the text is one chunk.
  std::vector<at::Tensor> outputs(const std::string& policy, const HeadPatterns& patterns) const {
    const at::NoGradGuard no_gradients;
    SegmentConfig config = SegmentConfig::defaults_for(model);
    config.segment_length = kTokens;
    config.of<MinferenceSettings>().head_patterns = patterns;
    const auto own = make_policy(policy, {config, model, tiny.decoder.options(), kTokens, {}});
    Ropes ropes(model, model.rope, kTokens, tiny.decoder.options());
    std::vector<at::Tensor> by_layer;
    ForwardContext forward{tiny.decoder, *own, ropes, {}, false, {}};
    forward.hook = {{ForwardPoint::HeadOutputs}, [&](ForwardPoint, int, const at::Tensor& heads) {
                      by_layer.push_back(heads.reshape({kTokens, model.heads, model.head_dim}).transpose(0, 1).clone());
                      return heads;
                    }};
    SegmentRunner(std::move(forward), config).peek_segment(as_tensor(*request.ids));
    return by_layer;
  }
};

/// Share of values that differ by more than the tolerance.
double share_off(const at::Tensor& a, const at::Tensor& b) {
  return static_cast<double>((a - b).abs().gt(kPatternTolerance).sum().item<std::int64_t>()) /
         static_cast<double>(a.numel());
}

at::Tensor normal_rows(std::mt19937& random, std::int64_t n, std::int64_t d, double scale) {
  std::normal_distribution<double> normal(0, scale);
  at::Tensor rows = at::empty({n, d}, at::kDouble);
  for (std::int64_t i = 0; i < rows.numel(); ++i) rows.data_ptr<double>()[i] = normal(random);
  return rows;
}

/// One head that looks where a test says: rows are zero, and values, until it writes them.
struct MadeHead {
  static constexpr std::int64_t kLength = 2048, kBlock = 64, kBlocks = kLength / kBlock;
  static constexpr double kSharp = 4000;  ///< of a query: what it looks for has all of its attention
  HeadTensors tensors;

  explicit MadeHead(std::int64_t d = 8)
      : tensors{at::zeros({kLength, d}, at::kDouble), at::zeros({kLength, d}, at::kDouble),
                at::zeros({kLength, d}, at::kDouble)} {}

  static at::Tensor part(const at::Tensor& rows, std::int64_t first, std::int64_t end, std::int64_t direction) {
    return rows.narrow(0, first, end - first).select(1, direction);
  }
  void look(std::int64_t first, std::int64_t end, std::int64_t direction) {
    part(tensors.queries, first, end, direction).fill_(kSharp);
  }
  void stand(std::int64_t first, std::int64_t end, std::int64_t direction, double much = 1) {
    part(tensors.keys, first, end, direction).fill_(much);
  }
  void hold(std::int64_t position, double value) { tensors.values[position].fill_(value); }

  FoundPattern best() const {
    const at::NoGradGuard no_gradients;
    RunControl control;
    return best_pattern(tensors, 1, control);
  }
};

/// Queries in the middle look at every other of the tokens 30 to 99. The last ones, which estimate, look elsewhere, and
/// blocks of keys that hold those tokens look away on the whole.
MadeHead sinks_head() {
  MadeHead head;
  head.stand(0, 128, 0, -3);
  head.stand(30, 100, 0, 0);
  for (std::int64_t token = 30; token < 100; ++token) {
    if (token % 2 == 0) head.stand(token, token + 1, 0);
    head.hold(token, token % 2 == 0 ? 1 : -1);
  }
  head.look(1750, 1900, 0);
  head.stand(500, 1500, 1);
  head.look(MadeHead::kLength - 64, MadeHead::kLength, 1);
  return head;
}

/// All queries look at three tokens, whose blocks look away on the whole.
MadeHead columns_head() {
  MadeHead head;
  head.look(0, MadeHead::kLength, 0);
  for (const auto& [token, value] : {std::pair<std::int64_t, double>{200, 1}, {333, 2}, {470, -4}}) {
    const std::int64_t block = token / MadeHead::kBlock * MadeHead::kBlock;
    head.stand(block, block + MadeHead::kBlock, 0, -2.0 / 63);
    head.stand(token, token + 1, 0);
    head.hold(token, value);
  }
  return head;
}

/// The queries of each block look at one whole block before them, near and far.
MadeHead blocks_head() {
  MadeHead head(MadeHead::kBlocks);
  std::mt19937 random(1);
  head.tensors.values = normal_rows(random, MadeHead::kLength, MadeHead::kBlocks, 1);
  for (std::int64_t block = 0; block < MadeHead::kBlocks; ++block) {
    const std::int64_t first = block * MadeHead::kBlock, end = first + MadeHead::kBlock;
    head.stand(first, end, block);
    head.look(first, end, block % 2 == 0 ? block / 2 : block / 4);
  }
  return head;
}

/// By the definition: every pair of a query and a key that a candidate shows, and attention under a mask.
FoundPattern best_by_definition(const HeadTensors& head) {
  const at::NoGradGuard no_gradients;
  const std::int64_t n = head.queries.size(0);
  const at::Tensor scores = head.queries.mm(head.keys.t()) / std::sqrt(static_cast<double>(head.queries.size(1)));
  const at::Tensor all = at::ones({n, n}, at::kBool).tril();
  const auto output = [&](const at::Tensor& visible) {
    return scores.masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity())
        .softmax(1)
        .mm(head.values);
  };
  const at::Tensor dense = output(all), pairs = all.sum();
  FoundPattern best;
  best.pattern.score = std::numeric_limits<double>::infinity();
  for (const HeadPattern& candidate : pattern_candidates(n)) {
    at::Tensor visible = all.triu(1 - candidate.slash);
    if (candidate.kind == PatternKind::AShape) {
      visible.narrow(1, 0, candidate.vertical).fill_(true);
      visible = visible.logical_and(all);
    } else {
      visible = ops::listed_keys(pattern_index(candidate, {head.queries, head.keys}), 0, 0, n, n, at::kCPU);
    }
    FoundPattern found{candidate, visible.sum().item<double>() / pairs.item<double>()};
    found.pattern.score = share_off(output(visible), dense);
    if (std::pair(found.pattern.score, found.seen) < std::pair(best.pattern.score, best.seen)) best = found;
  }
  return best;
}

HeadTensors random_head(std::mt19937& random, std::int64_t n) {
  const double sharpness = static_cast<double>(draw(random, 1, 30)) / 10;
  const double much = static_cast<double>(draw(random, 1, 20)) / 100;
  return {normal_rows(random, n, 8, sharpness), normal_rows(random, n, 8, 1), normal_rows(random, n, 8, much)};
}

}  // namespace

class PatternSearchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { at::set_num_threads(1); }

  void candidates_are_no_longer_than_the_text() {
    for (const std::int64_t tokens : {1024, 2048, 4096, 8192, 20'000}) {
      const std::vector<HeadPattern> candidates = pattern_candidates(tokens);
      for (const HeadPattern& candidate : candidates) {
        const bool blocks = candidate.kind == PatternKind::BlockSparse;
        QVERIFY(blocks ? 128 * candidate.vertical <= tokens : candidate.vertical + candidate.slash <= tokens);
      }
      for (const PatternKind kind : {PatternKind::AShape, PatternKind::VerticalSlash, PatternKind::BlockSparse})
        QVERIFY(std::ranges::count(candidates, kind, &HeadPattern::kind) > 0);
    }
    QCOMPARE(pattern_candidates(1024).size(), std::size_t{4});
    QCOMPARE(pattern_candidates(8192).size(), std::size_t{7});
    QVERIFY(pattern_candidates(20'000).back() == (HeadPattern{PatternKind::BlockSparse, 100, 1, 1}));
  }

  /// Each is exact under one pattern alone, and under two sizes of columns and diagonals.
  void the_pattern_that_repeats_full_attention_is_found() {
    const FoundPattern sinks = sinks_head().best(), columns = columns_head().best(), blocks = blocks_head().best();
    QVERIFY(sinks.pattern == (HeadPattern{PatternKind::AShape, 100, 800, 0}));
    QVERIFY(columns.pattern.kind == PatternKind::VerticalSlash && columns.pattern.vertical >= 100);
    QCOMPARE(columns.pattern.score, 0.0);
    QVERIFY(blocks.pattern == (HeadPattern{PatternKind::BlockSparse, 16, 1, 0}));
    for (const FoundPattern& found : {sinks, columns, blocks}) QVERIFY(found.seen > 0.1 && found.seen < 0.9);
  }

  void the_best_is_best_by_definition() {
    std::vector<HeadTensors> heads{sinks_head().tensors, columns_head().tensors, blocks_head().tensors,
                                   MadeHead().tensors};  // the last: all are exact, and the fewest keys win
    std::mt19937 random(7);
    for (const std::int64_t n : {1024, 1100, 1500, 2048}) heads.push_back(random_head(random, n));
    for (const HeadTensors& head : heads) {
      const at::NoGradGuard no_gradients;
      RunControl control;
      const FoundPattern found = best_pattern(head, 1, control), expected = best_by_definition(head);
      QVERIFY2(found == expected, qPrintable(QStringLiteral("%1, %2: %3 and %4")
                                                 .arg(found.pattern.vertical)
                                                 .arg(found.pattern.slash)
                                                 .arg(found.pattern.score)
                                                 .arg(expected.pattern.score)));
    }
  }

  void patterns_of_more_work_are_left_out() {
    const at::NoGradGuard no_gradients;
    std::mt19937 random(8);
    RunControl control;
    const HeadTensors head = random_head(random, 2048);
    const FoundPattern all = best_pattern(head, 1, control), half = best_pattern(head, 0.8, control),
                       none = best_pattern(head, 1e-6, control);
    QVERIFY(all.seen > 0.8 && half.seen <= 0.8 && half.pattern.score >= all.pattern.score);
    QVERIFY(none.seen <= half.seen);  // where all see more, the one that sees least
  }

  /// Layer by layer: the layers before it see everything, so that it gets what the search looked at.
  void shares_are_those_of_a_run_under_minference() {
    for (unsigned seed = 0; seed < 2; ++seed) {
      Case c(seed);
      const FoundPatterns found = c.find();
      QCOMPARE(found.tokens, kTokens);
      const std::vector<at::Tensor> dense = c.outputs("full", {});
      double most = 0;
      for (const int layer : c.model.global_layers()) {
        HeadPatterns patterns;
        for (int head = 0; head < c.model.heads; ++head) patterns.set(layer, head, found.at(layer, head).pattern);
        const at::Tensor own = c.outputs("minference", patterns)[static_cast<std::size_t>(layer)];
        for (int head = 0; head < c.model.heads; ++head) {
          QCOMPARE(share_off(own[head], dense[static_cast<std::size_t>(layer)][head]),
                   found.at(layer, head).pattern.score);
          most = std::max(most, found.at(layer, head).pattern.score);
        }
      }
      QVERIFY(most > 0);
    }
  }

  void threads_change_nothing() {
    Case c(3);
    const FoundPatterns alone = c.find();
    at::set_num_threads(4);
    const FoundPatterns together = c.find();
    QVERIFY(alone.found == together.found);
  }

  void patterns_come_back_from_their_file_into_settings() {
    Case c(4);
    const FoundPatterns searched = c.find();
    const HeadPatterns found = searched.patterns();
    QCOMPARE(found.count(), std::ssize(c.model.global_layers()) * c.model.heads);
    const TempDir temp;
    write_head_patterns(found, temp.file("patterns.json"));
    SegmentConfig config = SegmentConfig::defaults_for(c.model), again = config;
    config.of<MinferenceSettings>().head_patterns = read_head_patterns(temp.file("patterns.json"));
    QVERIFY(config.of<MinferenceSettings>().head_patterns == found);
    config.validate(c.model, "settings");
    update_from_json(again, nlohmann::json(config), "settings");
    QVERIFY(again == config);
    const nlohmann::json report = searched;
    QVERIFY(report.at("patterns") == nlohmann::json(found));
    QCOMPARE(report.at("heads").size(), static_cast<std::size_t>(found.count()));
    std::int64_t heads = 0;
    for (const auto& [kind, means] : report.at("kinds").items()) heads += means.at("heads").get<std::int64_t>();
    QCOMPARE(heads, found.count());
    QVERIFY(found_patterns_text(searched).find("means") != std::string::npos);
  }

  void progress_is_told_and_a_stop_ends_it() {
    Case c(5);
    std::vector<double> shares;
    c.request.progress = [&](double share, const std::string&) { shares.push_back(share); };
    c.find();
    QCOMPARE(std::ssize(shares), c.model.layers * c.model.heads);
    QVERIFY(std::ranges::is_sorted(shares) && shares.front() == 0 && shares.back() < 1);
    int heads = 0;
    c.request.progress = [&](double, const std::string&) {
      if (++heads == 3) c.control.request_stop();
    };
    const auto error = error_of([&] { c.find(); });
    QVERIFY(error && error->fault() == Fault::Cancelled);
    QCOMPARE(heads, 3);
  }

  void texts_that_will_not_do_are_refused() {
    Case c(6);
    const auto refusal = [&](std::vector<std::int32_t> ids, const std::string& part) {
      c.request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
      return unlike(Fault::BadInput, part, [&] { c.find(); });
    };
    QCOMPARE(refusal(std::vector<std::int32_t>(1023, 1), "1024 or more"), std::string());
    std::vector<std::int32_t> foreign(1100, 1);
    foreign[700] = static_cast<std::int32_t>(c.model.vocabulary);
    QCOMPARE(refusal(foreign, "outside the model's vocabulary"), std::string());
    c.request.ids = nullptr;
    QCOMPARE(unlike(Fault::BadInput, "has 0 tokens", [&] { c.find(); }), std::string());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PatternSearchTest>};
#include "pattern_search_test.moc"
