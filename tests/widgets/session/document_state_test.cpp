// SPDX-License-Identifier: GPL-3.0-or-later
// The state behind a document in the window: saved after a run, opened without the text, asked about, refused where it
// is another model's, and kept by sessions.
#include <QAction>
#include <QDir>
#include <QTableView>
#include <QTest>
#include <cmath>
#include <filesystem>

#include "app/window/message_bar.h"
#include "engine/config/recall_preset.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/state_header.h"
#include "tests/support/demo_evaluation.h"
#include "tests/support/faults/file_size_limit.h"
#include "tests/support/gui_test.h"
#include "tests/support/run_script.h"
#include "tests/support/settle.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_states.h"
#include "widgets/lab/panel.h"
#include "widgets/text/passages_table.h"

using namespace carryover;
using namespace carryover::test;

namespace {

const QString first_question = QStringLiteral("Who is Eva"), second_question = QStringLiteral("The tide went out. May");

/// Reads the beginning of the demo's text to its end, so that questions search it.
bool read_the_demo(MainWindow& window, const std::string& policy = "segmented") {
  open_demo(window, 512);
  if (!wait_for([&] { return window.lab().runs.can_run(); })) return false;
  LabContext& lab = window.lab().context;
  SegmentConfig config = recall_preset(*lab.model(), SegmentConfig::untrained_defaults_for(*lab.model()));
  config.search_heads = {{3, 3}};
  lab.edit_config(config, QStringLiteral("recall"));
  RunOptions options = lab.run_options();
  options.policy = policy;
  lab.set_run_options(options);
  QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
  window.lab().runs.run_when_ready();
  return ended.wait(patience_ms);
}

/// The demo's model, or another one, in fp32 and without a text.
bool open_model(MainWindow& window, const QString& path = demo_folder()) {
  RunOptions options;
  options.dtype = DType::Float32;
  window.lab().set_options_of_next_model(options);
  window.lab().loader.open_model(path);
  return wait_for([&] { return window.lab().loader.model() && !window.lab().loader.loading(); });
}

/// Returns what went wrong; empty if nothing did.
template <typename Work>
QString problem_of(MainWindow& window, Work work) {
  QSignalSpy failed(&window.lab().documents, &DocumentController::failed);
  work(window.lab().documents);
  if (!wait_for([&] { return !window.lab().documents.active(); })) return QStringLiteral("it does not end");
  if (failed.isEmpty()) return {};
  const auto report = failed.front().front().value<ErrorReport>();
  return report.where + QStringLiteral(": ") + report.problem;
}

QString problem_of_saving(MainWindow& window, const QString& file) {
  return problem_of(window, [&](DocumentController& documents) { documents.save(file); });
}

QString problem_of_opening(MainWindow& window, const QString& file) {
  return problem_of(window, [&](DocumentController& documents) { documents.open(file); });
}

Question ask(MainWindow& window, const QString& text) {
  Questions& questions = window.lab().context.questions();
  questions.ask(text);
  if (questions.all().empty() || !wait_for([&] { return !questions.running(); })) return {};
  return questions.all().back();
}

/// Returns true if both answers are the same up to rounding.
bool alike(const Question& a, const Question& b) {
  const auto near = [](double x, double y) { return std::abs(x - y) < 1e-4; };
  return !a.answer.isEmpty() && a.answer == b.answer && a.without_retrieval == b.without_retrieval &&
         a.hits.size() == b.hits.size() && near(a.probability, b.probability) &&
         near(a.probability_without, b.probability_without);
}

bool can(MainWindow& window, const char* text) {
  for (const QAction* action : window.findChildren<QAction*>())
    if (action->text() == LabToolbar::tr(text)) return action->isEnabled();
  qFatal("there is no action %s", text);
}

}  // namespace

class DocumentStateTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init() { fail_on_qt_warnings(); }
  void a_saved_state_answers_without_its_text();
  void a_growing_state_is_read_for_its_file();
  void another_models_state_is_refused();
  void another_policys_state_is_refused();
  void what_is_no_state_is_refused();
  void what_can_not_be_written_is_said();
  void what_the_engine_does_next_closes_it();
  void an_engine_elsewhere_has_the_files();
  void scripts_save_and_open_it();
  void a_session_has_it_and_an_evaluation();
  void a_session_without_its_file_opens();

 private:
  QString file(const char* name) const { return QString::fromStdString(temp_.file(name)); }

  TempDir temp_;
  QString saved_;   ///< a state behind the demo's beginning
  Question asked_;  ///< first_question, of the run that it was saved after
};

void DocumentStateTest::initTestCase() {
  MainWindow window;
  window.show();
  QVERIFY(!can(window, "Save document state…") && !can(window, "Open document state…"));
  QVERIFY(read_the_demo(window));
  QVERIFY(can(window, "Save document state…") && can(window, "Open document state…"));
  asked_ = ask(window, first_question);
  saved_ = file("demo.state");
  QCOMPARE(problem_of_saving(window, saved_), QString());
  const StateHeader header = read_state_header(saved_.toStdString());
  const RunModel& run = window.lab().context.run();
  QVERIFY(*header.ids == *run.request().ids && header.policy == "segmented");
  QCOMPARE(header.weights_hash, run.model().weights_hash);
}

void DocumentStateTest::a_saved_state_answers_without_its_text() {
  MainWindow window;
  window.resize(1280, 800);
  window.show();
  QVERIFY(open_model(window));
  Questions& questions = window.lab().context.questions();
  QVERIFY(!questions.unavailable().isEmpty());
  QCOMPARE(problem_of_opening(window, saved_), QString());
  QVERIFY(window.lab().context.run().is_empty() && !window.lab().loader.text());
  QCOMPARE(questions.unavailable(), QString());
  QVERIFY2(window.identity().document().contains("demo.state"), qPrintable(window.identity().document()));

  const Question first = ask(window, first_question), second = ask(window, second_question),
                 again = ask(window, first_question);
  QVERIFY2(alike(first, asked_), qPrintable(first.answer + "\n" + asked_.answer));
  QVERIFY(alike(again, asked_) && !alike(second, asked_));
  window.docks().raise("ask");
  settle();
  const auto* passages = window.docks().panel("ask")->findChild<QTableView*>();
  QVERIFY(passages->model()->rowCount() > 0);
  QVERIFY(!passages->model()->index(0, PassagesTable::Text).data().toString().isEmpty());

  window.lab().documents.close();
  settle();
  QCOMPARE(window.identity().document(), QString());
  QVERIFY(!questions.unavailable().isEmpty());
  QCOMPARE(passages->model()->rowCount(), 0);
}

/// The engine does not keep the state behind a run whose state grows with the text.
void DocumentStateTest::a_growing_state_is_read_for_its_file() {
  MainWindow window;
  window.show();
  QVERIFY(read_the_demo(window, "full"));
  QSignalSpy progressed(&window.lab().documents, &DocumentController::progressed);
  QCOMPARE(problem_of_saving(window, file("full.state")), QString());
  QVERIFY(progressed.count() >= 2);  // reading, writing
  const Question of_run = ask(window, first_question);
  QCOMPARE(problem_of_opening(window, file("full.state")), QString());
  QCOMPARE(window.lab().context.asked().request().policy, std::string("full"));
  QVERIFY(alike(ask(window, first_question), of_run));
}

void DocumentStateTest::another_models_state_is_refused() {
  const TempDir other;
  const QString model = copy_demo(QString::fromStdString(other.path().string()));
  std::string weights = read_bytes(other.file("model.safetensors"));
  weights.back() = static_cast<char>(weights.back() ^ 0x80);  // the last one's sign
  write_bytes(other.file("model.safetensors"), weights);
  MainWindow window;
  window.show();
  QVERIFY(open_model(window));
  QCOMPARE(problem_of_opening(window, saved_), QString());
  QVERIFY(open_model(window, model));
  QVERIFY(!window.lab().context.document().is_open());  // it was the other model's
  const QString problem = problem_of_opening(window, saved_);
  QVERIFY2(problem.contains("other weights") && problem.contains(saved_), qPrintable(problem));
  QVERIFY(window.message_bar().isVisible() && !window.lab().context.document().is_open());
}

