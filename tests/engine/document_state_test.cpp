// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about a text that was read: the state behind it gives the answers that reading it again gives.
#include "engine/runs/document_state.h"

#include <QTest>

#include "engine/config/recall_preset.h"
#include "engine/runs/generation.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// A text of four segments and the rest of one, and what is asked behind it.
struct Case {
  std::mt19937 random;
  ModelConfig model;
  TinyDecoder tiny;
  RunRequest text;
  RunControl control;

  explicit Case(unsigned seed) : random(seed), model(random_tiny_config(random)), tiny(model, seed, at::kDouble) {
    text.config = random_varied_config(random, model);
    text.config.segment_length = 20;
    text.config.carry_length = 8;
    text.config.sink_length = 2;
    text.config.question_pass = true;
    text.config.boundary_at_prompt_end = false;
    text.ids = std::make_shared<const std::vector<std::int32_t>>(distinct_ids(random, 87, model.vocabulary));
    text.capture.states = true;
  }

  void searches_by_windows() {
    text.config = recall_preset(model, SegmentConfig::untrained_defaults_for(model));
    text.config.segment_length = 20;
    text.config.carry_length = 8;
    text.config.sink_length = 2;
    text.config.retrieval_length = 12;
    text.config.window_length = 4;
    text.config.search_heads = {{0, 1}};
  }

  GenerateRequest question(unsigned seed) const {
    std::mt19937 drawn(seed);
    GenerateRequest request;
    request.prompt = *text.ids;
    for (const std::int32_t id : random_ids(drawn, 6, model.vocabulary)) request.prompt.push_back(id);
    request.question_length = 6;
    request.max_new_tokens = 9;
    request.config = text.config;
    return request;
  }

  GenerateResult ask(const GenerateRequest& request, DocumentState* document) {
    return generate_text(
        tiny.decoder, request, [](const GeneratedToken&) { return true; }, control, document);
  }

  bool same(const GenerateResult& a, const GenerateResult& b) const {
    return a.ids == b.ids && a.question_hits == b.question_hits;
  }
};

struct Silent : RunObserver {
  void segment_done(std::shared_ptr<const SegmentSnapshot>) override {}
};

}  // namespace

class DocumentStateTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void answers_do_not_depend_on_what_was_asked_before() {
    int retrieved = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
      Case c(seed);
      DocumentState document;
      for (unsigned asked : {1U, 2U, 1U, 3U}) {
        const GenerateRequest request = c.question(asked);
        const GenerateResult again = c.ask(request, nullptr), kept = c.ask(request, &document);
        QVERIFY2(c.same(again, kept), qPrintable(QString("seed %1, question %2").arg(seed).arg(asked)));
        QVERIFY(document.behind(c.text) != nullptr);
        retrieved += !kept.question_hits.empty();
        GenerateRequest without = request;
        without.without_retrieval = true;
        QVERIFY(c.same(c.ask(without, nullptr), c.ask(without, &document)));
        QVERIFY(c.ask(without, &document).question_hits.empty());
      }
    }
    QVERIFY(retrieved > 10);
  }

  void an_answer_is_scored_under_what_the_question_is_left_to_read() {
    int tried = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
      Case c(seed);
      c.searches_by_windows();
      GenerateRequest request = c.question(1);
      request.logprobs = true;
      const GenerateResult first = c.ask(request, nullptr);
      QCOMPARE(first.logprobs.size(), first.ids.size());
      if (first.question_hits.empty() || first.question_hits[0].hits.size() < 2) continue;
      ++tried;
      const auto same_numbers = [](const std::vector<float>& a, const std::vector<float>& b) {
        return std::ranges::equal(a, b, [](float x, float y) { return std::abs(x - y) < 1e-5F; });
      };
      // The answer as it was given has the probabilities that it was given with.
      request.answer = first.ids;
      QVERIFY(same_numbers(c.ask(request, nullptr).logprobs, first.logprobs));

      // Without some positions: as where the others are forced on the segment of the question.
      const std::vector<Hit>& found = first.question_hits[0].hits;
      request.question_without = {{found[0].position, found[1].position + 1}};
      DocumentState document;
      const GenerateResult less = c.ask(request, &document);
      QCOMPARE(less.ids, first.ids);
      QCOMPARE(less.question_hits[0].hits.size(), found.size() - 2);
      GenerateRequest forced = c.question(1);
      forced.logprobs = true;
      forced.answer = first.ids;
      forced.forced_hits = less.question_hits;
      QVERIFY(same_numbers(c.ask(forced, nullptr).logprobs, less.logprobs));

      // Without all of them: as where retrieval is switched off.
      request.question_without = {{0, 1000}};
      GenerateRequest off = c.question(1);
      off.logprobs = true;
      off.answer = first.ids;
      off.without_retrieval = true;
      QVERIFY(same_numbers(c.ask(request, &document).logprobs, c.ask(off, &document).logprobs));
    }
    QVERIFY(tried > 3);
  }

  void what_is_left_out_stays_out_behind_the_questions_segment() {
    int tried = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
      Case c(seed);
      c.searches_by_windows();
      GenerateRequest request = c.question(1);
      request.logprobs = true;
      request.max_new_tokens = 50;  // the answer goes on in three more segments
      request.answer = random_ids(c.random, 50, c.model.vocabulary);
      const GenerateResult with = c.ask(request, nullptr);
      if (with.question_hits.empty()) continue;
      GenerateRequest without = request, none_found = request, switched_off = request;
      switched_off.without_retrieval = true;
      const std::vector<float> off = c.ask(switched_off, nullptr).logprobs;
      const auto same_as_off = [&](const GenerateRequest& other) {
        return std::ranges::equal(off, c.ask(other, nullptr).logprobs,
                                  [](float x, float y) { return std::abs(x - y) < 1e-5F; });
      };
      tried += !same_as_off(request);
      without.question_without = {{0, 1000}};
      QVERIFY(same_as_off(without));
      // As where each of these segments is made to find nothing.
      for (int behind = 0; behind < 4; ++behind) {
        HeadHits none = with.question_hits[0];
        none.segment += behind;
        none.hits.clear();
        none_found.forced_hits.push_back(none);
      }
      QVERIFY(same_as_off(none_found));
    }
    QVERIFY(tried > 3);
  }

  void a_question_of_several_segments_is_refused_only_where_it_searches() {
    Case c(2);
    c.searches_by_windows();
    GenerateRequest request = c.question(1);
    request.question_length = 45;
    QCOMPARE(unlike(Fault::BadInput, "the question", [&] { c.ask(request, nullptr); }), std::string());
    request.config.retrieval_length = 0;
    QCOMPARE(c.ask(request, nullptr).ids.size(), std::size_t{9});
    request.config = c.text.config;
    request.policy = "full";
    const GenerateResult split = c.ask(request, nullptr);
    request.question_length = 0;
    QCOMPARE(split.ids, c.ask(request, nullptr).ids);
  }

  void what_can_not_be_left_out_or_scored_is_refused() {
    Case c(1);
    GenerateRequest request = c.question(1);
    request.answer = {static_cast<std::int32_t>(c.model.vocabulary)};
    QCOMPARE(unlike(Fault::BadInput, "the answer", [&] { c.ask(request, nullptr); }), std::string());
    request.answer.clear();
    request.question_without = {{0, 5}};
    request.config.search = SearchBy::PerHead;
    QCOMPARE(unlike(Fault::Usage, "no shared search", [&] { c.ask(request, nullptr); }), std::string());
  }

  void a_run_leaves_its_state_and_another_text_is_read() {
    Case c(3);
    DocumentState document;
    Silent silent;
    run_text(c.tiny.decoder, c.text, silent, c.control, nullptr, &document);
    QVERIFY(document.behind(c.text) != nullptr);
    const GenerateRequest request = c.question(1);
    QVERIFY(c.same(c.ask(request, &document), c.ask(request, nullptr)));

    RunRequest other = c.text;
    other.config.question_pass = false;  // says only how a prompt ends
    QVERIFY(document.behind(other) != nullptr);
    other.config.carry_length = 7;
    QVERIFY(document.behind(other) == nullptr);
    other = c.text;
    other.ids = std::make_shared<const std::vector<std::int32_t>>(other.ids->begin(), other.ids->end() - 1);
    QVERIFY(document.behind(other) == nullptr);
    other.capture.states = false;
    run_text(c.tiny.decoder, other, silent, c.control, nullptr, &document);
    QVERIFY(document.behind(c.text) == nullptr && document.behind(other) == nullptr);  // nothing is held beside a run
  }

  /// A preset that no model can run would be refused here.
  void the_recall_preset_fits_any_model() {
    std::mt19937 random(5);
    for (int i = 0; i < 50; ++i) {
      ModelConfig model = random_tiny_config(random);
      model.context = draw(random, 32, 100000);
      SegmentConfig config = SegmentConfig::untrained_defaults_for(model);
      config.search_heads = {{0, 1}};
      config = recall_preset(model, config);
      config.validate(model, "preset");
      QVERIFY(config.search_heads == std::vector<HeadRef>({{0, 1}}) && !known_search_heads(model));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DocumentStateTest>};
#include "document_state_test.moc"
