// SPDX-License-Identifier: GPL-3.0-or-later
// What-ifs as properties: a segment that is run again is the segment that was run, and an edit does what a whole run
// under the same change does wherever there is such a run.
#include "engine/runs/values/what_if.h"

#include <QTest>
#include <set>

#include "engine/base/error.h"
#include "engine/inspection/inspect.h"
#include "engine/runs/values/inspection.h"
#include "engine/runs/values/prefix_control.h"
#include "engine/runs/values/replay_request.h"
#include "engine/what_if/what_if.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Kept : RunObserver {
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override { segments.push_back(snapshot); }
};

/// A model, a text of five or six segments, and a grouping that retrieves.
struct Case {
  std::mt19937 random;
  ModelConfig model;
  SegmentConfig config;
  RunRequest request;
  TinyDecoder tiny;
  StateArchive archive{std::int64_t{1} << 30}, patch_archive{0};
  RunControl control;

  explicit Case(unsigned seed)
      : random(seed),
        model(random_tiny_config(random)),
        config(retrieving(random, model)),
        tiny(model, seed, at::kDouble) {
    request.config = config;
    const std::int64_t tokens =
        std::min<std::int64_t>(draw(random, 5, 6) * config.segment_length - draw(random, 0, 3), model.vocabulary);
    request.ids = std::make_shared<std::vector<std::int32_t>>(distinct_ids(random, tokens, model.vocabulary));
    request.capture.states = true;
  }

  static SegmentConfig retrieving(std::mt19937& random, const ModelConfig& model) {
    SegmentConfig config = random_small_config(random, model);
    config.segment_length = draw(random, 12, 26);
    config.carry_length = draw(random, 1, config.segment_length - 4);
    config.sink_length = draw(random, 0, 4);
    config.retrieval_length = draw(random, 4, 20);
    config.grouping = Grouping({1}, {{0, 2}});
    config.pool_keys = random_pool_keys(random);
    return config;
  }

  std::int64_t segments() const { return (std::ssize(*request.ids) - 1) / config.segment_length + 1; }

  std::vector<std::shared_ptr<const SegmentSnapshot>> run(const RunRequest& what, StateArchive* into = nullptr) {
    Kept kept;
    run_text(tiny.decoder, what, kept, control, into);
    return kept.segments;
  }

  struct Result {
    WhatIfBase base;
    std::vector<WhatIfOutcome> edited;
  };
  Result what_if(std::int64_t segment, std::vector<SegmentEdit> edits) {
    Result result;
    result.base = run_what_if(
        tiny.decoder, {request, segment, std::move(edits)},
        [&](std::size_t, const WhatIfOutcome& outcome) { result.edited.push_back(outcome); }, control, archive,
        patch_archive);
    return result;
  }
  WhatIfOutcome one(std::int64_t segment, const SegmentEdit& edit) { return what_if(segment, {edit}).edited.at(0); }
};

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return 1e9;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(double(a[i]) - double(b[i])));
  return largest;
}

std::set<std::int64_t> positions(const std::vector<HeadHits>& hits) {
  std::set<std::int64_t> all;
  for (const HeadHits& head : hits)
    for (const Hit& hit : head.hits) all.insert(hit.position);
  return all;
}

}  // namespace

class WhatIfTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void a_segment_that_is_run_again_is_the_segment_that_was_run() {
    for (unsigned seed = 0; seed < 8; ++seed) {
      Case c(seed);
      const auto whole = c.run(c.request);
      for (std::int64_t segment = 0; segment < c.segments(); ++segment) {
        const auto again = c.what_if(segment, {SegmentEdit{}});
        const auto& was = *whole[static_cast<std::size_t>(segment)];
        QVERIFY(again.base.as_it_was.target_nll == was.target_nll);
        QVERIFY(again.base.as_it_was.hits == was.hits);
        QCOMPARE(again.base.first_token, was.record.first_token);
        QVERIFY(again.edited[0].target_nll == was.target_nll);
        QVERIFY(again.edited[0].hits == was.hits);
      }
    }
  }

  /// Segment 0 reads no prefix: what comes of it for segment 1 under another configuration, grouping and pool included,
  /// is what a whole run under that configuration has there.
  void the_second_segment_under_another_configuration_is_that_configurations() {
    for (unsigned seed = 20; seed < 32; ++seed) {
      Case c(seed);
      SegmentConfig other = Case::retrieving(c.random, c.model);
      other.segment_length = c.config.segment_length;
      other.sink_length = c.config.sink_length;
      other.carry_length = std::min(other.carry_length, other.segment_length - other.sink_length);
      if (seed % 3 == 0) other.grouping = Grouping({0, 1}, {{1}});
      if (seed % 4 == 0) other.retrieval_length = 0;
      RunRequest changed = c.request;
      changed.config = other;
      const auto expected = c.run(changed);
      const WhatIfOutcome outcome = c.one(1, {.config = other});
      QVERIFY2(largest_difference(outcome.target_nll, expected[1]->target_nll) < 1e-6,
               qPrintable(QString::number(seed)));
      QVERIFY(outcome.hits == expected[1]->hits);
    }
  }

  /// Keys and queries of layer 1, the only one that retrieves, don't depend on what was retrieved.
  void a_pool_with_other_keys_is_searched_as_if_it_had_always_held_them() {
    std::size_t moved = 0;
    for (unsigned seed = 300; seed < 316; ++seed) {
      Case c(seed);
      c.request.config.pool_keys = static_cast<PoolKeys>(seed % 3);
      RunRequest changed = c.request;
      changed.config.pool_keys = static_cast<PoolKeys>((seed + 1) % 3);
      const WhatIfOutcome outcome = c.one(3, {.config = changed.config});
      QVERIFY2(outcome.hits == c.run(changed)[3]->hits, qPrintable(QString::number(seed)));
      moved += !(outcome.hits == c.run(c.request)[3]->hits);
    }
    QVERIFY(moved > 4);
  }

  void parts_that_are_taken_out_are_as_if_they_had_never_been() {
    for (unsigned seed = 40; seed < 48; ++seed) {
      Case c(seed);
      const std::int64_t sinks = std::exchange(c.request.config.sink_length, 0);  // which would stand closer without
      RunRequest without = c.request;
      without.config.retrieval_length = 0;
      QVERIFY(largest_difference(c.one(1, {.prefix = PrefixSource::Off}).target_nll, c.run(without)[1]->target_nll) <
              1e-6);
      without = c.request;
      without.config.carry_length = 0;
      QVERIFY(largest_difference(c.one(1, {.no_carry = true}).target_nll, c.run(without)[1]->target_nll) < 1e-6);

      c.request.config.sink_length = 3;  // which stand in front of the rest
      without = c.request;
      without.config.sink_length = without.config.retrieval_length = 0;
      QVERIFY(largest_difference(c.one(1, {.no_sinks = true, .prefix = PrefixSource::Off}).target_nll,
                                 c.run(without)[1]->target_nll) < 1e-6);

      c.request.config.sink_length = sinks;
      const std::int64_t segment = c.segments() - 1;
      SegmentEdit every;
      for (const HeadHits& head : c.what_if(segment, {}).base.as_it_was.hits)
        for (const Hit& hit : head.hits) every.dropped.push_back({head.layer, head.head, hit.position});
      const WhatIfOutcome outcome = c.one(segment, every);
      QVERIFY(largest_difference(outcome.target_nll, c.one(segment, {.prefix = PrefixSource::Off}).target_nll) < 1e-6);
      QVERIFY(positions(outcome.hits).empty());
    }
  }

  /// If each query searches for itself, parts can be taken away and configurations changed, but no positions given.
  void a_search_per_token_takes_no_positions() {
    for (unsigned seed = 60; seed < 66; ++seed) {
      Case c(seed);
      c.request.config.search = SearchBy::PerToken;
      c.request.config.long_reads = PrefixParts::SinksRetrieved;
      c.request.config.sink_length = 0;  // which would stand closer without the pool
      const std::int64_t segment = c.segments() - 1;
      const auto whole = c.run(c.request);
      QVERIFY(c.what_if(segment, {}).base.as_it_was.target_nll == whole.back()->target_nll);
      RunRequest without = c.request;
      without.config.retrieval_length = 0;
      QVERIFY(largest_difference(c.one(1, {.prefix = PrefixSource::Off}).target_nll, c.run(without)[1]->target_nll) <
              1e-6);
      SegmentConfig other = c.request.config;
      other.search = SearchBy::PerHead;
      RunRequest changed = c.request;
      changed.config = other;
      QVERIFY(largest_difference(c.one(1, {.config = other}).target_nll, c.run(changed)[1]->target_nll) < 1e-6);
      const SlotRef slot{1, 0, 3};
      for (const SegmentEdit& edit :
           {SegmentEdit{.prefix = PrefixSource::Random}, SegmentEdit{.prefix = PrefixSource::Oracle},
            SegmentEdit{.dropped = {slot}}, SegmentEdit{.added = {slot}}, SegmentEdit{.banned = {{0, 4}}}})
        QCOMPARE(unlike(Fault::BadInput, "each query finds its own", [&] { c.one(segment, edit); }), std::string());
    }
  }

  void a_dropped_slot_changes_its_head_alone_and_is_gone_from_the_hits() {
    for (unsigned seed = 60; seed < 66; ++seed) {
      Case c(seed);
      const auto base = c.what_if(3, {}).base.as_it_was;
      const HeadHits& head = base.hits.at(1);
      const std::int64_t position = head.hits.at(head.hits.size() / 2).position;
      const WhatIfOutcome outcome = c.one(3, {.dropped = {{head.layer, head.head, position}}});
      QVERIFY(outcome.target_nll != base.target_nll);
      for (std::size_t i = 0; i < base.hits.size(); ++i) {
        auto expected = base.hits[i];
        if (i == 1) std::erase_if(expected.hits, [position](const Hit& hit) { return hit.position == position; });
        QVERIFY(outcome.hits[i] == expected);
      }
    }
  }

  void what_is_banned_is_not_chosen_and_what_is_not_there_bans_nothing() {
    for (unsigned seed = 80; seed < 88; ++seed) {
      Case c(seed);
      const auto base = c.what_if(4, {}).base.as_it_was;
      const std::set<std::int64_t> chosen = positions(base.hits);
      const TokenRange range{*chosen.begin(), *chosen.rbegin() / 2 + 1};
      const WhatIfOutcome outcome = c.one(4, {.banned = {range}});
      for (const std::int64_t position : positions(outcome.hits)) QVERIFY(!range.contains(position));
      QCOMPARE(outcome.hits.size(), base.hits.size());
      const TokenRange nothing{4 * c.config.segment_length, 5 * c.config.segment_length};
      const WhatIfOutcome same = c.one(4, {.banned = {nothing}});
      QVERIFY(same.hits == base.hits);
      QVERIFY(same.target_nll == base.target_nll);
      const WhatIfOutcome none = c.one(4, {.banned = {{0, nothing.first}}});
      QVERIFY(positions(none.hits).empty());
    }
  }

  void another_prefix_is_what_a_run_with_forced_hits_reads() {
    for (unsigned seed = 100; seed < 106; ++seed) {
      Case c(seed);
      for (const PrefixSource source : prefix_sources()) {
        if (!is_position_control(source)) continue;
        RunRequest forced = c.request;
        forced.forced_hits = control_hits(source, c.config, c.model, std::ssize(*c.request.ids), 5);
        std::erase_if(forced.forced_hits, [](const HeadHits& head) { return head.segment != 3; });
        const WhatIfOutcome outcome = c.one(3, {.prefix = source, .seed = 5});
        const auto expected = c.run(forced);
        QVERIFY(outcome.target_nll == expected[3]->target_nll);
        QVERIFY(outcome.hits == expected[3]->hits);
      }
    }
  }

  /// Sinks are no part of what a what-if takes out, adds or changes.
  void sinks_stay() {
    for (unsigned seed = 110; seed < 114; ++seed) {
      Case c(seed);
      c.request.config.sink_length = 3;
      const auto base = c.what_if(3, {}).base.as_it_was;
      for (const HeadHits& head : base.hits) QVERIFY(head.hits.front().position >= 3);
      const HeadHits& head = base.hits.at(0);
      QVERIFY_THROWS_EXCEPTION(EngineError, c.one(3, {.added = {{head.layer, head.head, 2}}}));
      SegmentEdit fewer;
      fewer.config = c.request.config;
      fewer.config->sink_length = 2;
      QVERIFY_THROWS_EXCEPTION(EngineError, c.one(3, fewer));
      RunRequest forced = c.request;
      forced.forced_hits = {head};
      forced.forced_hits[0].hits.front().position = 1;
      QVERIFY_THROWS_EXCEPTION(EngineError, c.run(forced));
      // Without carry and retrieval only the sinks are left, and they are read.
      const WhatIfOutcome sinks = c.one(3, {.no_carry = true, .prefix = PrefixSource::Off});
      RunRequest nothing = c.request;
      nothing.config.sink_length = nothing.config.carry_length = nothing.config.retrieval_length = 0;
      QVERIFY(largest_difference(sinks.target_nll, c.run(nothing)[3]->target_nll) > 1e-4);
    }
  }

  void an_added_position_takes_the_place_of_the_least() {
    for (unsigned seed = 120; seed < 126; ++seed) {
      Case c(seed);
      const auto base = c.what_if(4, {}).base.as_it_was;
      const HeadHits& head = base.hits.at(0);
      std::int64_t position = c.config.sink_length;
      while (std::any_of(head.hits.begin(), head.hits.end(), [&](const Hit& hit) { return hit.position == position; }))
        ++position;
      const WhatIfOutcome outcome = c.one(4, {.added = {{head.layer, head.head, position}}});
      const auto& read = outcome.hits.at(0).hits;
      QCOMPARE(read.size(), head.hits.size());
      QVERIFY(std::any_of(read.begin(), read.end(), [&](const Hit& hit) { return hit.position == position; }));
      QVERIFY(
          std::is_sorted(read.begin(), read.end(), [](const Hit& a, const Hit& b) { return a.position < b.position; }));
      QVERIFY(outcome.hits.at(1) == base.hits.at(1));
      QVERIFY(outcome.target_nll != base.target_nll);
    }
  }

  void added_positions_leave_each_other_alone() {
    for (unsigned seed = 180; seed < 186; ++seed) {
      Case c(seed);
      const auto base = c.what_if(4, {}).base.as_it_was;
      const HeadHits& head = base.hits.at(0);
      const auto reads = [](const std::vector<Hit>& hits, std::int64_t position) {
        return std::any_of(hits.begin(), hits.end(), [&](const Hit& hit) { return hit.position == position; });
      };
      std::vector<SlotRef> added;
      const std::size_t wanted = std::min<std::size_t>(3, head.hits.size());
      for (std::int64_t position = c.request.config.sink_length; added.size() < wanted; ++position)
        if (!reads(head.hits, position)) added.push_back({head.layer, head.head, position});
      const WhatIfOutcome outcome = c.one(4, {.added = added});
      const auto& read = outcome.hits.at(0).hits;
      QCOMPARE(read.size(), head.hits.size());
      for (const SlotRef& slot : added) QVERIFY(reads(read, slot.position));
    }
  }

  void the_oracle_reads_what_the_heads_attend_to_most() {
    for (unsigned seed = 140; seed < 146; ++seed) {
      Case c(seed);
      InspectRequest look{c.request, 4, {}};
      look.parts.recall = true;
      const Inspection inspection = inspect_segment(c.tiny.decoder, look, c.control, c.archive);
      const WhatIfOutcome outcome = c.one(4, {.prefix = PrefixSource::Oracle});
      QCOMPARE(outcome.hits.size(), inspection.recall.size());
      for (std::size_t i = 0; i < outcome.hits.size(); ++i) {
        std::vector<std::int64_t> read;
        for (const Hit& hit : outcome.hits[i].hits) read.push_back(hit.position);
        QVERIFY(read == inspection.recall[i].oracle);
      }
    }
  }

  void kept_states_change_the_price_and_nothing_else() {
    for (unsigned seed = 160; seed < 164; ++seed) {
      Case c(seed);
      const std::int64_t last = c.segments() - 1;
      const WhatIfRequest request{c.request, last, {SegmentEdit{}}};
      QCOMPARE(count_what_if_segments(request, c.archive, c.patch_archive), last + 2);
      const auto from_nothing = c.what_if(last, request.edits);
      QCOMPARE(from_nothing.base.segments_run, last + 1);

      StateArchive all(std::int64_t{1} << 30), few(1);
      all.open(c.request);
      few.open(c.request);
      c.run(c.request, &all);
      c.run(c.request, &few);
      QCOMPARE(count_what_if_segments(request, all, c.patch_archive), std::int64_t{2});
      QCOMPARE(few.bytes(), std::int64_t{0});
      QCOMPARE(count_what_if_segments(request, few, c.patch_archive), last + 2);
      WhatIfOutcome kept;
      const auto base = run_what_if(
          c.tiny.decoder, request, [&](std::size_t, const WhatIfOutcome& outcome) { kept = outcome; }, c.control, all,
          c.patch_archive);
      QCOMPARE(base.segments_run, std::int64_t{1});
      QVERIFY(base.as_it_was.target_nll == from_nothing.base.as_it_was.target_nll);
      QVERIFY(kept.target_nll == from_nothing.edited[0].target_nll);

      RunRequest other = c.request;
      other.config.carry_length -= 1;
      QVERIFY(all.nearest(other, last) == nullptr);
    }
  }

  void a_full_archive_keeps_every_second_state() {
    Case c(180);
    StateArchive all(std::int64_t{1} << 30);
    all.open(c.request);
    c.run(c.request, &all);
    StateArchive half(all.bytes() - 1);
    half.open(c.request);
    c.run(c.request, &half);
    QVERIFY(half.bytes() < all.bytes() && half.bytes() > 0);
    QCOMPARE(half.nearest(c.request, 3)->next.index, std::int64_t{2});
  }

  void many_short_segments_keep_a_bounded_number_of_states() {
    Case c(190);
    StateArchive archive(std::int64_t{1} << 30);
    archive.open(c.request);
    c.run(c.request, &archive);
    const std::unique_ptr<PolicyState> state = archive.nearest(c.request, 3)->clone();
    constexpr std::int64_t kSegments = 3 * StateArchive::kMostStates;
    archive.clear();
    archive.open(c.request);
    std::int64_t one = 0;
    for (std::int64_t segment = 1; segment <= kSegments; ++segment) {
      state->next.index = segment;
      archive.keep(*state);
      if (segment == 1) one = archive.bytes();
    }
    QVERIFY(one > 0 && archive.bytes() <= one * static_cast<std::int64_t>(StateArchive::kMostStates));
    for (std::int64_t segment = 4; segment <= kSegments; ++segment) {
      const PolicyState* kept = archive.nearest(c.request, segment);
      QVERIFY(kept != nullptr && kept->next.index <= segment && kept->next.index > segment - 4);
      for (std::size_t layer = 0; layer < state->carry.layers.size(); ++layer)
        QVERIFY(at::equal(kept->carry.layers[layer].keys, state->carry.layers[layer].keys));
    }
  }

  void what_can_not_be_is_said() {
    Case c(200);
    const HeadHits head = c.what_if(3, {}).base.as_it_was.hits.at(0);
    const std::int64_t future = 3 * c.config.segment_length;
    SegmentConfig shorter = c.config;
    shorter.segment_length -= 1;
    shorter.carry_length = 1;
    for (const SegmentEdit& edit :
         {SegmentEdit{.dropped = {{head.layer, head.head, future + 1}}}, SegmentEdit{.dropped = {{0, 0, 0}}},
          SegmentEdit{.added = {{head.layer, head.head, future}}}, SegmentEdit{.added = {{0, 0, 0}}},
          SegmentEdit{.config = shorter}})
      QVERIFY_THROWS_EXCEPTION(EngineError, c.one(3, edit));
    QVERIFY_THROWS_EXCEPTION(EngineError, c.one(c.segments(), {}));
    QVERIFY_THROWS_EXCEPTION(EngineError, c.one(-1, {}));
    c.request.policy = "full";
    QVERIFY_THROWS_EXCEPTION(EngineError, c.one(1, {}));
    c.request.policy = "segmented";
    c.control.request_stop();
    QVERIFY_THROWS_EXCEPTION(EngineError, c.one(3, {}));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<WhatIfTest>};
#include "what_if_test.moc"
