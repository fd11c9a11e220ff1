// SPDX-License-Identifier: GPL-3.0-or-later
// The stories of the start panel, on the real engine and the demo: what they say is what a session that knows nothing
// of the window computes.
#include "app/start/stories.h"

#include <QDir>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocumentFragment>
#include <cmath>

#include "app/start/startup.h"
#include "engine/api/engine_library.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/window_process.h"

using namespace carryover;
using namespace carryover::test;

namespace {

const StoryModel demo{demo_folder(), demo_folder() + QStringLiteral("/text.txt")};

/// Collects what a story says, as it comes.
struct Listener {
  explicit Listener(Stories& stories) {
    QObject::connect(&stories, &Stories::said, &stories, [this](const QString& text, const QString& change) {
      said += text;
      offered = change;
    });
  }
  bool waits_for(const QString& words) {
    return QTest::qWaitFor([&] { return !said.isEmpty() && said.last().contains(words); }, patience_ms);
  }
  QStringList said;
  QString offered;
};

QString percent(double nll) {
  return QStringLiteral("%1\u00A0%").arg(100 * std::exp(-nll), 0, 'g', 3);
}

}  // namespace

class StoriesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_run_of_the_demo_under_another_policy_is_not_the_story() {
    MainWindow window;
    LabContext& context = window.lab().context;
    Stories stories(window.lab(), demo);
    Listener listener(stories);
    open_demo(window, 1024);
    RunOptions options = context.run_options();
    options.policy = "streaming";
    context.set_run_options(options);
    run_to_the_end(window);
    stories.tell(Story::Retrieval);
    QVERIFY2(listener.waits_for(QStringLiteral("with probability")), qPrintable(listener.said.join(u'\n')));
    QCOMPARE(context.run().request().policy, std::string("segmented"));
  }

  void a_busy_engine_is_told_instead_of_a_story() {
    MainWindow window;
    Stories stories(window.lab(), demo);
    Listener listener(stories);
    open_demo(window, 1024);
    const SegmentConfig config = window.lab().context.config();
    QCOMPARE(stories.why_not(Story::Retrieval), QString());
    window.lab().engine.set_busy(QStringLiteral("a question is using the engine"));
    QCOMPARE(stories.why_not(Story::Retrieval), QStringLiteral("a question is using the engine"));
    stories.tell(Story::Retrieval);
    QVERIFY(listener.said.isEmpty() && window.lab().context.config() == config);
    window.lab().engine.set_busy({});
    QCOMPARE(stories.why_not(Story::Retrieval), QString());
  }

  void a_number_of_tokens_that_somebody_chose_outlasts_the_model() {
    MainWindow window;
    Lab& lab = window.lab();
    Startup startup(lab, {});
    const auto tokens_after_opening = [&lab] {
      QSignalSpy opened(&lab.loader, &ModelLoader::model_opened);
      lab.loader.open_model(demo_folder());
      return opened.wait(patience_ms) ? lab.context.run_options().token_limit : -1;
    };
    const auto choose = [&lab](std::int64_t tokens) {
      RunOptions options = lab.context.run_options();
      options.token_limit = tokens;
      options.tokens_chosen = true;
      lab.context.edit_run_options(options, QStringLiteral("tokens"));
    };
    const std::int64_t usual = tokens_after_opening();
    QCOMPARE(usual, 16 * lab.context.config().segment_length);
    RunOptions set = lab.context.run_options();
    set.token_limit = 7;  // by a story, say
    lab.context.set_run_options(set);
    QCOMPARE(tokens_after_opening(), usual);
    for (const std::int64_t tokens : {std::int64_t{300}, std::int64_t{0}}) {
      choose(tokens);
      QCOMPARE(tokens_after_opening(), tokens);
    }
    choose(std::int64_t{1} << 44);  // no machine has room for its pool
    QCOMPARE(tokens_after_opening(), usual);
    QVERIFY(!lab.context.run_options().tokens_chosen);
  }

  void a_copied_token_stands_in_its_memory() {
    MainWindow window;
    open_demo(window, 1024);
    run_to_the_end(window);
    const RunModel& run = window.lab().context.run();
    const auto& ids = *run.request().ids;
    const auto id = [&](std::int64_t i) { return ids[static_cast<std::size_t>(i)]; };
    for (const CopySource source : {CopySource::Retrieved, CopySource::Carried}) {
      const auto token = find_copied_token(run, source);
      QVERIFY(token);
      const SegmentRecord& record = run.record(token->segment);
      QVERIFY(token->target > record.first_token && token->target <= record.first_token + record.length);
      QVERIFY(run.nll_of_token(token->target) <= CopiedToken::most_loss);
      const std::int64_t carry = record.first_token - run.request().config.carry_length;
      for (std::int64_t i = record.first_token; i < token->target; ++i) QVERIFY(id(i) != id(token->target));
      bool carried = false, retrieved = false;
      for (std::int64_t i = carry; i < record.first_token; ++i) carried |= id(i) == id(token->target);
      for (const HeadHits& head : run.snapshot(token->segment).hits)
        for (const Hit& hit : head.hits)
          retrieved |= hit.kind != HitKind::Padding && id(hit.position) == id(token->target);
      QCOMPARE(carried, source == CopySource::Carried);
      QVERIFY(retrieved || source == CopySource::Carried);
      for (const std::int64_t i : token->sources) QCOMPARE(id(i), id(token->target));
      QVERIFY(std::ranges::count(token->sources, token->source) == 1);
      for (const HeadRef& head : token->heads) {
        const BriefHits hits = run.brief_hits(token->segment, head.layer, head.head);
        QVERIFY(std::ranges::any_of(hits, [&](BriefHit hit) { return hit.position() == token->source; }));
      }
    }
    const CopiedToken far = *find_copied_token(run, CopySource::Retrieved);
    QVERIFY(far.heads.size() >= 3 && far.target - far.source > run.request().config.segment_length);
  }

  void a_story_goes_with_its_run() {
    MainWindow window;
    Stories stories(window.lab(), demo);
    Listener listener(stories);
    stories.tell(Story::Retrieval);
    QVERIFY(QTest::qWaitFor([&] { return !listener.offered.isEmpty(); }, patience_ms));
    QVERIFY(!listener.said.last().isEmpty());
    run_to_the_end(window);  // the same text again, by the user
    QCOMPARE(listener.said.last(), QString());
    QVERIFY(listener.offered.isEmpty());
  }

  void the_program_prints_its_first_story_where_asked() {
    MainWindow window;
    Stories stories(window.lab(), demo);
    Listener listener(stories);
    stories.tell(Story::Retrieval);
    QVERIFY(QTest::qWaitFor([&] { return !listener.offered.isEmpty(); }, patience_ms));
    const TempDir home;
    Program program(home, {"--exit-after-story", "--no-fetch"});
    QVERIFY(program.process.waitForFinished(patience_ms));
    QCOMPARE(program.process.exitCode(), 0);
    QCOMPARE(QString::fromUtf8(program.process.readAllStandardOutput()).trimmed(),
             QTextDocumentFragment::fromHtml(listener.said.last()).toPlainText());
    Program refused(home, {"--exit-after-story", demo.model});
    QVERIFY(refused.process.waitForFinished(patience_ms));
    QCOMPARE(refused.process.exitCode(), 2);
  }

  void stories_of_the_demo_have_the_numbers_of_an_engine_of_their_own_data() {
    QTest::addColumn<Story>("story");
    QTest::addColumn<CopySource>("source");
    QTest::newRow("retrieval") << Story::Retrieval << CopySource::Retrieved;
    QTest::newRow("carry") << Story::Carry << CopySource::Carried;
  }
  void stories_of_the_demo_have_the_numbers_of_an_engine_of_their_own() {
    QFETCH(const Story, story);
    QFETCH(const CopySource, source);
    MainWindow window;
    LabContext& lab = window.lab().context;
    lab.set_run_options({.policy = "segmented", .dtype = DType::Float32});
    Stories stories(window.lab(), demo);
    Listener listener(stories);
    QVERIFY(stories.why_not(story).isEmpty());
    stories.tell(story);
    QVERIFY(QTest::qWaitFor([&] { return !listener.offered.isEmpty(); }, patience_ms));
    const RunModel& run = lab.run();
    const CopiedToken token = *find_copied_token(run, source);
    QCOMPARE(lab.selected().segment, token.segment);
    QVERIFY2(listener.said.last().contains(percent(static_cast<double>(run.nll_of_token(token.target)))),
             qPrintable(listener.said.last()));
    const auto session = load_session({demo.model.toStdString(), DType::Float32, Device::Cpu, 0, false, {}},
                                      [](double, const std::string&) {});
    RunControl control;
    SegmentEdit edit;
    if (source == CopySource::Carried) {
      edit.no_carry = true;
    } else {
      for (const HeadHits& head : run.snapshot(token.segment).hits)
        for (const Hit& hit : head.hits)
          if (std::ranges::count(token.sources, hit.position) > 0 && hit.kind != HitKind::Padding)
            edit.dropped.push_back({head.layer, head.head, hit.position});
    }
    std::vector<float> after;
    session->what_if(
        {run.request(), token.segment, {edit}},
        [&](std::size_t, const WhatIfOutcome& outcome) { after = outcome.target_nll; }, control);
    const float without = after.at(static_cast<std::size_t>(token.target - run.record(token.segment).first_token - 1));
    QVERIFY2(without > run.nll_of_token(token.target) + 1, qPrintable(QString::number(without)));
    stories.change();
    QVERIFY2(listener.waits_for("Without it"), qPrintable(listener.said.last()));
    QVERIFY2(listener.said.last().contains(percent(static_cast<double>(without))), qPrintable(listener.said.last()));
    QVERIFY(listener.offered.isEmpty());
    // Told again, it does not run again.
    QSignalSpy started(&window.lab().runs, &RunController::run_started);
    stories.tell(story);
    QVERIFY(!listener.offered.isEmpty());
    QCOMPARE(started.count(), 0);
  }

  /// A model that an earlier start has fetched is known without the script, by the names that the script gives it.
  void the_default_model_is_known_where_it_has_been_fetched() {
    const QByteArray before = qgetenv("CARRYOVER_CACHE");
    const auto restore = qScopeGuard([&] { qputenv("CARRYOVER_CACHE", before); });
    const TempDir cache;
    qputenv("CARRYOVER_CACHE", QByteArray::fromStdString(cache.path().string()));
    const StoryModel none;
    QCOMPARE(Startup::default_model(), none);
    const std::string model = "models/SmolLM2-135M-Instruct.Q4_1.gguf", text = "texts/persuasion.txt";
    const QDir folder(QString::fromStdString(cache.path().string()));
    QVERIFY(folder.mkpath("models") && folder.mkpath("texts"));
    write_bytes(cache.file(model), "weights");
    QCOMPARE(Startup::default_model(), none);  // without its book
    write_bytes(cache.file(text), "A novel.");
    QCOMPARE(Startup::default_model(),
             (StoryModel{QString::fromStdString(cache.file(model)), QString::fromStdString(cache.file(text)),
                         Startup::default_adapter()}));
    const std::string script = read_bytes(CARRYOVER_SOURCE_DIR "/scripts/fetch_assets.sh");
    for (const std::string& name : {model, text})
      QVERIFY2(script.find("$CACHE/" + name) != std::string::npos, name.c_str());
  }

  void sinks_are_told_from_two_runs() {
    MainWindow window;
    window.lab().context.set_run_options({.policy = "segmented", .dtype = DType::Float32});
    Stories stories(window.lab(), demo);
    QVERIFY(!stories.why_not(Story::Sinks).isEmpty());
    stories.set_default_model(demo);
    QVERIFY(stories.why_not(Story::Sinks).isEmpty());
    Listener listener(stories);
    stories.tell(Story::Sinks);
    QVERIFY2(listener.waits_for("nats per token"), qPrintable(listener.said.join('\n')));
    LabContext& lab = window.lab().context;
    QVERIFY(lab.pinned_run() != nullptr);
    QCOMPARE(lab.pinned_run()->request().config.sink_length, std::int64_t{0});
    QVERIFY(lab.run().request().config.sink_length > 0);
    QCOMPARE(lab.run().token_count(), lab.pinned_run()->token_count());
  }

  void a_refusal_leaves_the_story_going_and_vanishes_with_its_reason() {
    MainWindow window;
    window.show();
    Stories stories(window.lab(), demo);
    Listener listener(stories);
    stories.tell(Story::Retrieval);
    QVERIFY2(listener.waits_for("retrieved"), qPrintable(listener.said.join('\n')));
    stories.change();
    QVERIFY(!window.lab().engine.busy().isEmpty());
    window.lab().loader.open_model(demo.model);  // refused: a what-if is running
    QVERIFY(window.message_bar().isVisible());
    QVERIFY2(listener.waits_for("<br/>"), qPrintable(listener.said.join('\n')));
    QTRY_VERIFY(window.message_bar().isHidden());
  }

  void a_story_that_fails_says_nothing_more() {
    MainWindow window;
    window.lab().context.set_run_options({.policy = "segmented", .dtype = DType::Float32});
    Stories stories(window.lab(), {QStringLiteral("/nowhere"), demo.text});
    Listener listener(stories);
    QSignalSpy failed(&window.lab(), &Lab::failed);
    stories.tell(Story::Retrieval);
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(listener.said.last().isEmpty());
    open_demo(window, 1024);
    run_to_the_end(window);  // is nobody's story
    QVERIFY(listener.said.last().isEmpty());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<StoriesTest>};
#include "stories_test.moc"