void DocumentStateTest::another_policys_state_is_refused() {
  MainWindow window;
  window.show();
  QVERIFY(open_model(window));
  RunOptions options = window.lab().context.run_options();
  options.policy = "full";
  window.lab().context.set_run_options(options);
  const QString problem = problem_of_opening(window, saved_);
  QVERIFY2(problem.contains("segmented") && problem.contains("full"), qPrintable(problem));
  QVERIFY(!window.lab().context.document().is_open());
  options.policy = "segmented";
  window.lab().context.set_run_options(options);
  QCOMPARE(problem_of_opening(window, saved_), QString());
}

void DocumentStateTest::what_is_no_state_is_refused() {
  MainWindow window;
  window.show();
  QVERIFY(problem_of_opening(window, saved_).contains(DocumentController::tr("no model is open")));
  QVERIFY(open_model(window));
  for (const QString& path : {file("nowhere.state"), demo_folder() + "/text.txt", demo_folder() + "/model.safetensors",
                              QString::fromStdString(temp_.path().string())}) {
    QCOMPARE(problem_of_opening(window, saved_), QString());
    QVERIFY2(problem_of_opening(window, path).contains(path), qPrintable(path));
    QVERIFY(!window.lab().context.document().is_open());  // nothing is asked about what the engine lacks
  }
}

void DocumentStateTest::what_can_not_be_written_is_said() {
  MainWindow window;
  window.show();
  QVERIFY(!problem_of_saving(window, file("early.state")).isEmpty());
  QVERIFY(read_the_demo(window));
  const auto said = [&](const QString& path, const char* part) {
    const QString problem = problem_of_saving(window, path);
    QVERIFY2(problem.contains(part), qPrintable(problem));
    QVERIFY(window.message_bar().isVisible() && !QFileInfo(path).isFile());
  };
  said(file("no/such/folder.state"), "folder.state");
  said(QString::fromStdString(temp_.path().string()), "is a folder");
  {
    const FileSizeLimit limit(1000);
    said(file("too large.state"), "would grow past the size");
  }
  QVERIFY(QDir(QString::fromStdString(temp_.path().string())).entryList({"too large*"}).isEmpty());
  RunOptions options = window.lab().context.run_options();
  options.policy = "full";
  window.lab().context.set_run_options(options);
  said(file("full chosen.state"), "full");
  QVERIFY(!can(window, "Save document state…"));
  options.policy = "segmented";
  window.lab().context.set_run_options(options);
  QCOMPARE(problem_of_saving(window, file("after all.state")), QString());
}

void DocumentStateTest::what_the_engine_does_next_closes_it() {
  MainWindow window;
  window.show();
  QVERIFY(read_the_demo(window));
  QCOMPARE(problem_of_opening(window, saved_), QString());
  QVERIFY(can(window, "Close document state"));
  QCOMPARE(problem_of_saving(window, file("copy.state")), QString());  // it is what is asked about
  QCOMPARE(read_bytes(temp_.file("copy.state")), read_bytes(saved_.toStdString()));
  run_to_the_end(window);
  QVERIFY(!window.lab().context.document().is_open() && !can(window, "Close document state"));
  QVERIFY(alike(ask(window, first_question), asked_));  // of the run
  QCOMPARE(problem_of_opening(window, saved_), QString());
  window.lab().loader.reopen_model();
  QVERIFY(wait_for([&] { return !window.lab().loader.loading(); }));
  QVERIFY(!window.lab().context.document().is_open());
}

void DocumentStateTest::an_engine_elsewhere_has_the_files() {
  MainWindow window;
  window.show();
  window.lab().engine.use(local_pipe);
  QVERIFY(read_the_demo(window));
  QCOMPARE(problem_of_saving(window, file("there.state")), QString());
  QVERIFY(problem_of_opening(window, file("nowhere.state")).contains("nowhere.state"));
  QCOMPARE(problem_of_opening(window, file("there.state")), QString());
  QVERIFY(alike(ask(window, first_question), asked_));
  window.lab().engine.use({});
  QVERIFY(!window.lab().context.document().is_open());
}

