// SPDX-License-Identifier: GPL-3.0-or-later
// InfLLM (policy infllm): against a reference that knows tokens alone and keeps its memory one by one, in any chunks;
// what is held; and what views are told of a prefix with blocks and copies.
#include "engine/policies/infllm/infllm.h"

#include <QTest>
#include <limits>

#include "engine/config/segment_fields.h"
#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/inspection/attention_pattern.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "tests/support/pair_by_pair.h"
#include "tests/support/policy_facts.h"
#include "tests/support/run_layers.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Tokens [first, end) that one forward reads; `closes`: a segment ends with them.
struct Chunk {
  std::int64_t first, end;
  bool closes;
};

/// Attention over the whole text, a chunk of queries at a time. A key is a token, which a query sees from where it
/// stands or from afar, W − 1 positions away.
class ByToken {
 public:
  ByToken(const Decoder& decoder, const SegmentConfig& config, std::vector<Chunk> chunks)
      : decoder_(decoder),
        config_(config),
        chunks_(std::move(chunks)),
        ropes_(decoder.config, decoder.config.rope, chunks_.back().end, decoder.options()) {}

  at::Tensor run(const std::vector<std::int32_t>& ids) {
    return run_layers(decoder_, ids, [this](int layer, const Decoder::Projections& p) { return attend(layer, p); });
  }

  int choices = 0;  ///< lookups that left blocks out

 private:
  struct Memory {
    std::int64_t sinks = 0, begin = 0;  ///< of the text; the first token behind them that is in no block
    std::vector<std::int64_t> blocks;   ///< their first tokens
    std::vector<at::Tensor> keys;       ///< of the blocks, [H·d] each
    at::Tensor received;                ///< [H, n]: the attention that a token got in windows
  };

  at::Tensor attend(int layer, const Decoder::Projections& p) {
    const std::int64_t n = p.queries.size(1), share = p.queries.size(0) / p.keys.size(0);
    const at::Tensor keys = p.keys.repeat_interleave(share, 0), values = p.values.repeat_interleave(share, 0);
    const RopeAngles own = ropes_.of(layer).angles(0, n),
                     one = ropes_.of(layer).angles(config_.of<WindowSettings>().attention_window - 1, 1);
    const at::Tensor near_queries = ops::rotate(p.queries, own.cos, own.sin),
                     near_keys = ops::rotate(keys, own.cos, own.sin),
                     far_queries = ops::rotate(p.queries, one.cos.expand({n, -1}).contiguous(),
                                               one.sin.expand({n, -1}).contiguous());
    Memory memory;
    memory.received = at::zeros({p.queries.size(0), n}, at::kDouble);
    std::vector<at::Tensor> outputs;
    for (const Chunk& chunk : chunks_) {
      const auto of_chunk = [&](const at::Tensor& rows) {
        return rows.narrow(1, chunk.first, chunk.end - chunk.first);
      };
      const std::vector<std::int64_t> blocks = look_up(memory, of_chunk(far_queries));
      const auto scores = [&](const at::Tensor& from, const at::Tensor& to, bool near) {
        const at::Tensor products =
            of_chunk(from).matmul(to.transpose(1, 2)) / std::sqrt(static_cast<double>(to.size(2)));
        return products.masked_fill(~seen(memory, blocks, chunk, n, near), -std::numeric_limits<double>::infinity());
      };
      const at::Tensor weights =
          at::cat({scores(near_queries, near_keys, true), scores(far_queries, keys, false)}, 2).softmax(2);
      outputs.push_back(weights.matmul(at::cat({values, values}, 1)));
      memory.received += weights.narrow(2, 0, n).sum(1);
      if (chunk.closes) remember(memory, keys, chunk.end);
    }
    return at::cat(outputs, 1).transpose(0, 1).reshape({n, -1});
  }

