// SPDX-License-Identifier: GPL-3.0-or-later
// SnapKV (policy snapkv): which keys a prompt leaves, against votes that are counted a pair at a time, and what tokens
// behind the prompt see.
#include "engine/policies/snapkv/snapkv.h"

#include <QTest>
#include <set>

#include "engine/cost/policy_table.h"
#include "engine/policies/snapkv/snapkv_settings.h"
#include "engine/runs/generation.h"
#include "tests/support/dense_by_mask.h"
#include "tests/support/pair_by_pair.h"
#include "tests/support/policy_facts.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct PromptCase : ChunkedCase {
  std::int64_t prompt;

  explicit PromptCase(unsigned seed) : ChunkedCase(seed) {
    ids = random_ids(random, draw(random, 2, 120), model.vocabulary);
    prompt = draw(random, 1, static_cast<int>(ids.size()) - 1);
    config.segment_length = draw(random, 1, 70);
    config.query_length = draw(random, 1, 20);
    config.of<SnapKvSettings>().kv_budget = draw(random, 1, 100);
    config.carry_length = config.sink_length = 0;  // which have to fit S
  }

  /// Returns the positions of the prompt that a KV head keeps. keys: [n, d]; queries: [r, n, d], of its heads.
  std::set<std::int64_t> kept(const at::Tensor& queries, const at::Tensor& keys) const {
    const std::int64_t w = std::min(config.query_length, prompt), before = prompt - w,
                       count = std::max<std::int64_t>(0, config.of<SnapKvSettings>().kv_budget - w);
    std::set<std::int64_t> all;
    for (std::int64_t key = before; key < prompt; ++key) all.insert(key);
    std::vector<double> votes(static_cast<std::size_t>(before));
    for (std::int64_t head = 0; head < queries.size(0); ++head) {
      std::vector<double> mean(votes.size());
      for (std::int64_t query = before; query < prompt; ++query) {
        const at::Tensor weights =
            (keys.narrow(0, 0, query + 1).mv(queries[head][query]) / std::sqrt(static_cast<double>(keys.size(1))))
                .softmax(0);
        for (std::int64_t key = 0; key < before; ++key)
          mean[static_cast<std::size_t>(key)] += weights[key].item<double>() / static_cast<double>(w);
      }
      for (std::int64_t key = 0; key < before; ++key)
        for (std::int64_t near = std::max<std::int64_t>(0, key - 2); near <= std::min(before - 1, key + 2); ++near)
          votes[static_cast<std::size_t>(key)] += mean[static_cast<std::size_t>(near)] / 5;
    }
    std::vector<std::pair<double, std::int64_t>> order;
    for (std::int64_t key = 0; key < before; ++key) order.emplace_back(-votes[static_cast<std::size_t>(key)], key);
    std::ranges::sort(order);
    for (std::int64_t i = 0; i < std::min(count, before); ++i) all.insert(order[static_cast<std::size_t>(i)].second);
    return all;
  }

  at::Tensor expected() {
    return DenseByMask(
               tiny.decoder, std::ssize(ids),
               [this](int, const at::Tensor& q, const at::Tensor& k) {
                 const std::int64_t n = q.size(1), share = model.group_size();
                 at::Tensor mask = at::ones({q.size(0), n, n}, at::kBool);
                 for (std::int64_t row = 0; row < k.size(0); ++row) {
                   const std::set<std::int64_t> left = kept(q.narrow(0, row * share, share), k[row]);
                   for (std::int64_t key = 0; key < prompt; ++key)
                     if (!left.contains(key))
                       mask.narrow(0, row * share, share).narrow(1, prompt, n - prompt).select(2, key).fill_(false);
                 }
                 return mask;
               })
        .run(ids);
  }

  at::Tensor run(const Chunking& chunking) {
    PreparedRun prepared(tiny.decoder, {"snapkv", config, std::ssize(ids)});
    SegmentRunner& runner = prepared.runner();
    const at::Tensor all = as_tensor(ids);
    std::vector<at::Tensor> hidden;
    const auto read = [&](std::int64_t first, std::int64_t end) {
      while (first < end) {
        const std::int64_t length = std::min(end - first, config.segment_length);
        for (std::int64_t done = 0; done < length;) {
          const std::int64_t chunk = chunking(length - done);
          hidden.push_back(runner.extend(all.narrow(0, first + done, chunk)));
          done += chunk;
        }
        runner.close();
        first += length;
      }
    };
    read(0, prompt);
    runner.end_prompt();
    read(prompt, std::ssize(ids));
    return at::cat(hidden, 0);
  }
};

}  // namespace

class SnapKvTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tokens_behind_a_prompt_see_what_was_voted_for() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 0; seed < 24; ++seed) {
      PromptCase c(seed);
      const at::Tensor expected = c.expected();
      const std::vector<Chunking> chunkings = {[](std::int64_t left) { return left; }, [](std::int64_t) { return 1; },
                                               [&c](std::int64_t left) { return draw(c.random, 1, left); }};
      for (const Chunking& chunking : chunkings) {
        const double off = largest_difference(c.run(chunking), expected);
        record_fact("snapkv", kReferenceFact, off);
        record_fact("snapkv", kChunksFact, off);
        QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
      }
    }
  }

  void a_text_is_read_under_full_attention() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 40; seed < 50; ++seed) {
      PromptCase c(seed);
      QVERIFY(largest_difference(run_hidden(c.tiny.decoder, "snapkv", c.config, c.ids),
                                 run_hidden(c.tiny.decoder, "full", c.config, c.ids)) < 1e-10);
    }
  }

  /// The rest of a prompt is freed, and generating takes the same way.
  void a_prompt_leaves_the_budget() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 60; seed < 70; ++seed) {
      PromptCase c(seed);
      PreparedRun prepared(c.tiny.decoder, {"snapkv", c.config, c.prompt});
      const at::Tensor all = as_tensor(c.ids);
      for (std::int64_t first = 0; first < c.prompt; first += c.config.segment_length)
        prepared.runner().run_segment(all.narrow(0, first, std::min(c.config.segment_length, c.prompt - first)));
      const auto before = prepared.runner().state().clone();
      prepared.runner().end_prompt();
      const std::int64_t w = std::min(c.config.query_length, c.prompt);
      QCOMPARE(prepared.runner().state().pool_entries(),
               std::min(c.prompt, std::max(c.config.of<SnapKvSettings>().kv_budget, w)));
      QCOMPARE(before->pool_entries(), c.prompt);  // a copy keeps what it has
    }
  }

  void generating_takes_the_first_token_before_and_the_next_ones_behind() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 80; seed < 90; ++seed) {
      PromptCase c(seed);
      GenerateRequest request;
      request.policy = "snapkv";
      request.config = c.config;
      request.prompt.assign(c.ids.begin(), c.ids.begin() + c.prompt);
      request.answer.assign(c.ids.begin() + c.prompt, c.ids.end());
      request.max_new_tokens = std::ssize(request.answer);
      request.logprobs = true;
      request.top_logprobs = 3;
      RunControl control;
      std::vector<GeneratedToken> tokens;
      const auto on_token = [&](const GeneratedToken& token) {
        tokens.push_back(token);
        return true;
      };
      const GenerateResult result = generate_text(c.tiny.decoder, request, on_token, control);
      QCOMPARE(tokens.size(), request.answer.size());
      const at::Tensor logits = c.tiny.decoder.logits(c.expected()).log_softmax(1);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const at::Tensor row = logits[c.prompt - 1 + static_cast<std::int64_t>(i)];
        const GeneratedToken& token = tokens[i];
        QCOMPARE(token.id, request.answer[i]);
        QCOMPARE(token.logprob, result.logprobs[i]);
        QVERIFY(std::abs(token.logprob - row[token.id].item<double>()) < 1e-5);
        QVERIFY(token.top.size() >= 3 && std::ranges::count(token.top, token.id, &TopToken::id) == 1);
        QVERIFY(std::abs(token.top.front().logprob - row.max().item<double>()) < 1e-5);
        for (const TopToken& top : token.top) QVERIFY(std::abs(top.logprob - row[top.id].item<double>()) < 1e-5);
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SnapKvTest>};
#include "snapkv_test.moc"