void DocumentStateTest::scripts_save_and_open_it() {
  const QString path = file("script.state");
  {
    MainWindow window;
    window.show();
    QVERIFY(script_problem(window, "save state " + path).contains(AskController::tr("no text has been run")));
    QCOMPARE(script_problem(window, "set dtype fp32\nset tokens 400\nopen demo\nrun\nwait\nsave state '" + path + "'"),
             QString());
  }
  MainWindow window;
  window.show();
  const QString open = "set dtype fp32\nopen model '" + demo_folder() + "'\n";
  QCOMPARE(script_problem(window, open + "open state '" + path + "'\nask 'Who is Eva'\nprint model"), QString());
  QCOMPARE(window.lab().context.questions().all().size(), std::size_t{1});
  QCOMPARE(window.lab().context.asked().token_count(), std::int64_t{400});
  const QString problem = script_problem(window, "set policy full\nopen state '" + path + "'\nquit");
  QVERIFY2(problem.startsWith("s.txt:2: ") && problem.contains("segmented"), qPrintable(problem));
}

void DocumentStateTest::a_session_has_it_and_an_evaluation() {
  const TempDir home;
  const QString folder = QString::fromStdString(home.path().string()), evaluation = folder + "/evaluation";
  std::filesystem::create_directories(evaluation.toStdString());
  begin_evaluation(evaluation.toStdString(), demo_evaluation());
  {
    Someone someone(folder);
    someone.keeper.begin(false);
    QVERIFY(read_the_demo(someone.window));
    QCOMPARE(problem_of_opening(someone.window, saved_), QString());
    someone.window.lab().evaluations.open(evaluation);
    RunOptions options = someone.lab().run_options();
    options.policy = "full";  // of the next run; the document stays what it is
    someone.lab().set_run_options(options);
  }
  {
    Someone someone(folder);
    QVERIFY(bring_back(someone));
    QCOMPARE(someone.lab().document().file(), saved_);
    QCOMPARE(someone.lab().run().segment_count(), someone.lab().run().expected_segments());
    QVERIFY(alike(ask(someone.window, first_question), asked_));
    QCOMPARE(someone.window.lab().evaluations.model().folder(), evaluation);
    QTRY_VERIFY(someone.window.lab().evaluations.model().has_news());

    QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
    someone.keeper.save_session(folder + "/study.carryover");
    QVERIFY(saved.wait(patience_ms));
    const SessionState stored = read_session(folder + "/study.carryover");
    QVERIFY(stored.document == saved_ && stored.evaluation == evaluation);

    SessionState plain = stored;  // one without a document takes its place
    plain.document.clear();
    write_file_atomically(home.file("plain.carryover"), session_text(plain, folder));
    QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
    someone.keeper.open_session(folder + "/plain.carryover");
    QVERIFY(opened.wait(patience_ms));
    QVERIFY(!someone.lab().document().is_open());
  }
}

void DocumentStateTest::a_session_without_its_file_opens() {
  const TempDir home;
  const QString folder = QString::fromStdString(home.path().string()), copy = folder + "/copy.state";
  QVERIFY(QFile::copy(saved_, copy));
  {
    Someone someone(folder);
    someone.keeper.begin(false);
    QVERIFY(read_the_demo(someone.window));
    QCOMPARE(problem_of_opening(someone.window, copy), QString());
  }
  QVERIFY(QFile::remove(copy));
  Someone someone(folder);
  QVERIFY(bring_back(someone));
  QVERIFY(!someone.lab().document().is_open());
  QVERIFY2(someone.window.message_bar().text().contains("copy.state"), qPrintable(someone.window.message_bar().text()));
  QVERIFY(alike(ask(someone.window, first_question), asked_));  // of the run
}

static const TestFile these_tests{__FILE__, in_window<DocumentStateTest>};
#include "document_state_test.moc"
