// SPDX-License-Identifier: GPL-3.0-or-later
// The scores of searchers and readers are what a question's own search finds and what a run with those readers loses.
#include <QTest>
#include <optional>

#include "engine/config/recall_preset.h"
#include "engine/heads/choice/reader_choice.h"
#include "engine/heads/recall_search.h"
#include "engine/runs/values/partition.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr std::int64_t kSegments = 5, kSegment = 24;

struct Case {
  std::mt19937 random;
  ModelConfig model;
  TinyDecoder tiny;
  RecallHeadsRequest request;
  RunControl control;

  explicit Case(unsigned seed, const std::optional<ModelConfig>& given = {})
      : random(seed), model(given ? *given : random_tiny_config(random)), tiny(model, seed, at::kDouble) {
    SegmentConfig& config = request.config;
    config = recall_preset(model, SegmentConfig::untrained_defaults_for(model));
    config.segment_length = kSegment;
    config.carry_length = 6;
    config.sink_length = 2;
    config.retrieval_length = 12;
    config.window_length = 4;
    config.search_heads = {{0, 0}};  // for runs of a test's own
    request.most_searchers = 3;
    for (int i = 0; i < 4; ++i) request.documents.push_back(document());
  }

  NeedleDocument document() {
    NeedleDocument made{random_ids(random, kSegments * kSegment, model.vocabulary), {}};
    for (int i = 0; i < 2; ++i) {
      Needle needle{"pair",
                    random_ids(random, 6, model.vocabulary),
                    random_ids(random, 4, model.vocabulary),
                    {},
                    4,
                    draw(random, 2, (kSegments - 1) * kSegment - 6),
                    true};
      needle.value.assign(needle.statement.begin() + 4, needle.statement.end());
      std::ranges::copy(needle.statement, made.ids.begin() + needle.position);
      made.needles.push_back(needle);
    }
    return made;
  }

  RecallHeads find() { return find_recall_heads(tiny.decoder, request, control); }

  std::vector<HeadHits> nothing(std::int64_t segments) const {
    std::vector<HeadHits> hits;
    for (std::int64_t segment = 1; segment <= segments; ++segment) hits.push_back({segment, 0, 0, {}, true});
    return hits;
  }
};

struct Losses : RunObserver {
  std::vector<float> nll;
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    nll.insert(nll.end(), snapshot->target_nll.begin(), snapshot->target_nll.end());
  }
};

bool holds(const std::vector<HeadHits>& lists, std::int64_t first, std::int64_t count) {
  return std::ranges::any_of(lists, [&](const HeadHits& list) {
    return count == std::ranges::count_if(list.hits, [&](const Hit& hit) {
             return hit.position >= first && hit.position < first + count;
           });
  });
}

}  // namespace

class RecallHeadsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void shares_are_what_the_questions_own_search_finds() {
    for (unsigned seed = 0; seed < 4; ++seed) {
      Case c(seed);
      const RecallHeads found = c.find();
      QVERIFY(found.complete && !found.searchers.empty());
      std::vector<HeadRef> searchers;
      for (const SearcherStep& step : found.searchers) {
        searchers.push_back(step.head);
        std::int64_t chosen_by = 0, held_out = 0;
        for (std::size_t i = 0; i < c.request.documents.size(); ++i)
          for (const Needle& needle : c.request.documents[i].needles)
            (i == 3 ? held_out : chosen_by) += asks(c, searchers, c.request.documents[i], needle);
        QCOMPARE(step.found.chosen_by, static_cast<double>(chosen_by) / 6);
        QCOMPARE(step.found.held_out, static_cast<double>(held_out) / 2);
      }
    }
  }

  void losses_are_those_of_a_run_that_reads_the_needle() {
    for (unsigned seed = 0; seed < 4; ++seed) {
      Case c(seed);
      c.request.loss_rise = 0.02;
      const RecallHeads found = c.find();
      QVERIFY(std::abs(run_loss(c, Grouping()) - found.loss_without) < 1e-5);
      for (const ReaderStep& step : found.readers)
        QVERIFY2(std::abs(run_loss(c, step.readers) - step.loss) < 1e-5,
                 qPrintable(QString("seed %1: %2 and %3").arg(seed).arg(run_loss(c, step.readers)).arg(step.loss)));
      QCOMPARE(found.readers.front().readers, all_readers(c.model));
    }
  }

  /// A layer with a window of its own sees nothing retrieved, the first one of many models among them. The settings
  /// name no searcher, because the search finds them.
  void windowed_layers_neither_search_nor_read() {
    ModelConfig model = tiny_config(4, 4, 2, 8, 160);
    model.architecture = "qwen3";
    model.window = 12;
    model.window_layers = {0, 2};
    Case c(5, model);
    c.request.config.search_heads.clear();
    const RecallHeads found = c.find();
    QVERIFY(found.complete && !found.searchers.empty());
    for (const SearcherStep& step : found.searchers) QVERIFY(!model.is_windowed(step.head.layer));
    QCOMPARE(found.readers.front().readers.long_range_layers(), (std::vector<int>{1, 3}));
    model.window_layers = {0, 1, 2, 3};
    QCOMPARE(unlike(Fault::BadInput, "every layer of this model has a window", [&] { Case(5, model).find(); }),
             std::string());
  }

  void a_search_goes_on_where_it_was_stopped() {
    Case c(1);
    std::vector<RecallHeads> kept;
    c.request.keep = [&](const RecallHeads& heads) { kept.push_back(heads); };
    const RecallHeads whole = c.find();
    QVERIFY(kept.size() >= 3);
    c.request.keep = {};
    for (const RecallHeads& partial : kept) {
      c.request.known = partial;
      const RecallHeads again = c.find();
      QCOMPARE(again.search_heads(), whole.search_heads());
      QVERIFY(std::abs(again.loss_without - whole.loss_without) < 1e-12);
      QVERIFY(std::abs(again.readers.front().loss - whole.readers.front().loss) < 1e-12);
    }
  }

  void a_stop_ends_it_with_what_was_kept() {
    Case c(2);
    RecallHeads kept;
    c.request.keep = [&](const RecallHeads& heads) {
      kept = heads;
      if (heads.all_searchers) c.control.request_stop();
    };
    QCOMPARE(unlike(Fault::Cancelled, "", [&] { c.find(); }), std::string());
    QVERIFY(kept.all_searchers && !kept.complete);
  }

  /// Before anything is read.
  void what_does_not_fit_into_memory_is_refused() {
    Case c(1);
    NeedleDocument& document = c.request.documents[0];
    document.needles.resize(400'000, document.needles.front());
    for (int i = 0; i < 2000; ++i)
      document.ids.insert(document.ids.end(), c.request.documents[1].ids.begin(), c.request.documents[1].ids.end());
    bool began = false;
    c.request.progress = [&](double, const std::string&) { began = true; };
    QCOMPARE(unlike(Fault::OutOfMemory, "what each head finds", [&] { c.find(); }), std::string());
    QVERIFY(!began);
  }

  void requests_that_make_no_sense_are_refused() {
    const auto refused = [](auto change) {
      Case c(3);
      change(c.request);
      const auto error = error_of([&] { c.find(); });
      return error && error->fault() == Fault::BadInput;
    };
    QVERIFY(refused([](RecallHeadsRequest& r) { r.documents.clear(); }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.held_out = 4; }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.most_searchers = 0; }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.loss_rise = std::nan(""); }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.config.search = SearchBy::PerHead; }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.config.long_reads = PrefixParts::SinksRetrieved; }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.documents[0].needles[0].position = kSegments * kSegment; }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.documents[0].needles[0].position = kSegments * kSegment - 6; }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.documents[0].needles[0].value_offset = -1; }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.documents[0].needles[0].value.clear(); }));
    QVERIFY(refused([](RecallHeadsRequest& r) { r.documents[0].needles[0].question.resize(40, 1); }));
    QVERIFY(refused([](RecallHeadsRequest& r) {
      for (NeedleDocument& document : r.documents) document.needles.clear();
    }));
  }

 private:
  /// Returns true if the search of the question's draft by these heads finds the answer, behind the document read
  /// without retrieval.
  static bool asks(Case& c, const std::vector<HeadRef>& searchers, const NeedleDocument& document,
                   const Needle& needle) {
    SegmentConfig config = c.request.config;
    config.grouping = all_readers(c.model);
    config.search_heads = searchers;
    std::ranges::sort(config.search_heads);
    PreparedRun reading(c.tiny.decoder, {"segmented", config, 200, c.nothing(kSegments)});
    for (std::int64_t first = 0; first < std::ssize(document.ids); first += kSegment)
      reading.runner().run_segment(ids_tensor(c.tiny.decoder, part_of(document.ids, first, kSegment)));
    PreparedRun asking(c.tiny.decoder, {"segmented", config, 200});
    asking.runner().resume(reading.runner().take_state());
    asking.runner().draft(ids_tensor(c.tiny.decoder, needle.question));
    return holds(asking.runner().state().hits, needle.value_position(), std::ssize(needle.value));
  }

  /// Returns the mean loss of the answers in a run of the document, its question and its answer as one text.
  static double run_loss(Case& c, const Grouping& readers) {
    double sum = 0;
    int asked = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (const Needle& needle : c.request.documents[i].needles) {
        RunRequest run;
        std::vector<std::int32_t> ids = c.request.documents[i].ids;
        ids.insert(ids.end(), needle.question.begin(), needle.question.end());
        ids.insert(ids.end(), needle.value.begin(), needle.value.end());
        run.ids = std::make_shared<const std::vector<std::int32_t>>(ids);
        run.config = c.request.config;
        run.config.grouping = readers;
        run.config.cross_boundary_target = true;
        run.forced_hits = c.nothing(kSegments - 1);
        HeadHits list{kSegments, 0, 0, {}, true};
        const std::int64_t end = kSegments * kSegment - run.config.carry_length,
                           begin = std::clamp<std::int64_t>(needle.position + 3 - 6, 2, end - 12);
        for (std::int64_t position = begin; position < begin + 12; ++position)
          list.hits.push_back({.position = position});
        run.forced_hits.push_back(list);
        Losses losses;
        run_text(c.tiny.decoder, run, losses, c.control);
        const double a = static_cast<double>(losses.nll[losses.nll.size() - 2]),
                     b = static_cast<double>(losses.nll.back());
        sum += (a + b) / 2;
        ++asked;
      }
    return sum / asked;
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RecallHeadsTest>};
#include "recall_heads_test.moc"
