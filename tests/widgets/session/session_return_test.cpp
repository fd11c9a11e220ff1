// SPDX-License-Identifier: GPL-3.0-or-later
// The parts that come back beside a run and its selection: what-ifs, the pinned run and selection, a range, a run that
// was opened from its folder, and what is left of a session whose engine or folder is gone.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QMessageBox>
#include <QSemaphore>
#include <QTest>

#include "app/saved_window/kept_questions.h"
#include "engine/formats/output_file.h"
#include "engine/runs/values/edit_json.h"
#include "engine/training/records/training_plan.h"
#include "tests/support/expect_error.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_states.h"
#include "widgets/compare/state/comparison_rows.h"
#include "widgets/lab/panel.h"
#include "widgets/look/quantity_text.h"
#include "widgets/panels/lab_report.h"
#include "widgets/runs/state/provenance.h"

using namespace carryover;
using namespace carryover::test;

namespace {

void run_what_if(Someone& someone, const SegmentEdit& edit, const QString& name) {
  WhatIfs& what_ifs = someone.lab().what_ifs();
  const std::size_t before = what_ifs.results().size();
  what_ifs.ask_run({someone.lab().selected().segment, {edit}}, name);
  QTRY_VERIFY_WITH_TIMEOUT(what_ifs.results().size() == before + 1 && !what_ifs.running(), patience_ms);
}

SegmentEdit edit_of_every_kind(Someone& someone) {
  SegmentEdit edit;
  edit.no_carry = true;
  edit.prefix = PrefixSource::Random;
  edit.seed = 7;
  edit.dropped = {{1, 0, 3}};
  edit.added = {{1, 0, 5}, {1, 1, 8}};
  edit.banned = {{3, 9}};
  edit.config = someone.lab().run().request().config;
  edit.config->retrieval_length /= 2;
  return edit;
}

SegmentEdit edit_without_a_hit(Someone& someone) {
  const Selection& selected = someone.lab().selected();
  const HeadHits& read = *someone.lab().run().hits(selected.segment, selected.layer, selected.head);
  SegmentEdit edit;
  edit.dropped = {{selected.layer, selected.head, read.hits.front().position}};
  return edit;
}

/// All that is known of each, as text.
std::vector<std::string> told_of(const WhatIfs& what_ifs) {
  std::vector<std::string> all;
  for (const KeptWhatIf& each : kept_of(what_ifs)) all.push_back(what_ifs_text({each}));
  return all;
}

QString kept_file(const QString& home) {
  return SessionFolder::left_behind(home + QStringLiteral("/sessions")).front() + QStringLiteral("/session.json");
}

}  // namespace

class SessionReturnTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    fail_on_qt_warnings();
    folder_ = std::make_unique<TempDir>();
    home_ = QString::fromStdString(folder_->path().string());
    notes_.clear();
  }

  void what_ifs_pins_and_the_range_come_back() {
    std::vector<std::string> what_ifs, pinned_run;
    SegmentEdit draft;
    nlohmann::json described;
    QString provenance;
    {
      Someone someone(home_);
      LabContext& lab = someone.lab();
      someone.keeper.begin(false);
      QVERIFY(run_whole(someone));
      lab.pin_run();
      pinned_run = told(*lab.pinned_run());
      SegmentEdit no_carry;
      no_carry.no_carry = true;
      run_what_if(someone, no_carry, "of the first run");
      SegmentConfig config = lab.config();
      config.retrieval_length -= 4;
      lab.set_config(config);
      QVERIFY(run_whole(someone, 800));
      run_what_if(someone, edit_without_a_hit(someone), "“of the second”");
      draft = edit_of_every_kind(someone);
      lab.what_ifs().set_draft(draft);
      lab.what_ifs().show(0);
      lab.pin({1, 0, 0, -1});
      lab.set_range({1, 2});
      what_ifs = told_of(lab.what_ifs());
      described = config_json(someone.window.lab().runs.describe_run());
      provenance = run_provenance(lab.run());
    }
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    LabContext& lab = someone.lab();
    QVERIFY(told_of(lab.what_ifs()) == what_ifs);
    QVERIFY(!lab.what_ifs().in_run(0) && lab.what_ifs().in_run(1));
    QCOMPARE(lab.what_ifs().shown(), 0);
    QVERIFY(edit_json(lab.what_ifs().draft()) == edit_json(draft));
    QVERIFY((lab.pinned() == Selection{1, 0, 0, -1}));
    QVERIFY((lab.range() == SegmentRange{1, 2}));
    QVERIFY(lab.pinned_run() != nullptr && lab.comparison() != nullptr);
    QVERIFY(told(*lab.pinned_run()) == pinned_run);
    QVERIFY(config_json(someone.window.lab().runs.describe_run()) == described);
    QCOMPARE(run_provenance(lab.run()), provenance);
    QVERIFY(!lab.run().origin().command_line.empty());
    run_what_if(someone, edit_without_a_hit(someone), "once more");  // and it continues from there
    const auto& results = lab.what_ifs().results();
    QVERIFY(results[2].after == results[1].after);

    lab.notebook().restore("seen <twice>", {{"there", {1, 0, 2, -1}}});
    lab.what_ifs().show(0);
    write_lab_report(lab, {&someone.window.docks().plot("loss"), &someone.window.docks().plot("what_if")},
                     home_ + "/report.html");
    const QString report = QString::fromStdString(read_bytes((home_ + "/report.html").toStdString()));
    for (const QString& part :
         {QString("“of the second”"), QString("once more"), signed_text(results[1].change.mean, 4),
          edit_text(results[1].edit, results[1].run_config), QString("seen &lt;twice&gt;"),
          QString("segment 1, layer 0, head 2"), QString::fromStdString(lab.pinned_run()->origin().id),
          comparison_rows(*lab.comparison(), {}).back().name})
      QVERIFY2(report.contains(part), qPrintable(part));
    QVERIFY(!report.contains("<td>of the first run") && report.contains("<td>once more"));
    QCOMPARE(report.count("Of another run: " + run_name_in(results[0].provenance).toHtmlEscaped()), 1);
  }

  void files_that_nothing_names_any_more_go() {
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(run_whole(someone, 400));
      someone.lab().pin_run();
      for (int i = 0; i < 3; ++i) QVERIFY(run_whole(someone, 400));
      SegmentEdit edit;
      edit.no_carry = true;
      for (int i = 0; i < 2; ++i) run_what_if(someone, edit, QString::number(i));
      someone.lab().unpin_run();
      RunLibrary& library = someone.lab().library();
      QStringList places;
      for (int i = 0; i < 3; ++i) places += library.run(i).place;  // its runs stay as long as they are listed
      someone.window.lab().library.remove(places);
    }
    const QDir kept = QFileInfo(kept_file(home_)).dir();
    QCOMPARE(kept.entryList({"*.journal"}).size(), 1);
    QCOMPARE(kept.entryList({"what-ifs*"}).size(), 1);
  }

  /// The model comes back in the dtype of the session's numbers; what was left to the program stays left to it.
  void a_dtype_that_nobody_chose_comes_back_as_not_chosen() {
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      someone.window.lab().loader.open_model(demo_folder());
      someone.window.lab().loader.open_text(demo_folder() + "/text.txt");
      QVERIFY(wait_for([&] { return someone.window.lab().runs.can_run(); }));
    }
    const QString kept = kept_file(home_);
    SessionState state = read_session(kept);
    QVERIFY(state.options.dtype == DType::Auto && state.dtype != DType::Auto);
    state.dtype = DType::Float64;  // as on a machine where that is the faster one
    write_file_atomically(kept.toStdString(), session_text(state, QFileInfo(kept).absolutePath()));
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    QVERIFY(someone.window.lab().loader.model()->info.dtype == DType::Float64);
    QVERIFY(someone.lab().run_options().dtype == DType::Auto);
    someone.keeper.keep_now();
    QTRY_VERIFY(read_session(kept).options.dtype == DType::Auto && read_session(kept).dtype == DType::Float64);
    someone.window.lab().loader.reopen_model();
    QVERIFY(wait_for([&] { return someone.window.lab().runs.can_run(); }));
    QVERIFY(someone.window.lab().loader.model()->info.dtype != DType::Float64);  // and chooses again
  }

  void a_run_of_a_folder_comes_back_from_it() {
    const QString run = home_ + "/run";
    std::vector<std::string> saved;
    {
      Someone someone(home_ + "/first");
      QVERIFY(run_whole(someone, 600));
      QSignalSpy written(&someone.window.lab().runs, &RunController::saved);
      someone.window.lab().runs.save_run(run);
      QVERIFY(written.wait(patience_ms));
      saved = told(someone.lab().run());
    }
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QSignalSpy opened(&someone.window.lab().runs, &RunController::run_opened);
      someone.window.open_path(run);
      QVERIFY(opened.wait(patience_ms));
      someone.lab().pin_run();
      someone.lab().notebook().set_text("no model was opened");
    }
    QVERIFY(QFileInfo(kept_file(home_)).dir().entryList({"*.journal"}).isEmpty());
    {
      Someone someone(home_);
      QVERIFY(bring_back(someone));
      QVERIFY(!someone.window.lab().loader.model());
      QVERIFY(told(someone.lab().run()) == saved);
      QVERIFY(told(*someone.lab().pinned_run()) == saved);
      QCOMPARE(QString::fromStdString(someone.lab().run().origin().folder), run);
      QVERIFY(someone.lab().run().tokenizer() != nullptr);  // its model's files are in reach
      QCOMPARE(someone.lab().notebook().text(), QString("no model was opened"));
    }
    QVERIFY(QDir(run).removeRecursively());
    Someone someone(home_);
    listen(someone);
    QVERIFY(!someone.keeper.begin(true));
    QCOMPARE(notes_.filter("run is gone").size(), 1);
    QSignalSpy failed(&someone.keeper, &SessionKeeper::failed);
    QSignalSpy restored(&someone.keeper, &SessionKeeper::session_opened);
    someone.keeper.open_earlier(someone.keeper.earlier().folders().front());  // for the sake of its notes
    QVERIFY(restored.wait(patience_ms));
    QVERIFY(failed.count() > 0 && notes_.filter(run).size() > 0);
    QCOMPARE(someone.lab().notebook().text(), QString("no model was opened"));
  }

  void a_saved_run_comes_back_with_its_folder() {
    const QString run = home_ + "/run";
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(run_whole(someone, 400));
      QSignalSpy written(&someone.window.lab().runs, &RunController::saved);
      someone.window.lab().runs.save_run(run);
      QVERIFY(written.wait(patience_ms));
    }
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    QCOMPARE(QString::fromStdString(someone.lab().run().origin().folder), run);
    QVERIFY(shows_a_run(someone.window));
  }

  /// With passages, settings and probabilities, in what was kept, in a session file, in a report and in the list of
  /// runs.
  void questions_and_answers_come_back() {
    const QString file = home_ + "/asked.carryover";
    std::string asked;
    const auto look = [&](Someone& someone) {
      const std::vector<Question>& all = someone.lab().questions().all();
      QCOMPARE(all.size(), std::size_t{1});
      QCOMPARE(questions_text(all), asked);
      const Question& question = all.front();
      QVERIFY(question.complete && question.answer == QStringLiteral("Eva <came>."));
      QVERIFY(question.probability == 0.5 && question.probability_without == 0.25 && question.passages.size() == 1);
      QCOMPARE(question.config.retrieval_length, std::int64_t{5});
      QCOMPARE(question.what_ifs, (std::vector<Question::WhatIf>{{{{3, 5}}, 0.125}}));
      const RunLibrary& library = someone.lab().library();
      const int row = library.index_of(QStringLiteral("question:%1").arg(question.id));
      QVERIFY(row >= 0 && library.run(row).kind == ListedKind::Question);
      QVERIFY(library.run(row).name == QStringLiteral("Who came?") && library.run(row).text == question.answer);
      QCOMPARE(library.run(row).tags, QStringList("paper"));
      const QString report = home_ + "/report.html";
      write_lab_report(someone.lab(), {}, report);
      const QString told = QString::fromStdString(read_bytes(report.toStdString()));
      for (const char* part :
           {"Who came?", "Eva &lt;came&gt;.", "Nobody.", "“Eva”: 50.0\u00A0%, without retrieval 25.0\u00A0%",
            "<td>3–4</td>", "<td>12.5\u00A0%</td>", "a passage", "retrieval_length 5"})
        QVERIFY2(told.contains(QString::fromUtf8(part)), part);
    };
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(run_whole(someone, 400));
      Question question;
      question.text = "Who came?";
      question.provenance = run_provenance(someone.lab().run());
      question.policy = "segmented";
      question.config = someone.lab().config();
      question.config.retrieval_length = 5;
      question.made_ms = 1'700'000'000'000;
      Questions& questions = someone.lab().questions();
      questions.begin(question);
      questions.add_text(false, "Eva <came>.");
      questions.add_text(true, "Nobody.");
      HeadHits hits{8, 1, 0, {}, true};
      for (const std::int64_t position : {3, 4}) hits.hits.push_back({position, HitKind::Anchor, 1.5F, position, 0});
      questions.set_hits({hits}, {{3, 5, 0, 1.5F, "a passage"}});
      questions.set_probabilities("Eva", 0.5, 0.25);
      questions.complete();
      questions.end();
      questions.add_what_if({{{3, 5}}, 0.125});
      const int row = someone.lab().library().index_of(QStringLiteral("question:0"));
      QVERIFY(row >= 0);
      someone.lab().library().set_tags(row, {"paper"});
      asked = questions_text(questions.all());
      QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
      someone.keeper.save_session(file);
      QVERIFY(saved.count() > 0 || saved.wait(patience_ms));
      QVERIFY(QFile::exists(home_ + "/asked.files/questions.json"));
    }
    {
      Someone someone(home_);
      QVERIFY(bring_back(someone));
      look(someone);
    }
    QDir(home_ + "/sessions").removeRecursively();
    Someone someone(home_);
    someone.keeper.begin(false);
    QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
    someone.keeper.open_session(file);
    QVERIFY(opened.count() > 0 || opened.wait(patience_ms));
    look(someone);
  }

  void crafted_questions_are_refused_data() {
    QTest::addColumn<QString>("fields");
    QTest::newRow("a text that is a number") << QStringLiteral(R"({"text": 1})");
    QTest::newRow("positions that do not ascend") << QStringLiteral(R"({"passages": [{"positions": [5, 3]}]})");
    QTest::newRow("one position") << QStringLiteral(R"({"passages": [{"positions": [5]}]})");
    QTest::newRow("a probability above 1") << QStringLiteral(R"({"probability": 1.5})");
    QTest::newRow("an unknown policy") << QStringLiteral(R"({"policy": "best"})");
    QTest::newRow("hits of text") << QStringLiteral(R"({"hits": ["x"]})");
    QTest::newRow("settings out of range") << QStringLiteral(R"({"config": {"segment_length": "x"}})");
    QTest::newRow("what-ifs of numbers") << QStringLiteral(R"({"what_ifs": [1]})");
  }

  void crafted_questions_are_refused() {
    QFETCH(QString, fields);
    const QString file = home_ + "/questions.json";
    write_bytes(file.toStdString(),
                R"({"format": "carryover questions", "version": 1, "questions": [)" + fields.toStdString() + "]}");
    const auto error = error_of([&] { read_questions(file); });
    QVERIFY(error && error->fault() == Fault::BadInput);
    QVERIFY2(error->where().starts_with(file.toStdString()), error->what());
  }

  void a_session_without_a_run_leaves_none_of_the_one_before() {
    const QString file = home_ + "/b.carryover";
    SessionState state;
    state.notes = "nothing has been run";
    write_file_atomically(file.toStdString(), session_text(state, home_));
    Someone someone(home_);
    someone.keeper.begin(false);
    QVERIFY(run_whole(someone, 400));
    LabContext& lab = someone.lab();
    lab.pin_run();
    lab.questions().begin({});
    lab.questions().end();
    QVERIFY(lab.digests().count() > 0);
    QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
    someone.keeper.open_session(file);
    QVERIFY(opened.count() > 0 || opened.wait(patience_ms));
    QCOMPARE(lab.notebook().text(), state.notes);
    QVERIFY(lab.run().is_empty() && someone.window.lab().runs.place().isEmpty());
    QVERIFY(!lab.pinned_run() && lab.comparison() == nullptr);
    QVERIFY(lab.digests().count() == 0 && lab.questions().all().empty());
    for (Panel* panel : someone.window.findChildren<Panel*>()) {  // none of them looks for segments
      panel->request_refresh();
      panel->catch_up();
    }
    QVERIFY(run_whole(someone, 400));
  }

  void an_engine_that_does_not_answer_leaves_the_rest() {
    std::vector<std::string> before;
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      someone.window.lab().engine.use(local_pipe);
      QVERIFY(run_whole(someone, 600));
      before = told(someone.lab().run());
      someone.lab().notebook().set_text("of the other machine");
    }
    SessionState state = read_session(kept_file(home_));
    QCOMPARE(state.engine, local_pipe);
    state.engine = "sh -c 'echo no such host >&2; exit 255'";
    state.model = "/a path/of the other machine";
    const QString kept = kept_file(home_);
    write_file_atomically(kept.toStdString(), session_text(state, QFileInfo(kept).absolutePath()));
    Someone someone(home_);
    someone.settings.values.engines[{"sh", "-c", "echo no such host >&2; exit 255"}] = true;
    listen(someone);
    QVERIFY(bring_back(someone));
    QVERIFY(someone.window.lab().engine.lost() && !someone.window.lab().loader.model());
    QVERIFY(notes_.filter("no such host").size() > 0);
    QVERIFY(told(someone.lab().run()) == before);
    QCOMPARE(someone.lab().notebook().text(), QString("of the other machine"));
    someone.keeper.keep_now();
    someone.window.lab().engine.use({});  // nothing is blocked
    QVERIFY(run_whole(someone, 400));
  }

  void a_training_that_has_no_folder_yet_comes_back_as_its_dialog() {
    const TrainingPlan plan = endless_training(home_);
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(run_whole(someone, 400));
      QSemaphore hold;  // the engine's thread, so that it has not read the data yet
      QMetaObject::invokeMethod(
          &someone.window.lab().engine.worker(), [&hold] { hold.acquire(); }, Qt::QueuedConnection);
      someone.window.lab().training.start(plan);
      someone.keeper.keep_now();
      someone.keeper.freeze();
      const bool there = QFileInfo::exists(QString::fromStdString(plan.output_dir));
      hold.release();
      QVERIFY(!there);
    }
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    QVERIFY(someone.window.dialogs().finetune() != nullptr);
    nlohmann::json fields = someone.window.dialogs().finetune()->form().fields();
    const nlohmann::json unlike = nlohmann::json::diff(plan_json(plan), fields);
    QVERIFY2(unlike.empty(), unlike.dump().c_str());
    QCOMPARE(someone.lab().training().count(), 0);
  }

  void work_that_the_file_lacks_is_still_asked_about_after_a_crash() {
    const QString file = home_ + "/study.carryover";
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(run_whole(someone, 400));
      QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
      someone.keeper.save_session(file);
      QVERIFY(saved.wait(patience_ms));
    }
    {
      Someone someone(home_);
      QVERIFY(bring_back(someone));
      QVERIFY(!someone.keeper.has_unsaved_work());
      someone.lab().notebook().set_text("not in the file");
    }
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    QVERIFY(someone.keeper.has_unsaved_work());
    QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
    someone.keeper.save_session(file);
    QVERIFY(saved.wait(patience_ms));
    QVERIFY(!someone.keeper.has_unsaved_work());
  }

  /// Whoever saves over a file that another session has saved since would lose what only that one has.
  void an_older_session_of_the_history_leaves_its_file_alone() {
    const QString file = home_ + "/study.carryover";
    const auto save = [&](Someone& someone) {
      QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
      someone.keeper.save_session(file);
      QVERIFY(saved.wait(patience_ms));
      QVERIFY(!someone.keeper.file_is_anothers());
    };
    const auto open = [&](Someone& someone, const QString& folder) {
      QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
      someone.keeper.open_earlier(folder);
      QVERIFY(opened.wait(patience_ms));
    };
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(run_whole(someone, 300));
      save(someone);
    }
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
      someone.keeper.open_session(file);
      QVERIFY(opened.wait(patience_ms));
      QVERIFY(run_whole(someone, 400));
      save(someone);
    }
    Someone someone(home_);
    someone.keeper.begin(false);
    QString older, newer;
    for (const QString& folder : someone.keeper.earlier().folders())
      (read_session(SessionFolder::session_file_in(folder)).runs.size() == 1 ? older : newer) = folder;
    open(someone, older);
    QCOMPARE(someone.lab().library().count(), 1);
    QVERIFY(someone.keeper.session_file().isEmpty());
    QCOMPARE(someone.keeper.former_file(), file);
    open(someone, newer);  // what the file holds: it is still this session's
    QCOMPARE(someone.lab().library().count(), 2);
    QCOMPARE(someone.keeper.session_file(), file);
    QCOMPARE(read_session(file).runs.size(), std::size_t{2});
  }

  void a_file_that_another_window_has_saved_is_asked_about() {
    const QString file = home_ + "/study.carryover";
    Someone first(home_), second(home_);
    const auto wait_for_saved = [&](Someone& someone, const std::function<void()>& save) {
      QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
      save();
      QVERIFY(saved.count() > 0 || saved.wait(patience_ms));
    };
    for (Someone* each : {&first, &second}) {
      each->keeper.begin(false);
      each->lab().notebook().set_text(each == &first ? "first" : "second");
      wait_for_saved(*each, [&] { each->keeper.save_session(file); });
    }
    QVERIFY(first.keeper.file_is_anothers() && !second.keeper.file_is_anothers());
    const auto press = [&](const QString& button) {
      for (QAction* action : first.window.findChildren<QAction*>())
        if (action->text() == Shell::tr("Save session")) action->trigger();
      auto* box = first.window.findChild<QMessageBox*>();
      QVERIFY(box != nullptr);
      QCOMPARE(read_session(file).notes, QString("second"));
      for (QAbstractButton* each : box->buttons())
        if (each->text().remove(u'&') == button) return each->click();
      QFAIL("no such button");
    };
    press(QStringLiteral("Cancel"));
    QTRY_VERIFY(first.window.findChild<QMessageBox*>() == nullptr);
    wait_for_saved(first, [&] { press(Shell::tr("Overwrite")); });
    QCOMPARE(read_session(file).notes, QString("first"));
    QVERIFY(!first.keeper.file_is_anothers() && second.keeper.file_is_anothers());
  }

 private:
  void listen(Someone& someone) {
    connect(&someone.lab(), &LabContext::noted, this, [this](const QString& note, bool) { notes_ += note; });
  }

  std::unique_ptr<TempDir> folder_;
  QString home_;
  QStringList notes_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionReturnTest>};
#include "session_return_test.moc"
