// SPDX-License-Identifier: GPL-3.0-or-later
// Activation patching: a carry or heads' outputs of another run, in the place of a segment's own. By identities that
// hold exactly, and against a forward without the engine's code.
#include "engine/runs/values/patch.h"

#include <QTest>

#include "engine/base/error.h"
#include "tests/support/patch_case.h"
#include "tests/support/plain_llama.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr std::int64_t segment = PatchCase::segment;

bool same(const WhatIfOutcome& a, const WhatIfOutcome& b) {
  return a.target_nll == b.target_nll && a.prediction->logit == b.prediction->logit &&
         a.prediction->foil_logit == b.prediction->foil_logit;
}

}  // namespace

class PatchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void a_patch_of_a_run_into_itself_changes_nothing() {
    for (unsigned seed = 0; seed < 8; ++seed) {
      PatchCase c(seed);
      RunRequest copy = c.request;
      copy.ids = std::make_shared<std::vector<std::int32_t>>(*c.request.ids);
      for (const SegmentEdit& edit : {SegmentEdit{.patch_carry = true}, SegmentEdit{.patched_heads = c.some_heads()},
                                      SegmentEdit{.patch_carry = true, .patched_heads = c.all_heads()}}) {
        const auto result = c.run(c.patched(edit, copy));
        QVERIFY(same(result.edited, result.base.as_it_was));
      }
    }
  }

  /// All that a segment gets of what came before it comes through its heads' outputs.
  void all_heads_of_a_run_with_the_same_segment_are_that_run() {
    for (unsigned seed = 20; seed < 28; ++seed) {
      PatchCase c(seed);
      c.share_the_segment();
      const WhatIfOutcome there = c.as_it_was(c.other);
      const auto result = c.run(c.patched({.patched_heads = c.all_heads()}, c.other));
      QVERIFY(!same(result.base.as_it_was, there));
      QVERIFY(same(result.edited, there));
      // Whatever else is changed comes too late, and one head less is another segment.
      const auto without_carry = c.run(c.patched({.no_carry = true, .patched_heads = c.all_heads()}, c.other));
      QVERIFY(same(without_carry.edited, there));
      std::vector<HeadRef> fewer = c.all_heads();
      fewer.erase(fewer.begin() + 1);  // a local one, which reads the carry
      QVERIFY(!same(c.run(c.patched({.patched_heads = fewer}, c.other)).edited, there));
    }
  }

  void a_carry_alone_is_all_where_nothing_else_crosses() {
    for (unsigned seed = 40; seed < 48; ++seed) {
      PatchCase c(seed);
      for (RunRequest* run : {&c.request, &c.other}) run->config.sink_length = run->config.retrieval_length = 0;
      c.share_the_segment();
      const WhatIfOutcome there = c.as_it_was(c.other);
      const auto result = c.run(c.patched({.patch_carry = true}, c.other));
      QVERIFY(!same(result.base.as_it_was, there));
      QVERIFY(same(result.edited, there));
    }
  }

  /// Another policy's heads too: a segment that has all outputs of full attention is full attention's.
  void heads_may_come_from_another_policy() {
    for (unsigned seed = 60; seed < 64; ++seed) {
      PatchCase c(seed);
      RunRequest full = c.request;
      full.policy = "full";
      const auto result = c.run(c.patched({.patched_heads = c.all_heads()}, full));
      std::vector<float> losses;
      struct Kept : RunObserver {
        std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
        void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override { segments.push_back(snapshot); }
      } kept;
      run_text(c.tiny.decoder, full, kept, c.control, nullptr);
      QVERIFY(result.edited.target_nll == kept.segments[segment]->target_nll);
      QVERIFY(result.edited.target_nll != result.base.as_it_was.target_nll);
    }
  }

  void patched_logits_are_a_plain_forwards() {
    double largest = 0;
    int changed = 0;
    for (unsigned seed = 80; seed < 92; ++seed) {
      PatchCase c(seed);
      SegmentEdit edit;
      edit.patch_carry = seed % 3 != 0;
      if (seed % 3 != 1) edit.patched_heads = c.some_heads();
      if (seed % 2 == 0)
        for (const HeadRef& head : c.some_heads())
          if (std::ranges::count(edit.patched_heads, head) == 0) edit.zeroed_heads.push_back(head);
      const std::int64_t first = segment * c.length();
      const auto part = [&](const RunRequest& of, std::int64_t begin, std::int64_t count) {
        return std::vector<std::int32_t>(of.ids->begin() + begin, of.ids->begin() + begin + count);
      };
      PlainLlama source(c.model, c.request.config, c.tiny.values), plain(c.model, c.request.config, c.tiny.values);
      source.run(part(c.other, 0, first));
      plain.run(part(c.request, 0, first));
      if (edit.patch_carry) plain.take_carry_of(source);
      std::map<HeadRef, Rows> outputs;
      source.see = [&](const PlainSight& sight) { outputs[{sight.layer, sight.head}] = sight.output; };
      source.run(part(c.other, first, c.length()));
      plain.see = [&](const PlainSight& sight) {
        const HeadRef head{sight.layer, sight.head};
        if (std::ranges::count(edit.patched_heads, head) > 0) sight.output = outputs[head];
        if (std::ranges::count(edit.zeroed_heads, head) > 0)
          for (Vector& row : sight.output) row.assign(row.size(), 0.0);
      };
      const Rows expected = plain.run(part(c.request, first, c.length()));
      for (int i = 0; i < 4; ++i) {
        const std::int64_t token = draw(c.random, 0, c.length() - 1);
        const auto foil = static_cast<std::int32_t>(draw(c.random, 0, c.model.vocabulary - 1));
        const auto result = c.run(c.patched(edit, c.other, token, foil));
        const Prediction& found = *result.edited.prediction;
        const Vector& logits = expected[static_cast<std::size_t>(token)];
        largest = std::max({largest, std::abs(found.logit - logits[static_cast<std::size_t>(found.target)]),
                            std::abs(found.foil_logit - logits[static_cast<std::size_t>(foil)])});
        changed += std::abs(found.logit - result.base.as_it_was.prediction->logit) > 1e-6;
      }
    }
    QVERIFY2(largest < 1e-9, qPrintable(QString::number(largest)));
    QVERIFY(changed > 40);
  }

  void zeroing_needs_no_other_run() {
    PatchCase c(95);
    WhatIfRequest asked{c.request, segment, {{.zeroed_heads = c.all_heads()}, {.zeroed_heads = {{0, 99}}}}};
    const auto error = error_of([&] { c.run(asked); });
    QVERIFY(error && error->problem().find("not in the model") != std::string::npos);
    asked.edits.pop_back();
    const auto zeroed = c.run(asked);
    QVERIFY(zeroed.edited.target_nll != zeroed.base.as_it_was.target_nll);
    asked.edits = {{.no_carry = true, .prefix = PrefixSource::Off, .zeroed_heads = c.all_heads()}};
    QVERIFY(c.run(asked).edited.target_nll == zeroed.edited.target_nll);  // nothing that heads read counts any more
    QVERIFY(c.refusal({.patched_heads = {{1, 2}}, .zeroed_heads = {{1, 2}}}, c.other).contains("at once"));
  }

  void kept_states_of_the_other_run_change_the_price_and_nothing_else() {
    PatchCase c(100);
    const WhatIfRequest asked = c.patched({.patch_carry = true}, c.other);
    QCOMPARE(count_what_if_segments(asked, c.archive, c.patch_archive), (segment + 1) + (segment + 1) + 1);
    const auto first = c.run(asked);
    QCOMPARE(first.base.segments_run, 2 * segment + 1);  // the carry needs no run of the other segment itself
    QCOMPARE(count_what_if_segments(asked, c.archive, c.patch_archive), std::int64_t{3});
    const auto again = c.run(asked);
    QVERIFY(same(first.edited, again.edited));
    QCOMPARE(again.base.segments_run, std::int64_t{1});
    const WhatIfRequest itself = c.patched({.patched_heads = {{0, 0}}}, c.request);
    QCOMPARE(count_what_if_segments(itself, c.archive, c.patch_archive), std::int64_t{3});
  }

  void what_does_not_correspond_is_named() {
    PatchCase c(120);
    const SegmentEdit carry{.patch_carry = true}, head{.patched_heads = {{1, 2}}};
    QVERIFY(c.refusal(carry, c.other).isEmpty() && c.refusal(head, c.other).isEmpty());
    RunRequest other = c.other;
    other.config.segment_length += 1;
    QVERIFY(c.refusal(head, other).contains("the segment lengths differ"));
    other = c.other;
    other.ids = std::make_shared<std::vector<std::int32_t>>(c.other.ids->begin(), c.other.ids->end() - 1);
    QVERIFY(c.refusal(head, other, 4).contains("segment 4 has another number of tokens"));
    QVERIFY(c.refusal(head, other).isEmpty());
    other.ids = std::make_shared<std::vector<std::int32_t>>(c.other.ids->begin(), c.other.ids->begin() + c.length());
    QVERIFY(c.refusal(head, other).contains("ends before segment 3"));
    other = c.other;
    other.config.carry_length -= 1;
    QVERIFY(c.refusal(head, other).isEmpty());
    QVERIFY(c.refusal(carry, other).contains("the carried tails (M) differ"));
    other = c.other;
    other.config.grouping = Grouping({0}, {{1}});
    QVERIFY(c.refusal(carry, other).contains("the groupings differ"));
    other = c.other;
    other.config.sink_length = c.other.config.sink_length == 0 ? 1 : 0;
    QVERIFY(c.refusal(carry, other).contains("sinks differ"));
    other = c.other;
    other.config.long_reads = PrefixParts::SinksRetrievedCarry;
    QVERIFY(c.refusal(carry, other).contains("other heads read the carry"));
    other = c.other;
    other.policy = "full";
    QVERIFY(c.refusal(carry, other).contains("the policies differ"));
    QVERIFY(c.refusal(carry, c.other, 0).contains("nothing is carried"));
    QVERIFY(c.refusal({.no_carry = true, .patch_carry = true}, c.other).contains("zeroed and patched"));
    QVERIFY(c.refusal({.patched_heads = {{99, 0}}}, c.other).contains("not in the model"));
    WhatIfRequest none = c.patched(head, c.other);
    none.patch_source.reset();
    QCOMPARE(unlike(Fault::Usage, "no run", [&] { c.run(none); }), "");
    WhatIfRequest wrong = c.patched(carry, c.other);
    wrong.patch_source->record =
        RecordedSegment{"hash", DType::Float64, std::vector<float>(static_cast<std::size_t>(c.length()), 1), {}};
    QCOMPARE(unlike(Fault::BadInput, "does not repeat its record", [&] { c.run(wrong); }), "");
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PatchTest>};
#include "patch_test.moc"