  /// Returns which tokens a chunk's queries see as near ones or from afar, [m, n].
  at::Tensor seen(const Memory& memory, const std::vector<std::int64_t>& blocks, const Chunk& chunk, std::int64_t n,
                  bool near) const {
    at::Tensor mask = at::zeros({chunk.end - chunk.first, n}, at::kBool);
    for (std::int64_t query = chunk.first; query < chunk.end; ++query)
      for (std::int64_t key = 0; key <= query; ++key) {
        bool sees = query - key < config_.of<WindowSettings>().attention_window;
        if (!near) {
          const bool looked_up = std::ranges::any_of(blocks, [&](std::int64_t first) {
            return key >= first && key < first + config_.of<InfLlmSettings>().memory_block_length;
          });
          sees = !sees && (key < memory.sinks || key >= memory.begin || looked_up);
        }
        mask.data_ptr<bool>()[(query - chunk.first) * n + key] = sees;
      }
    return mask;
  }

  /// queries: [H, m, d]. First tokens of blocks.
  std::vector<std::int64_t> look_up(const Memory& memory, const at::Tensor& queries) {
    if (std::ssize(memory.blocks) <= config_.of<InfLlmSettings>().memory_blocks) return memory.blocks;
    ++choices;
    const at::Tensor mean = queries.mean(1).flatten();
    std::vector<std::pair<double, std::int64_t>> order;
    for (std::size_t i = 0; i < memory.blocks.size(); ++i)
      order.emplace_back(-mean.dot(memory.keys[i]).item<double>(), memory.blocks[i]);
    std::ranges::sort(order);
    std::vector<std::int64_t> best;
    for (std::int64_t i = 0; i < config_.of<InfLlmSettings>().memory_blocks; ++i)
      best.push_back(order[static_cast<std::size_t>(i)].second);
    return best;
  }

  /// Updates the memory behind a segment that ends before token `end`. keys: [H, n, d], unrotated.
  void remember(Memory& memory, const at::Tensor& keys, std::int64_t end) const {
    for (; memory.sinks < config_.sink_length && end - memory.begin > config_.of<WindowSettings>().attention_window;
         ++memory.begin)
      ++memory.sinks;
    const std::int64_t length = config_.of<InfLlmSettings>().memory_block_length,
                       count = config_.of<InfLlmSettings>().memory_representatives;
    for (; end - memory.begin - length >= config_.of<WindowSettings>().attention_window; memory.begin += length) {
      std::vector<at::Tensor> heads;
      for (std::int64_t head = 0; head < keys.size(0); ++head) {
        std::vector<std::pair<double, std::int64_t>> order;
        for (std::int64_t token = memory.begin; token < memory.begin + length; ++token)
          order.emplace_back(-memory.received[head][token].item<double>(), token);
        std::ranges::sort(order);
        at::Tensor sum = at::zeros({keys.size(2)}, at::kDouble);
        for (std::int64_t i = 0; i < count; ++i) sum += keys[head][order[static_cast<std::size_t>(i)].second];
        heads.push_back(sum / count);
      }
      memory.blocks.push_back(memory.begin);
      memory.keys.push_back(at::cat(heads));
    }
  }

  const Decoder& decoder_;
  SegmentConfig config_;
  std::vector<Chunk> chunks_;
  Ropes ropes_;
};

/// Texts of one token, windows longer than the text, and a few shorter than a segment, which a run is refused for.
struct BlockCase : ChunkedCase {
  explicit BlockCase(unsigned seed, at::ScalarType type = at::kDouble) : ChunkedCase(seed, type) {
    ids = distinct_ids(random, seed % 8 == 7 ? 1 : draw(random, 60, 150), model.vocabulary);
    config.carry_length = 0;
    config.segment_length = draw(random, 1, 20);
    config.sink_length = draw(random, 0, std::min<std::int64_t>(6, config.segment_length));
    config.of<WindowSettings>().attention_window =
        draw(random, 0, 4) == 0 ? draw(random, 1, 200) : draw(random, config.segment_length, 30);
  }

  at::Tensor run() const { return run_hidden(tiny.decoder, "infllm", config, ids); }

