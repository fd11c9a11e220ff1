// SPDX-License-Identifier: GPL-3.0-or-later
// Sinks and a window (policies sliding and streaming): against a reference that takes a pair of a query and a key at a
// time, in any chunks, and what is held between segments.
#include "engine/policies/streaming/streaming.h"

#include <QTest>

#include "engine/config/window_settings.h"
#include "engine/policies/streaming/streaming_settings.h"
#include "tests/support/pair_by_pair.h"
#include "tests/support/policy_facts.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

using Case = ChunkedCase;

PairByPair definition(const Case& c, const std::string& policy) {
  const bool streaming = policy == "streaming";
  const PairByPair::Sees sees{streaming ? c.config.sink_length : 0, c.config.of<WindowSettings>().attention_window,
                              streaming && c.config.of<StreamingSettings>().cache_positions};
  return {c.tiny.decoder, std::ssize(c.ids), [sees](int, int) { return sees; }};
}

}  // namespace

class StreamingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void both_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"sliding", "streaming"}) QTest::newRow(policy) << QString(policy);
  }

  void a_run_equals_the_definition_data() { both_data(); }
  void a_run_equals_the_definition() {
    QFETCH(QString, policy);
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 0; seed < 12; ++seed) {
      Case c(seed);
      c.ids.resize(std::min<std::size_t>(c.ids.size(), 60));
      const std::string name = policy.toStdString();
      const double off =
          largest_difference(run_hidden(c.tiny.decoder, name, c.config, c.ids), definition(c, name).run(c.ids));
      record_fact(name, kReferenceFact, off);
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
    }
  }

  void chunks_change_nothing_data() { both_data(); }
  void chunks_change_nothing() {
    QFETCH(QString, policy);
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 20; seed < 50; ++seed) {
      const double off = Case(seed).largest_difference_of_chunks(policy.toStdString());
      record_fact(policy.toStdString(), kChunksFact, off);
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
    }
  }

  /// In bf16: no further from fp32 than full attention's own rounding is.
  void bf16_is_as_good_as_full_attentions_data() { both_data(); }
  void bf16_is_as_good_as_full_attentions() {
    QFETCH(QString, policy);
    const at::NoGradGuard no_gradients;
    const auto rms = [](const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); };
    const auto off = [&](const std::string& name, unsigned seed) {
      const Case exact(seed, at::kFloat), rounded(seed, at::kBFloat16);
      return rms(run_hidden(rounded.tiny.decoder, name, rounded.config, rounded.ids).to(at::kDouble) -
                 run_hidden(exact.tiny.decoder, name, exact.config, exact.ids).to(at::kDouble));
    };
    for (unsigned seed = 60; seed < 70; ++seed) QVERIFY(off(policy.toStdString(), seed) <= 2 * off("full", seed));
  }

  void a_window_as_long_as_the_text_is_full_attention() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 80; seed < 90; ++seed) {
      Case c(seed);
      c.config.of<WindowSettings>().attention_window = std::ssize(c.ids);
      c.ids.resize(std::min<std::size_t>(c.ids.size(), 60));
      const at::Tensor full = run_hidden(c.tiny.decoder, "full", c.config, c.ids);
      const double off = largest_difference(full, definition(c, "sliding").run(c.ids));
      record_fact("full", kReferenceFact, off);
      QVERIFY(off < 1e-10);
      for (const char* policy : {"sliding", "streaming"})
        QVERIFY(largest_difference(run_hidden(c.tiny.decoder, policy, c.config, c.ids), full) < 1e-10);
    }
  }

  void no_sinks_are_a_sliding_window() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 100; seed < 110; ++seed) {
      Case c(seed);
      c.config.sink_length = 0;
      QVERIFY(at::equal(run_hidden(c.tiny.decoder, "streaming", c.config, c.ids),
                        run_hidden(c.tiny.decoder, "sliding", c.config, c.ids)));
    }
  }

  /// Never more than n + W − 1 tokens, whatever the text's length, and nothing of the rest stays in memory.
  void a_state_holds_sinks_and_window_alone() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 120; seed < 140; ++seed) {
      Case c(seed);
      PreparedRun prepared(c.tiny.decoder, {"streaming", c.config, std::ssize(c.ids)});
      const at::Tensor all = as_tensor(c.ids);
      for (std::int64_t first = 0; first < all.size(0); first += c.config.segment_length) {
        const std::int64_t length = std::min(c.config.segment_length, all.size(0) - first);
        prepared.runner().run_segment(all.narrow(0, first, length));
        const PolicyState& state = prepared.runner().state();
        QCOMPARE(state.pool_entries(),
                 std::min(first + length, c.config.sink_length + c.config.of<WindowSettings>().attention_window - 1));
        std::int64_t stored = 0;
        for (const at::Tensor& tensor : state.pool_contents())
          stored += static_cast<std::int64_t>(tensor.storage().nbytes());
        QCOMPARE(stored, state.pool_bytes());
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<StreamingTest>};
#include "streaming_test.moc"
