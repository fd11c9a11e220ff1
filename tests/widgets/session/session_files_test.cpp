// SPDX-License-Identifier: GPL-3.0-or-later
// Session and settings files: what they say comes back, they move with their folder, and files of other versions or
// kinds do no harm. And the folders that windows keep their state in.
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QTest>

#include "app/saved_window/kept_runs.h"
#include "app/saved_window/session_folder.h"
#include "app/saved_window/session_state.h"
#include "app/saved_window/settings.h"
#include "app/saved_window/versioned_json.h"
#include "engine/base/error.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/values/edit_json.h"
#include "tests/support/gui_test.h"
#include "tests/support/home.h"
#include "tests/support/temp_dir.h"
#include "widgets/lab/notebook.h"

using namespace carryover;
using nlohmann::json;

namespace {

Fault fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const EngineError& error) {
    return error.fault();
  }
  return Fault::Internal;
}

QString path_in(const test::TempDir& folder, const char* name) {
  return QString::fromStdString(folder.file(name));
}

SessionState some_state(const QString& folder) {
  SessionState state;
  state.model = folder + "/models/größe";
  state.text = folder + "/study.files/text.txt";
  state.text_name = "pasted text";
  state.options.policy = "full";
  state.options.dtype = DType::BFloat16;
  state.options.token_limit = 1234;
  state.options.tokens_chosen = true;
  state.config = json(SegmentConfig{});
  state.selection = {3, 8, 2, 4097};
  state.notes = "a line\nand „another“";
  state.bookmarks = {{"where it turns", {3, -1, -1, 4097}}, {"head", {-1, 8, 2, -1}}};
  state.run = folder + "/study.files/run.journal";
  state.pinned = {1, 8, -1, -1};
  state.range = {2, 5};
  state.run_folder = "/elsewhere/runs/1";
  state.pinned_run = folder + "/study.files/pinned.journal";
  state.pinned_segments = 4;
  state.what_ifs = folder + "/study.files/what-ifs.json";
  state.shown_what_if = 2;
  state.draft.prefix = PrefixSource::Random;
  state.draft.seed = 11;
  state.draft.patch_carry = true;
  state.draft.patched_heads = {{3, 1}, {0, 2}};
  state.foil = QStringLiteral(" Ann");
  state.draft.dropped = {{8, 2, 4097}};
  state.draft.banned = {{0, 17}};
  ListedRun listed;
  listed.place = state.run;
  listed.name = "größer “als” gedacht";
  listed.renamed = true;
  listed.tick = 3;
  listed.tags = {"paper", "two words"};
  listed.policy = "full";
  listed.model = "demo · fp32 · 01234567";
  listed.details = "run id: 1\nmodel: demo";
  listed.saved_in = "/elsewhere/runs/1";
  listed.tokens = 300;
  listed.expected_tokens = 1000;
  listed.standing = Standing::Partial;
  listed.loss = 2.25;
  listed.bytes = 12345;
  listed.made_ms = 1'700'000'000'000;
  state.runs = {listed};
  for (const ListedKind kind :
       {ListedKind::Training, ListedKind::Experiment, ListedKind::Evaluation, ListedKind::PromptSet}) {
    listed.kind = kind;
    listed.place = folder + "/of-kind-" + kind_name(kind);
    state.runs.push_back(listed);
  }
  state.trainings = {"/elsewhere/run1"};
  state.experiment = "/elsewhere/experiment";
  state.evaluation = folder + "/evaluation";
  state.prompts = folder + "/few-runs";
  state.prompt_order = {"/elsewhere/few.jsonl", "random", folder + "/next-runs"};
  state.document = folder + "/book.state";
  state.finetune = {{"max_steps", 7}};
  state.typed = {{"bench", {{"threads", 3}, {"peers", true}, {"lengths", "1024, 2048"}}},
                 {"evaluation", {{"tasks", QVariantList{true, false}}}}};
  state.layout = QByteArray("\0\1\2layout", 9);
  return state;
}

}  // namespace

class SessionFilesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_session_reads_back_and_moves_with_its_folder() {
    const test::TempDir here, there;
    const QString folder = QString::fromStdString(here.path().string());
    const SessionState state = some_state(folder);
    const std::string text = session_text(state, folder);
    write_file_atomically(here.file("study.carryover"), text);
    const SessionState read = read_session(path_in(here, "study.carryover"));
    QVERIFY(read.same_work(state));
    QVERIFY(std::ranges::equal(read.runs, state.runs, {}, &ListedRun::kind, &ListedRun::kind));
    QVERIFY(read.selection == state.selection);
    QCOMPARE(read.layout, state.layout);
    QCOMPARE(read.text_name, state.text_name);
    QVERIFY(read.finetune == state.finetune);
    QCOMPARE(read.typed, state.typed);
    QVERIFY(read.pinned == state.pinned && read.range == state.range);
    QCOMPARE(read.pinned_segments, 4);
    QCOMPARE(read.shown_what_if, 2);
    QVERIFY(edit_json(read.draft) == edit_json(state.draft));
    QVERIFY(read.draft == state.draft);
    QCOMPARE(read.foil, state.foil);
    QVERIFY(!read.closed && !read.unsaved);
    QCOMPARE(session_text(read, folder), text);  // all of it, the list of runs too
    QCOMPARE(read.runs.size(), std::size_t{5});
    QVERIFY(same_list(read.runs, state.runs) && read.runs[0].loss == 2.25 && read.runs[0].tick == 3);
    write_file_atomically(there.file("study.carryover"), text);
    const SessionState moved = read_session(path_in(there, "study.carryover"));
    QCOMPARE(moved.run, path_in(there, "study.files/run.journal"));
    QCOMPARE(moved.runs[0].place, moved.run);
    QCOMPARE(moved.pinned_run, path_in(there, "study.files/pinned.journal"));
    QCOMPARE(moved.what_ifs, path_in(there, "study.files/what-ifs.json"));
    QCOMPARE(moved.run_folder, QString("/elsewhere/runs/1"));
    QCOMPARE(moved.trainings, QStringList("/elsewhere/run1"));
    QCOMPARE(moved.evaluation, path_in(there, "evaluation"));
    QCOMPARE(moved.document, path_in(there, "book.state"));
    QCOMPARE(moved.prompts, path_in(there, "few-runs"));
    QCOMPARE(moved.prompt_order.prompts, QString("/elsewhere/few.jsonl"));
    QCOMPARE(moved.prompt_order.out, path_in(there, "next-runs"));
  }

  void what_is_on_another_machine_stays_where_it_is() {
    const test::TempDir here;
    const QString folder = QString::fromStdString(here.path().string());
    SessionState state;
    state.engine = "ssh host carryover-cli engine";
    state.model = "models/llama";  // in the home folder there
    state.document = "book.state";
    write_file_atomically(here.file("a.carryover"), session_text(state, folder));
    QCOMPARE(read_session(path_in(here, "a.carryover")).model, state.model);
    QCOMPARE(read_session(path_in(here, "a.carryover")).engine, state.engine);
    QCOMPARE(read_session(path_in(here, "a.carryover")).document, state.document);
  }

  void a_session_of_version_1_opens() {
    const test::TempDir folder;
    write_file_atomically(folder.file("old.carryover"), R"({
  "adapter": null, "bookmarks": [{"name": "here", "place": {"segment": 1, "layer": 2, "head": 3, "token": 4}}],
  "closed": true, "config": {"carry_length": 7}, "file": null, "finetune": null, "format": "carryover session",
  "geometry": null, "layout": null, "model": "model", "notes": "old", "options": {"policy": "full", "dtype": "fp32",
  "device": "cpu", "tokens": 900}, "run": "old.files/run.journal",
  "selection": {"segment": 3, "layer": 1, "head": 0, "token": 100}, "text": "old.files/text.txt",
  "text_name": "pasted text", "trainings": ["/elsewhere/run1"], "version": 1})");
    const SessionState old = read_session(path_in(folder, "old.carryover"));
    QCOMPARE(old.model, path_in(folder, "model"));
    QCOMPARE(old.run, path_in(folder, "old.files/run.journal"));
    QCOMPARE(old.notes, QString("old"));
    QCOMPARE(old.options.token_limit, std::int64_t{900});
    QVERIFY((old.selection == Selection{3, 1, 0, 100}));
    QCOMPARE(old.bookmarks.size(), std::size_t{1});
    QVERIFY(old.engine.isEmpty() && old.run_folder.isEmpty() && old.pinned_run.isEmpty() && old.what_ifs.isEmpty());
    QVERIFY(old.evaluation.isEmpty() && old.document.isEmpty());
    QVERIFY(old.prompts.isEmpty() && old.prompt_order.prompts.isEmpty() && !old.options.tokens_chosen);
    QVERIFY(old.pinned == Selection() && old.range == SegmentRange() && old.shown_what_if == -1);
    QVERIFY(edit_json(old.draft) == edit_json({}));
    QCOMPARE(old.runs.size(), std::size_t{2});  // what it named is the list
    QCOMPARE(old.runs[0].place, old.run);
    QVERIFY(old.runs[1].kind == ListedKind::Training && old.runs[1].place == "/elsewhere/run1");
  }

  /// Whatever names and paths a file holds, what was read from it is read again from what is saved.
  void an_odd_name_stays_what_it_was_read_as_data() {
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("name");
    QTest::newRow("spaces within a folder's name") << "runs/a  b"
                                                   << "";
    QTest::newRow("spaces at its end") << "runs/a "
                                       << "";
    QTest::newRow("of spaces alone") << "runs/ "
                                     << "";
    QTest::newRow("a line break") << "runs/a\nb"
                                  << " two\n lines ";
    QTest::newRow("a resource's") << "./:/a"
                                  << "";
    QTest::newRow("too long") << "runs/" + QString(700, u'x') << "";
    QTest::newRow("cut within a character") << "runs/a" << QString(499, u'x') + QStringLiteral("😀");
    QTest::newRow("a path that climbs") << "../../runs/./a//b/../c"
                                        << "";
  }
  void an_odd_name_stays_what_it_was_read_as() {
    QFETCH(QString, place);
    QFETCH(QString, name);
    const test::TempDir folder;
    const QString home = QString::fromStdString(folder.path().string()), path = home + "/a.carryover";
    const json run{{"kind", "run"},
                   {"place", place.toStdString()},
                   {"name", name.toStdString()},
                   {"tags", json::array({name.toStdString()})},
                   {"model", name.toStdString()},
                   {"details", name.toStdString()}};
    write_file_atomically(path.toStdString(), json{{"format", "carryover session"},
                                                   {"version", 4},
                                                   {"draft", edit_json({})},
                                                   {"run", place.toStdString()},
                                                   {"trainings", json::array({place.toStdString()})},
                                                   {"runs", json::array({run})}}
                                                  .dump());
    const SessionState once = read_session(path);
    const std::string text = session_text(once, home);
    write_file_atomically(path.toStdString(), text);
    const SessionState again = read_session(path);
    QVERIFY(again.same_work(once));
    QCOMPARE(again.runs[0].model, once.runs[0].model);
    QCOMPARE(session_text(again, home), text);
  }

  void what_is_looked_at_is_no_work() {
    SessionState state = some_state("/f"), other = state;
    other.selection.segment = 9;
    other.layout = "else";
    QVERIFY(state.same_work(other));
    other.notes += "!";
    QVERIFY(!state.same_work(other));
    for (QString SessionState::*opened : {&SessionState::evaluation, &SessionState::document, &SessionState::prompts}) {
      other = state;
      (other.*opened).clear();
      QVERIFY(!state.same_work(other));
    }
  }

  void older_versions_are_brought_up_and_newer_ones_left_alone() {
    const test::TempDir folder;
    const VersionedFormat format{"test",
                                 {[](json& fields) { fields["lines"] = {fields.at("line")}; },
                                  [](json& fields) { fields["count"] = fields.at("lines").size(); }}};
    const QString path = path_in(folder, "file.json");
    const auto write = [&](const json& fields) { write_file_atomically(path.toStdString(), fields.dump()); };
    write({{"format", "test"}, {"version", 1}, {"line", "x"}});
    QVERIFY(read_versioned(path, format).at("count") == 1);
    write({{"format", "test"}, {"version", 2}, {"lines", {"x", "y"}}});
    QVERIFY(read_versioned(path, format).at("count") == 2);
    write({{"format", "test"}, {"version", 3}, {"count", 5}});
    QVERIFY(read_versioned(path, format).at("count") == 5);
    write({{"format", "test"}, {"version", 4}});
    QVERIFY(fault_of([&] { read_versioned(path, format); }) == Fault::Unsupported);
    write({{"format", "other"}, {"version", 1}});
    QVERIFY(fault_of([&] { read_versioned(path, format); }) == Fault::BadInput);
    write({{"format", "test"}, {"version", "1"}});
    QVERIFY(fault_of([&] { read_versioned(path, format); }) == Fault::BadInput);
    QVERIFY(fault_of([&] { read_versioned(path_in(folder, "none"), format); }) == Fault::Io);
  }

  void wrong_sessions_are_refused() {
    const test::TempDir folder;
    const QString path = path_in(folder, "bad.carryover");
    const auto fault = [&](const json& fields) {
      write_file_atomically(path.toStdString(), fields.dump());
      return fault_of([&] { read_session(path); });
    };
    const json head = {{"format", "carryover session"}, {"version", 1}};
    json wrong = head;
    wrong["model"] = 7;
    QVERIFY(fault(wrong) == Fault::BadInput);
    wrong = head;
    wrong["options"] = {{"dtype", "int3"}};
    QVERIFY(fault(wrong) == Fault::Usage);
    wrong = head;
    wrong["version"] = 99;
    QVERIFY(fault(wrong) == Fault::Unsupported);
    QVERIFY(fault(json::array()) == Fault::BadInput);
    json new_head = head;
    new_head["version"] = 2;
    QVERIFY(fault(new_head) == Fault::BadInput);
  }

  void settings_come_back_and_a_bad_file_is_set_aside() {
    const test::TempDir folder;
    const QString path = path_in(folder, "config/settings.json");
    {
      SettingsFile settings(path);
      settings.values.theme = ThemeKind::Dark;
      settings.values.language = "de";
      settings.values.layouts["mine"] = QByteArray("\0state", 6);
      settings.values.engines[{"ssh", "größe", "a b"}] = true;
      settings.values.engines[{"sh", "-c", "x"}] = false;
      for (int i = 0; i < 12; ++i) remember_recent(settings.values.texts, QString::number(i));
      remember_recent(settings.values.texts, "5");
      settings.save();
    }
    const SettingsFile read(path);
    QVERIFY(read.problem().isEmpty());
    QVERIFY(read.values.theme == ThemeKind::Dark);
    QCOMPARE(read.values.layouts.at("mine"), QByteArray("\0state", 6));
    QVERIFY(read.values.engines.at({"ssh", "größe", "a b"}) && !read.values.engines.at({"sh", "-c", "x"}));
    QCOMPARE(read.values.texts, QStringList({"5", "11", "10", "9", "8", "7", "6", "4", "3", "2"}));
    for (const char* bad : {"{ not json", "{}", R"({"format": "carryover settings", "version": 99})",
                            R"({"format": "carryover settings", "version": 1, "theme": 4})"}) {
      write_file_atomically(path.toStdString(), bad);
      SettingsFile settings(path);
      QVERIFY(settings.problem().contains(path + ".aside"));
      QVERIFY(settings.values == Settings());
      QCOMPARE(QByteArray::fromStdString(test::read_bytes((path + ".aside").toStdString())), QByteArray(bad));
      settings.values.start_panel = false;
      settings.save();  // works again
      QVERIFY(!SettingsFile(path).values.start_panel);
    }
  }

  /// An edit of bookmarks or settings holds all of them: undone, it would put another session's in place of these.
  void a_session_that_opens_has_nothing_to_undo() {
    const test::TempDir folder;
    SessionState state;
    state.bookmarks = {{"of the file", {0, -1, -1, -1}}};
    const QString path = path_in(folder, "b.carryover");
    write_file_atomically(path.toStdString(), session_text(state, QString::fromStdString(folder.path().string())));
    test::Home home(folder);
    Notebook& notebook = home.lab().notebook();
    notebook.add_bookmark({"of the window", {1, -1, -1, -1}});
    QVERIFY(home.lab().undo_stack().canUndo());
    QSignalSpy opened(&home.keeper, &SessionKeeper::session_opened);
    home.keeper.open_session(path);
    QVERIFY(opened.count() > 0 || opened.wait(test::patience_ms));
    QVERIFY(!home.lab().undo_stack().canUndo());
    QVERIFY(notebook.bookmarks() == state.bookmarks);
  }

  void a_folder_belongs_to_one_window_until_it_ends() {
    const test::TempDir folder;
    const QString root = QString::fromStdString(folder.path().string());
    auto first = SessionFolder::create(root);
    const QString path = first->path();
    QVERIFY(SessionFolder::left_behind(root).isEmpty());  // taken, and empty
    write_file_atomically(first->session_file().toStdString(), "{}");
    QVERIFY(SessionFolder::left_behind(root).isEmpty());
    QVERIFY(!SessionFolder::adopt(path));
    first.reset();
    QCOMPARE(SessionFolder::left_behind(root), QStringList(path));
    const auto again = SessionFolder::adopt(path);
    QVERIFY(again && SessionFolder::left_behind(root).isEmpty());
    const auto empty = SessionFolder::create(root)->path();
    SessionFolder::remove_empty(root);
    QVERIFY(!QDir(empty).exists());
    QVERIFY(QDir(path).exists());  // it is in use
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionFilesTest>};
#include "session_files_test.moc"