  /// Runs the same in chunks; returns these too.
  std::pair<at::Tensor, std::vector<Chunk>> run_in(const Chunking& chunking) const {
    std::vector<Chunk> chunks;
    const at::Tensor hidden = run_hidden(tiny.decoder, "infllm", config, ids, [&](std::int64_t left) {
      const std::int64_t count = chunking(left), first = chunks.empty() ? 0 : chunks.back().end;
      chunks.push_back({first, first + count, count == left});
      return count;
    });
    return {hidden, chunks};
  }
  ByToken definition() const {
    std::vector<Chunk> chunks;
    for (std::int64_t first = 0; first < std::ssize(ids); first += config.segment_length)
      chunks.push_back({first, std::min(first + config.segment_length, std::ssize(ids)), true});
    return {tiny.decoder, config, chunks};
  }
};

}  // namespace

class InfLlmTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_equals_the_definition() {
    const at::NoGradGuard no_gradients;
    int choices = 0;
    for (unsigned seed = 0; seed < 32; ++seed) {
      const BlockCase c(seed);
      ByToken definition = c.definition();
      const double off = largest_difference(c.run(), definition.run(c.ids));
      record_fact("infllm", kReferenceFact, off);
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
      choices += definition.choices;
    }
    QVERIFY2(choices > 100, qPrintable(QString::number(choices)));
  }

  /// Each chunk looks blocks up for itself; a decoded token is one. Blocks are those of whole segments.
  void each_chunk_looks_up_for_itself() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 40; seed < 56; ++seed) {
      BlockCase c(seed);
      const std::vector<Chunking> chunkings = {[](std::int64_t left) { return left; }, [](std::int64_t) { return 1; },
                                               [&c](std::int64_t left) { return draw(c.random, 1, left); }};
      for (const Chunking& chunking : chunkings) {
        const auto [hidden, chunks] = c.run_in(chunking);
        const double off = largest_difference(hidden, ByToken(c.tiny.decoder, c.config, chunks).run(c.ids));
        record_fact("infllm", kChunksFact, off);
        QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
      }
    }
  }

  void a_window_as_long_as_the_text_is_full_attention() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 60; seed < 70; ++seed) {
      BlockCase c(seed);
      c.config.of<WindowSettings>().attention_window = std::ssize(c.ids);
      QVERIFY(largest_difference(c.run(), run_hidden(c.tiny.decoder, "full", c.config, c.ids)) < 1e-10);
    }
  }

  /// The check can fail: each setting makes another result.
  void another_setting_is_another_result() {
    const at::NoGradGuard no_gradients;
    BlockCase c(80);
    c.ids = distinct_ids(c.random, 150, c.model.vocabulary);
    c.config.segment_length = 12;
    c.config.sink_length = 3;
    c.config.of<WindowSettings>().attention_window = 16;
    c.config.of<InfLlmSettings>().memory_blocks = 2;
    c.config.of<InfLlmSettings>().memory_block_length = 6;
    c.config.of<InfLlmSettings>().memory_representatives = 2;
    const at::Tensor expected = c.definition().run(c.ids);
    QVERIFY(largest_difference(c.run(), expected) < 1e-10);
    for (const char* setting : {"segment_length", "sink_length", "attention_window", "memory_block_length",
                                "memory_blocks", "memory_representatives"}) {
      BlockCase other = c;
      ++find_segment_field(setting)->as<std::int64_t>()->in(other.config);
      QVERIFY(largest_difference(other.run(), expected) > 1e-6);
    }
  }

  /// In bf16, where all blocks are looked up, so that rounding changes no choice.
  void bf16_is_as_good_as_full_attentions() {
    const at::NoGradGuard no_gradients;
    const auto rms = [](const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); };
    const auto off = [&](const std::string& name, unsigned seed) {
      BlockCase exact(seed, at::kFloat), rounded(seed, at::kBFloat16);
      exact.config.of<InfLlmSettings>().memory_blocks = rounded.config.of<InfLlmSettings>().memory_blocks = 1000;
      return rms(run_hidden(rounded.tiny.decoder, name, rounded.config, rounded.ids).to(at::kDouble) -
                 run_hidden(exact.tiny.decoder, name, exact.config, exact.ids).to(at::kDouble));
    };
    for (unsigned seed = 90; seed < 100; ++seed) {
      const double ours = off("infllm", seed), full = off("full", seed);
      QVERIFY2(ours <= 3 * full, qPrintable(QStringLiteral("seed %1: %2 and %3").arg(seed).arg(ours).arg(full)));
    }
  }

  void what_is_held_is_what_the_cost_model_says() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 120; seed < 140; ++seed) {
      const BlockCase c(seed, at::kFloat);
      const CostModel cost{c.model, c.config, 4};
      PreparedRun prepared(c.tiny.decoder, {"infllm", c.config, std::ssize(c.ids)});
      for (std::int64_t segment = 0; segment < c.segments(); ++segment) {
        prepared.runner().run_segment(c.segment(c.ids, segment));
        const PolicyState& state = prepared.runner().state();
        QCOMPARE(state.pool_bytes(), policy_row("infllm").memory(cost, state.next.first_token, {}).pool);
        QCOMPARE(state.pool_entries(), state.next.first_token);
      }
    }
  }

  void states_that_share_blocks_do_not_disturb_each_other() { check_branches<BlockCase>("infllm", 140, 156, 8); }

  /// A slot holds the token at its position: sinks, blocks, copies and near tokens.
  void slots_have_positions() {
    const at::NoGradGuard no_gradients;
    std::int64_t copies = 0, blocks = 0;
    for (unsigned seed = 160; seed < 170; ++seed) {
      const BlockCase c(seed);
      const at::Tensor values =
          c.tiny.decoder.project(0, c.tiny.decoder.embed(as_tensor(c.ids)), {}).values;  // of layer 0: of tokens alone
      std::int64_t first_token = 0;
      RunSetup setup{"infllm", c.config, std::ssize(c.ids)};
      setup.watch_attention = [&](const AttentionSight& sight) {
        QCOMPARE(sight.groups.size(), std::size_t{1});
        const HeadGroup& group = sight.groups.front();
        copies += group.window.far;
        blocks += group.span(PrefixPart::Retrieved).length;
        for (std::int64_t slot = 0; sight.layer == 0 && slot < group.slots(); ++slot) {
          const std::int64_t position = slot_position(group, slot, nullptr, first_token);
          QVERIFY(largest_difference(group.prefix_values.select(1, slot), values.select(1, position)) < 1e-10);
        }
      };
      PreparedRun prepared(c.tiny.decoder, setup);
      for (std::int64_t segment = 0; segment < c.segments(); ++segment) {
        first_token = prepared.runner().state().next.first_token;
        prepared.runner().run_segment(c.segment(c.ids, segment));
      }
    }
    QVERIFY(copies > 100 && blocks > 100);
  }

  /// The weights that views show are those that made the output.
  void views_see_the_attention_that_was() {
    const at::NoGradGuard no_gradients;
    std::int64_t layers = 0;
    for (unsigned seed = 180; seed < 188; ++seed) {
      const BlockCase c(seed);
      RunSetup setup{"infllm", c.config, std::ssize(c.ids)};
      setup.watch = [&](const LayerSight& sight) {
        std::vector<at::Tensor> heads;
        for (int head = 0; head < c.model.heads; ++head) {
          const AttentionPattern attention(sight, head);
          at::Tensor values = attention.values();
          if (attention.prefix_length() > 0) values = at::cat({attention.prefix_values(), values});
          heads.push_back(attention.weights(0, attention.queries()).matmul(values));
        }
        const at::Tensor attended = c.tiny.decoder.add_attention(sight.layer, sight.entering, at::cat(heads, 1), {});
        QVERIFY(largest_difference(attended, sight.attended) < 1e-10);
        layers += sight.groups.front().window.far > 0;
      };
      PreparedRun prepared(c.tiny.decoder, setup);
      for (std::int64_t segment = 0; segment < c.segments(); ++segment)
        prepared.runner().run_segment(c.segment(c.ids, segment));
    }
    QVERIFY(layers > 20);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<InfLlmTest>};
#include "infllm_test.moc"
