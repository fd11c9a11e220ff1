// SPDX-License-Identifier: GPL-3.0-or-later
// Session files that somebody made to do harm: the window opens or refuses them, says so, and continues.
#include <sys/stat.h>

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QTest>

#include "app/window/message_bar.h"
#include "engine/formats/output_file.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_states.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

/// JSON with its quotes written as single ones.
QByteArray json_of(QByteArray text) {
  return text.replace('\'', '"');
}

}  // namespace

class HostileSessionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// A session of a run, saved, to be spoiled.
  void initTestCase() {
    fail_on_qt_warnings();
    home_ = QString::fromStdString(folder_.path().string());
    someone_ = std::make_unique<Someone>(home_);
    someone_->keeper.begin(false);
    QVERIFY(run_whole(*someone_, 600));
    someone_->lab().pin_run();
    QSignalSpy saved(&someone_->keeper, &SessionKeeper::session_saved);
    someone_->keeper.save_session(home_ + QStringLiteral("/good.carryover"));
    QVERIFY(saved.wait(patience_ms));
    good_ = json::parse(read_bytes(folder_.file("good.carryover")));
    QCOMPARE(::mkfifo(folder_.file("pipe").c_str(), 0600), 0);
    connect(&someone_->lab(), &LabContext::noted, this, [this](const QString& text, bool) { notes_ += text; });
  }
  void cleanupTestCase() { someone_.reset(); }

  void the_unspoiled_one_opens() {
    open(good_.dump());
    QVERIFY(!someone_->window.message_bar().isVisible());
    QCOMPARE(someone_->lab().run().segment_count(), someone_->lab().run().expected_segments());
    QVERIFY(someone_->lab().pinned_run() != nullptr);
  }

  /// Each is refused as a whole, by the name of what is wrong.
  void refused_data() {
    QTest::addColumn<QByteArray>("patch");
    QTest::addColumn<QString>("named");
    const auto row = [](const char* name, const char* patch, const char* named) {
      QTest::newRow(name) << json_of(patch) << QString(named);
    };
    row("negative count", "{'pinned_segments': -3}", "pinned_segments");
    row("count as text", "{'pinned_segments': 'all'}", "pinned_segments");
    row("count over int", "{'pinned_segments': 4294967299}", "pinned_segments");
    row("count over int64", "{'pinned_segments': 18446744073709551615}", "pinned_segments");
    row("count 1e300", "{'pinned_segments': 1e300}", "pinned_segments");
    row("plan with a wrong type", "{'finetune': {'max_steps': 'many'}}", "max_steps");
    row("plan with a text for a flag", "{'finetune': {'gradient_checkpointing': 1}}", "gradient_checkpointing");
    row("plan with numbers as data", "{'finetune': {'data': [1, 2]}}", "data");
    row("plan with an object as model", "{'finetune': {'model': {}}}", "model");
    row("plan that is a list", "{'finetune': [1]}", "finetune");
    row("plan that is a text", "{'finetune': 'x'}", "finetune");
    row("typed that is a list", "{'typed': [1]}", "typed");
    row("typed dialog that is a text", "{'typed': {'bench': 'x'}}", "typed");
    row("selection below -1", "{'selection': {'segment': -7}}", "selection.segment");
    row("selection of text", "{'selection': {'layer': 'x'}}", "selection.layer");
    row("selection that is a list", "{'selection': [1, 2]}", "selection");
    row("range backwards", "{'range': [5, 2]}", "range");
    row("range of three", "{'range': [1, 2, 3]}", "range");
    row("range of reals", "{'range': [0.5, 1e99]}", "range");
    row("draft with a negative slot", "{'draft': {'dropped': [{'layer': -5, 'head': 0, 'position': 1}]}}", "layer");
    row("draft with a huge slot", "{'draft': {'added': [{'layer': 0, 'head': 0, 'position': 1e30}]}}", "position");
    row("draft with a negative patch", "{'draft': {'patched_heads': [[0, -1]]}}", "patched_heads");
    row("draft with a patch of one number", "{'draft': {'patched_heads': [[3]]}}", "wrong fields");
    row("draft with a carry as text", "{'draft': {'patch_carry': 'yes'}}", "patch_carry");
    row("foil as a list", "{'foil': [1]}", "foil");
    row("draft without a source", "{'draft': {'prefix': 7}}", "prefix");
    row("bookmarks as an object", "{'bookmarks': {'a': 1}}", "bookmarks");
    row("bookmark of nothing", "{'bookmarks': [null]}", "bookmarks");
    row("bookmark somewhere", "{'bookmarks': [{'name': 'x', 'place': {'token': -2}}]}", "token");
    row("unknown policy", "{'options': {'policy': 'rm -rf'}}", "policy");
    row("negative tokens", "{'options': {'tokens': -1}}", "tokens");
    row("layout that is no base64", "{'layout': '%%%'}", "layout");
    row("path with an end in it", "{'model': '/etc/passwd\\u0000.gguf'}", "model");
    row("notes as a number", "{'notes': 12}", "notes");
    row("trainings of numbers", "{'trainings': [3]}", "trainings");
    row("document as a list", "{'document': ['a.state']}", "document");
    row("document with an end in it", "{'document': 'a.state\\u0000'}", "document");
    row("evaluation as a number", "{'evaluation': 3}", "evaluation");
    row("flag as text", "{'closed': 'yes'}", "closed");
    row("runs as an object", "{'runs': {'a': 1}}", "runs");
    row("run of nothing", "{'runs': [null]}", "runs");
    row("run of another kind", "{'runs': [{'kind': 'shell', 'place': 'x'}]}", "runs.kind");
    row("run without a place", "{'runs': [{'kind': 'run'}]}", "runs.place");
    row("run with an end in its place", "{'runs': [{'kind': 'run', 'place': 'a\\u0000b'}]}", "runs.place");
    row("run with negative tokens", "{'runs': [{'kind': 'run', 'place': 'x', 'tokens': -1}]}", "runs.tokens");
    row("run of 2^60 bytes", "{'runs': [{'kind': 'run', 'place': 'x', 'bytes': 1152921504606846976}]}", "runs.bytes");
    row("run with a loss of text", "{'runs': [{'kind': 'run', 'place': 'x', 'loss': 'low'}]}", "runs.loss");
    row("run with a tag that is a list", "{'runs': [{'kind': 'run', 'place': 'x', 'tags': [[]]}]}", "runs.tags");
    row("run ticked by a number", "{'runs': [{'kind': 'run', 'place': 'x', 'ticked': 1}]}", "runs.ticked");
    row("run ticked before the first", "{'runs': [{'kind': 'run', 'place': 'x', 'ticked': true, 'tick': 0}]}",
        "runs.tick");
    row("version 0", "{'version': 0}", "version");
    row("version 1e9", "{'version': 1000000000}", "newer");
  }
  void refused() {
    QFETCH(QByteArray, patch);
    QFETCH(QString, named);
    json spoiled = good_;
    spoiled.merge_patch(json::parse(patch.toStdString()));
    open(spoiled.dump());
    QVERIFY(someone_->window.message_bar().isVisible());
    QVERIFY2(someone_->window.message_bar().text().contains(named), qPrintable(someone_->window.message_bar().text()));
  }

  void refused_as_text_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no JSON") << QByteArray(
        "\x7F"
        "ELF\0\0",
        6);
    QTest::newRow("cut off") << QByteArray::fromStdString(good_.dump()).chopped(20);
    QTest::newRow("no UTF-8") << json_of("{'format': 'carryover session', 'version': 2, 'notes': '") +
                                     QByteArray("\xFF\xFE\"}");
    QTest::newRow("200,000 deep") << QByteArray(200000, '[') + QByteArray(200000, ']');
    QTest::newRow("deep in a field") << json_of("{'format': 'carryover session', 'version': 2, 'config': ") +
                                            QByteArray(100000, '[') + QByteArray(100000, ']') + "}";
    QByteArray long_list = json_of("{'format': 'carryover session', 'version': 1, 'trainings': ['/x'");
    for (int i = 0; i < 20000; ++i) long_list += json_of(",'/x'");
    QTest::newRow("20,000 trainings") << long_list + "]}";
  }
  void refused_as_text() {
    QFETCH(QByteArray, text);
    open(text.toStdString());
    QVERIFY(someone_->window.message_bar().isVisible());
  }

  /// Nothing is wrong with their form: they open as far as they can, and what can't be had is said.
  void opened_data() {
    QTest::addColumn<QByteArray>("patch");
    const auto row = [](const char* name, const char* patch) { QTest::newRow(name) << json_of(patch); };
    row("selection beyond the run",
        "{'selection': {'segment': 2, 'layer': 2147483647, 'head': 900, 'token': 999999999999},'pinned': {'segment': "
        "1, 'layer': 77, 'head': 5, 'token': 5}}");
    row("more pinned than there are", "{'pinned_segments': 2147483647}");
    row("what-if beyond the run",
        "{'draft': {'dropped': [{'layer': 2000000000, 'head': 1, 'position': 3}],'banned': [[281474976710656, "
        "281474976710656]]}}");
    row("patch beyond the model", "{'draft': {'patched_heads': [[2147483647, 2147483647]], 'patch_carry': true}}");
    row("foil that is no token", "{'foil': 'xyz \u202e xyz'}");
    row("range beyond the run", "{'range': [0, 2147483647]}");
    row("shown what-if that is none", "{'shown_what_if': 2147483647}");
    row("layout of garbage", "{'layout': 'AAAA/wAAAAD9////////////', 'geometry': 'AdnQywADAAD/////////////'}");
    row("run from a device", "{'run': '/dev/zero', 'pinned_run': '/dev/zero', 'what_ifs': '/dev/zero'}");
    row("run from a pipe", "{'run': 'pipe', 'what_ifs': 'pipe'}");
    row("model from a device", "{'model': '/dev/zero', 'adapter': '/dev/zero'}");
    row("model from a pipe", "{'model': 'pipe', 'adapter': 'pipe'}");
    row("text from a device", "{'text': '/dev/zero', 'text_name': null}");
    row("text from a pipe", "{'text': 'pipe', 'text_name': 'x'}");
    row("paths that leave", "{'model': '../../../../../../nowhere', 'run': 'good.files/../../../nowhere'}");
    row("a bookmark beyond the run",
        "{'bookmarks': [{'name': 'x', 'place': {'segment': 99999, 'layer': 99999,'head': 99999, 'token': 99999999}}]}");
    row("settings that fit no model", "{'config': {'segment_length': -4}}");
    row("settings of another kind", "{'config': {'grouping': '\\u202e', 'segment_length': 'x'}}");
    row("an engine command", "{'engine': '; touch made', 'model': 'x'}");
    row("an engine command in a shell's words", "{'engine': '$(touch made)'}");
    row("an experiment from a device", "{'experiment': '/dev'}");
    row("an experiment in a pipe", "{'experiment': 'pipe'}");
    row("an evaluation from a device", "{'evaluation': '/dev'}");
    row("an evaluation in a pipe", "{'evaluation': 'pipe'}");
    row("a document from a device", "{'document': '/dev/zero'}");
    row("a document from a pipe", "{'document': 'pipe'}");
    row("a document that is a model", "{'document': '" CARRYOVER_SOURCE_DIR "/resources/demo/model.safetensors'}");
    row("runs from devices and everywhere",
        "{'runs': [{'kind': 'run', 'place': '/dev/zero', 'ticked': true}, {'kind': 'run', 'place': 'pipe', 'ticked': "
        "true},{'kind': 'run', 'place': '/'}, {'kind': 'training', 'place': '/etc'}, {'kind': 'run', 'place': "
        "'../../../../../../etc/passwd', 'ticked': true}, {'kind': 'experiment', 'place': '/proc'}]}");
    row("a run twice, with markup for a name",
        "{'runs': [{'kind': 'run', 'place': 'x', 'name': '<b>x</b>'}, {'kind': 'run', 'place': 'x', 'name': 'y'}]}");
    row("trainings from devices", "{'trainings': ['/dev/zero', '/dev', 'pipe']}");
  }
  void opened() {
    QFETCH(QByteArray, patch);
    json spoiled = good_;
    spoiled.merge_patch(json::parse(patch.toStdString()));
    open(spoiled.dump());
    const RunLibrary& library = someone_->lab().library();
    for (int i = 0; i < library.count(); ++i) {
      someone_->window.lab().library.open(library.run(i).place);
      QVERIFY(settled());
    }
    for (const Bookmark& bookmark : someone_->lab().notebook().bookmarks()) someone_->lab().select(bookmark.place);
    for (const QString& id : someone_->window.docks().ids()) someone_->window.docks().raise(id);
    QVERIFY(settled());
    someone_->window.grab();
    QVERIFY(!QFile::exists(QStringLiteral("made")));
    QVERIFY(!notes_.isEmpty());
    open(good_.dump());  // and the window still works
    QCOMPARE(someone_->lab().run().segment_count(), someone_->lab().run().expected_segments());
  }

  /// A session names any file as a run of its own: nothing but the window's own journals is deleted.
  void what_a_session_names_is_not_deleted() {
    const QString precious = home_ + QStringLiteral("/precious.journal");
    write_bytes(precious.toStdString(), "mine");
    json spoiled = good_;
    spoiled["runs"] = json::array({{{"kind", "run"}, {"place", precious.toStdString()}},
                                   {{"kind", "run"}, {"place", "good.files/../precious.journal"}},
                                   {{"kind", "run"}, {"place", home_.toStdString()}}});
    spoiled["run"] = precious.toStdString();
    spoiled["pinned_run"] = nullptr;
    open(spoiled.dump());
    RunLibrary& library = someone_->lab().library();
    QCOMPARE(library.count(), 2);  // two of the three are one
    QStringList places;
    for (int i = 0; i < library.count(); ++i) places += library.run(i).place;
    someone_->window.lab().library.remove(places);
    library.forget_removed();
    QSignalSpy saved(&someone_->keeper, &SessionKeeper::session_saved);
    someone_->keeper.save_session(home_ + QStringLiteral("/saved.carryover"));
    QVERIFY(saved.wait(patience_ms));
    QCOMPARE(read_bytes(precious.toStdString()), std::string("mine"));
    open(good_.dump());
  }

  /// Nor is any file that it names copied into a folder that the user gives away.
  void what_a_session_names_is_not_copied_data() {
    QTest::addColumn<QString>("place");
    QTest::newRow("elsewhere") << home_ + "/secret.journal";
    QTest::newRow("by a climbing path") << "spoiled.files/../secret.journal";
    QTest::newRow("by a link in its own folder") << "spoiled.files/link.journal";
    QTest::newRow("by a linked folder in its own") << "spoiled.files/folder/secret.journal";
    QTest::newRow("of another session") << "good.files/secret.journal";
  }
  void what_a_session_names_is_not_copied() {
    QFETCH(QString, place);
    const std::string secret = "root:x:0:0: a text that nobody opened here\n";
    const QString own = home_ + "/spoiled.files";
    QDir(own).removeRecursively();
    QVERIFY(QDir().mkpath(own));
    for (const char* name : {"secret.journal", "good.files/secret.journal"}) write_bytes(folder_.file(name), secret);
    QVERIFY(QFile::link(home_ + "/secret.journal", own + "/link.journal"));
    QVERIFY(QFile::link(home_, own + "/folder"));
    json spoiled = good_;
    const std::string path = place.toStdString();
    spoiled["text"] = spoiled["what_ifs"] = spoiled["run"] = spoiled["pinned_run"] = path;
    spoiled["text_name"] = "x";
    spoiled["runs"] = json::array({{{"kind", "run"}, {"place", path}}});
    for (const char* field : {"run_folder", "experiment", "evaluation", "prompts", "document", "adapter"})
      spoiled[field] = path;
    spoiled["trainings"] = json::array({path});
    spoiled["prompt_order"] = {{"prompts", path}, {"out", path}};
    open(spoiled.dump());
    const QString files = home_ + "/given.files";
    for (int i = 0; i < 2; ++i) {
      QDir(files).removeRecursively();
      QSignalSpy saved(&someone_->keeper, &SessionKeeper::session_saved);
      someone_->keeper.save_session(home_ + "/given.carryover");
      QVERIFY(saved.wait(patience_ms));
      QStringList written{files};
      if (const QString place = someone_->window.lab().runs.place(); !place.isEmpty()) written += place;
      for (const QString& folder : written)
        for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files))
          QVERIFY2(read_bytes(file.filePath().toStdString()).find("nobody opened") == std::string::npos,
                   qPrintable(file.filePath()));
      someone_->keeper.keep_now();  // nor once it is a session of this window
    }
    for (const QFileInfo& folder : QDir(home_ + "/sessions").entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot))
      for (const QFileInfo& file : QDir(folder.filePath()).entryInfoList(QDir::Files))
        QVERIFY(read_bytes(file.filePath().toStdString()).find("nobody opened") == std::string::npos);
    QCOMPARE(someone_->window.lab().loader.text()->contents, nullptr);  // a file like any other
    open(good_.dump());
  }

 private:
  bool settled() {
    return wait_for([&] { return !someone_->keeper.restoring() && !someone_->window.lab().loader.loading(); });
  }
  void open(const std::string& text) {
    someone_->window.message_bar().hide();
    notes_.clear();
    write_bytes(folder_.file("spoiled.carryover"), text);
    someone_->keeper.open_session(home_ + QStringLiteral("/spoiled.carryover"));
    QVERIFY(settled());
    QCoreApplication::processEvents();
  }

  TempDir folder_;
  QString home_;
  std::unique_ptr<Someone> someone_;
  json good_;
  QStringList notes_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<HostileSessionTest>};
#include "hostile_session_test.moc"
