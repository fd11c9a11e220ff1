// SPDX-License-Identifier: GPL-3.0-or-later
// The next window brings back what a window shows, from what was kept of it and from a session file.
#include "app/saved_window/session_keeper.h"

#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QTest>

#include "app/saved_window/session_summary.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_folder.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "widgets/campaigns/prompts_form.h"
#include "widgets/campaigns/prompts_panel.h"
#include "widgets/lab/notebook.h"
#include "widgets/training/finetune_dialog.h"
#include "widgets/training/plan_form.h"
#include "widgets/training/state/plan_fields.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// The values that a run showed.
struct Shown {
  std::vector<double> losses;
  std::vector<HeadHits> hits;
  std::vector<std::vector<float>> norms;
  std::int64_t tokens = 0;
  bool operator==(const Shown&) const = default;
};

Shown shown(MainWindow& window) {
  const RunModel& run = window.lab().context.run();
  Shown result;
  result.tokens = run.token_count();
  for (int i = 0; i < run.segment_count(); ++i) {
    const SegmentSnapshot& segment = run.snapshot(i);
    result.losses.push_back(segment.record.nll_sum);
    result.hits.insert(result.hits.end(), segment.hits.begin(), segment.hits.end());
    result.norms.push_back(segment.carry_key_norm.values);
  }
  return result;
}

void bring_back(SessionKeeper& keeper) {
  QSignalSpy opened(&keeper, &SessionKeeper::session_opened);
  QVERIFY(keeper.begin(true));
  QVERIFY(opened.wait(patience_ms));
}

}  // namespace

class SessionKeeperTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    folder_ = std::make_unique<TempDir>();
    root_ = QString::fromStdString(folder_->file("sessions"));
  }

  void the_next_window_shows_what_the_last_one_did() {
    Shown before;
    Selection selection;
    SegmentConfig config;
    {
      MainWindow window;
      SessionKeeper keeper(window, root_);
      QVERIFY(!keeper.begin(true));  // there is nothing yet
      window.show();
      open_demo(window, 1000);
      run_to_the_end(window);
      LabContext& lab = window.lab().context;
      config = lab.config();
      config.carry_length = 7;
      lab.edit_config(config, "carry");
      lab.select({3, 1, 0, 100});
      selection = lab.selected();
      lab.notebook().set_text("a note");
      lab.notebook().add_bookmark({"here", selection});
      window.docks().dock("memory")->hide();
      before = shown(window);
    }
    MainWindow window;
    SessionKeeper keeper(window, root_);
    window.show();
    bring_back(keeper);
    LabContext& lab = window.lab().context;
    QVERIFY(shown(window) == before);
    QVERIFY(lab.run().finished() && !lab.run().summary().cancelled);
    QVERIFY(lab.selected() == selection);
    QVERIFY(lab.config() == config);
    QCOMPARE(lab.run_options().token_limit, std::int64_t{1000});
    QCOMPARE(lab.notebook().text(), QString("a note"));
    QCOMPARE(lab.notebook().bookmarks().size(), std::size_t{1});
    QVERIFY(window.docks().dock("memory")->isHidden());
    run_to_the_end(window);  // and it continues from there
    QCOMPARE(lab.run().request().config.carry_length, std::int64_t{7});
    QCOMPARE(SessionFolder::left_behind(root_).size(), 0);
  }

  void a_pasted_text_and_an_open_dialog_come_back() {
    {
      MainWindow window;
      SessionKeeper keeper(window, root_);
      keeper.begin(false);
      window.show();
      window.lab().loader.open_model(demo_folder());
      window.lab().loader.open_pasted_text("Only here, in no file. " + QString("word ").repeated(300));
      run_to_the_end(window);
      window.dialogs().open_finetune()->form().editor("max_steps")->set_value(17);
      Q_EMIT window.dialogs().finetune()->form().changed();
    }
    MainWindow window;
    SessionKeeper keeper(window, root_);
    window.show();
    bring_back(keeper);
    QCOMPARE(window.lab().loader.text()->name, QString("pasted text"));
    QVERIFY(window.lab().loader.text()->contents->starts_with("Only here, in no file."));
    QVERIFY(window.lab().context.run().segment_count() > 0);
    QVERIFY(window.dialogs().finetune() != nullptr);
    QCOMPARE(window.dialogs().finetune()->form().fields().at("max_steps").get<int>(), 17);
  }

  void what_was_typed_into_a_closed_dialog_comes_back() {
    const auto rate_in = [](MainWindow& window) {
      return window.dialogs().open_finetune()->findChild<QLineEdit*>(QStringLiteral("learning_rate"));
    };
    const auto open = [](MainWindow& window) {
      window.show();
      window.lab().loader.open_model(demo_folder());
      return QTest::qWaitFor([&] { return window.lab().context.model().has_value(); }, patience_ms);
    };
    {
      MainWindow window;
      SessionKeeper keeper(window, root_);
      keeper.begin(false);
      QVERIFY(open(window));
      QVERIFY(rate_in(window)->text() != QStringLiteral("0.125"));
      rate_in(window)->setText(QStringLiteral("0.125"));
      window.dialogs().finetune()->close();
      QTRY_VERIFY(window.dialogs().finetune() == nullptr);
    }
    MainWindow window;
    SessionKeeper keeper(window, root_);
    window.show();
    bring_back(keeper);
    QVERIFY(window.dialogs().finetune() == nullptr);  // it was closed
    QCOMPARE(rate_in(window)->text(), QStringLiteral("0.125"));
  }

  void a_prompt_set_comes_back_with_its_form() {
    const QString runs = QString::fromStdString(folder_->file("few-runs"));
    const PromptOrder order{QString::fromStdString(folder_->file("few.jsonl")), "random", runs};
    QVERIFY(QDir().mkpath(runs));
    write_file_atomically(runs.toStdString() + "/prompts.json", R"({"examples": [{"name": "one"}], "slices": []})");
    const auto panel_of = [](MainWindow& window) {
      return static_cast<PromptsPanel*>(window.docks().panel(QStringLiteral("prompts")));
    };
    const auto shows_it = [&](MainWindow& window) {
      return QTest::qWaitFor([&] { return panel_of(window)->examples().model()->rowCount() == 1; }, patience_ms);
    };
    {
      MainWindow window;
      SessionKeeper keeper(window, root_);
      keeper.begin(false);
      window.show();
      open_demo(window, 100);
      QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
      window.lab().prompts.open(runs);
      panel_of(window)->form().set_order(order);
      QVERIFY(shows_it(window));
    }
    MainWindow window;
    SessionKeeper keeper(window, root_);
    window.show();
    bring_back(keeper);
    QVERIFY(shows_it(window));
    const PromptOrder back = panel_of(window)->form().order();
    QVERIFY(back.prompts == order.prompts && back.against == order.against && back.out == order.out);
  }

  void a_file_that_cannot_be_written_is_not_the_sessions() {
    MainWindow window;
    SessionKeeper keeper(window, root_);
    keeper.begin(false);
    int failures = 0;
    connect(&keeper, &SessionKeeper::failed, &keeper, [&failures] { ++failures; });
    window.lab().context.notebook().set_text("first");
    QFile no_folder(QString::fromStdString(folder_->file("no_folder")));
    QVERIFY(no_folder.open(QIODevice::WriteOnly));
    no_folder.close();
    keeper.save_session(no_folder.fileName() + QStringLiteral("/study.carryover"));
    QTRY_COMPARE_WITH_TIMEOUT(failures, 1, patience_ms);
    QVERIFY(keeper.session_file().isEmpty());  // so that Save asks for one

    const QString file = QString::fromStdString(folder_->file("study.carryover"));
    QSignalSpy saved(&keeper, &SessionKeeper::session_saved);
    keeper.save_session(file);
    QVERIFY(saved.wait(patience_ms));
    QVERIFY(QFile::remove(file) && QDir().mkdir(file));
    window.lab().context.notebook().set_text("second");
    keeper.save_session(file);
    QTRY_COMPARE_WITH_TIMEOUT(failures, 2, patience_ms);
    QCOMPARE(keeper.session_file(), file);
    QVERIFY(keeper.has_unsaved_work());
    QVERIFY(QDir().rmdir(file));
  }

  void a_session_file_holds_everything_and_can_be_moved() {
    const TempDir elsewhere;
    const QString file = QString::fromStdString(folder_->file("study.carryover"));
    Shown before;
    {
      MainWindow window;
      SessionKeeper keeper(window, root_);
      keeper.begin(false);
      window.show();
      open_demo(window, 600);
      run_to_the_end(window);
      before = shown(window);
      QVERIFY(!keeper.has_unsaved_work());  // it has no file to differ from
      QSignalSpy saved(&keeper, &SessionKeeper::session_saved);
      keeper.save_session(file);
      QVERIFY(saved.wait(patience_ms));
      QVERIFY(!keeper.has_unsaved_work());
      window.lab().context.select_segment(1);
      QVERIFY(!keeper.has_unsaved_work());  // looking is no work
      window.lab().context.notebook().set_text("changed");
      QVERIFY(keeper.has_unsaved_work());
      run_to_the_end(window);
      window.lab().context.notebook().set_text({});
      QVERIFY(keeper.has_unsaved_work());  // another run
    }
    QDir(root_).removeRecursively();
    const QString moved = QString::fromStdString(elsewhere.file("renamed.carryover"));
    QVERIFY(QFile::rename(file, moved));
    QVERIFY(QDir().rename(QString::fromStdString(folder_->file("study.files")),
                          QString::fromStdString(elsewhere.file("study.files"))));
    MainWindow window;
    SessionKeeper keeper(window, root_);
    window.show();
    keeper.begin(false);
    QSignalSpy opened(&keeper, &SessionKeeper::session_opened);
    keeper.open_session(moved);
    QVERIFY(opened.wait(patience_ms));
    QVERIFY(shown(window) == before);
    QCOMPARE(keeper.session_file(), moved);
    QVERIFY(!keeper.has_unsaved_work());
  }

  void what_is_gone_is_said_and_what_is_left_stays() {
    const QString model = QString::fromStdString(folder_->file("model"));
    QDir().mkpath(model);
    copy_demo(model);
    {
      MainWindow window;
      SessionKeeper keeper(window, root_);
      keeper.begin(false);
      window.show();
      window.lab().loader.open_model(model);
      window.lab().loader.open_text(model + "/text.txt");
      QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    }
    QDir(model).removeRecursively();
    MainWindow window;
    QStringList notes;
    connect(&window.lab().context, &LabContext::noted, this, [&](const QString& note, bool) { notes += note; });
    SessionKeeper keeper(window, root_);
    QVERIFY(!keeper.begin(true));
    QVERIFY(notes.filter("is gone").size() == 1);
    QCOMPARE(keeper.earlier().folders().size(), 1);  // for when the model is back
    QSignalSpy failed(&keeper, &SessionKeeper::failed);
    keeper.open_session(QString::fromStdString(folder_->file("none.carryover")));
    QCOMPARE(failed.count(), 1);
  }

  void a_state_that_ends_the_program_is_not_brought_back_twice() {
    {
      MainWindow window;
      SessionKeeper keeper(window, root_);
      keeper.begin(false);
      window.show();
      open_demo(window, 300);
      run_to_the_end(window);
    }
    const QString left = SessionFolder::left_behind(root_).front();
    write_file_atomically((left + "/bringing-back").toStdString(), "11");  // as attempts leave it that are killed
    MainWindow window;
    SessionKeeper keeper(window, root_);
    window.show();
    QVERIFY(!keeper.begin(true));
    QCOMPARE(keeper.earlier().folders(), QStringList(left));
    QVERIFY(summary_of(left).name.contains("text.txt"));
    QSignalSpy opened(&keeper, &SessionKeeper::session_opened);
    keeper.open_earlier(left);  // asked for, it is
    QVERIFY(opened.wait(patience_ms));
    QVERIFY(window.lab().context.run().segment_count() > 0);
    QVERIFY(!QFile::exists(left + "/bringing-back"));
  }

  void a_folder_that_cant_be_written_keeps_nobody_from_working() {
    const QString file = QString::fromStdString(folder_->file("file"));
    write_file_atomically(file.toStdString(), "");
    MainWindow window;
    QStringList notes;
    connect(&window.lab().context, &LabContext::noted, this, [&](const QString& note, bool) { notes += note; });
    SessionKeeper keeper(window, file + "/sessions");
    QVERIFY(!keeper.begin(true));
    QCOMPARE(notes.filter("This session can't be saved").size(), 1);
    window.show();
    open_demo(window, 300);
    run_to_the_end(window);
    QVERIFY(window.lab().context.run().finished());
  }

 private:
  std::unique_ptr<TempDir> folder_;
  QString root_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionKeeperTest>};
#include "session_keeper_test.moc"
