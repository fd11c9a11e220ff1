// SPDX-License-Identifier: GPL-3.0-or-later
// A session file may be anybody's: a command that it names is started when the user says so, and else never.
#include <QApplication>
#include <QFile>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include "app/saved_window/engine_question.h"
#include "app/window/message_bar.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_command.h"
#include "engine/runs/records/run_folder.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_states.h"

using namespace carryover;
using namespace carryover::test;

class SessionEngineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    fail_on_qt_warnings();
    folder_ = std::make_unique<TempDir>();
    home_ = QString::fromStdString(folder_->path().string());
    made_ = home_ + QStringLiteral("/made");
    session_ = home_ + QStringLiteral("/gift.carryover");
    words_ = {"sh", "-c", "touch '" + made_.toStdString() + "'; exit 3"};
    SessionState state;
    state.engine = QString::fromStdString(shell_command(words_));
    state.model = "models/of the other machine";
    state.notes = "open me";
    write_file_atomically(session_.toStdString(), session_text(state, home_));
  }

  void opening_starts_nothing_and_neither_does_the_next_start() {
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      someone.keeper.open_session(session_);
      auto* question = asked(someone);
      QVERIFY(question != nullptr);
      QCOMPARE(question->command().toPlainText(), QString::fromStdString(shell_command(words_)));
      QVERIFY(question->refuse_button().isDefault() && !question->start_button().isDefault());
      QVERIFY(someone.keeper.restoring());
      QTest::qWait(300);
      QVERIFY(!QFile::exists(made_));  // while it asks
      QTest::keyClick(question, Qt::Key_Return);
      QTRY_VERIFY_WITH_TIMEOUT(!someone.keeper.restoring(), patience_ms);
      QCOMPARE(someone.lab().notebook().text(), QString("open me"));
      QVERIFY(someone.window.message_bar().isVisible());
      QVERIFY(someone.window.message_bar().text().contains(QString::fromStdString(words_[2].substr(0, 6))));
      someone.keeper.keep_now();
    }
    QVERIFY(!QFile::exists(made_));
    Someone someone(home_);
    QCOMPARE(someone.settings.values.engines, (std::map<EngineCommand, bool>{{words_, false}}));
    QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
    QVERIFY(someone.keeper.begin(true));  // a plain start
    QVERIFY(opened.wait(patience_ms));
    QVERIFY(asked(someone) == nullptr);  // it was answered
    QCOMPARE(someone.lab().notebook().text(), QString("open me"));
    someone.keeper.save_session(home_ + QStringLiteral("/again.carryover"));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(home_ + "/again.carryover"), patience_ms);
    QCOMPARE(read_session(home_ + "/again.carryover").engine, QString::fromStdString(shell_command(words_)));
    QTest::qWait(300);
    QVERIFY(!QFile::exists(made_));
  }

  void closing_the_question_is_no_answer() {
    Someone someone(home_);
    someone.keeper.begin(false);
    someone.keeper.open_session(session_);
    QVERIFY(asked(someone) != nullptr);
    QTest::keyClick(asked(someone), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!someone.keeper.restoring(), patience_ms);
    QVERIFY(someone.settings.values.engines.empty());
    QVERIFY(!QFile::exists(made_));
  }

  void a_window_that_closes_over_the_question_starts_nothing() {
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      someone.keeper.open_session(session_);
      QVERIFY(asked(someone) != nullptr);
    }
    Someone someone(home_);
    QVERIFY(someone.keeper.begin(true));
    QVERIFY(asked(someone) != nullptr);  // still not answered
    QVERIFY(!QFile::exists(made_));
  }

  void what_the_user_allows_is_started_then_and_next_time() {
    Someone someone(home_);
    someone.keeper.begin(false);
    someone.keeper.open_session(session_);
    QVERIFY(asked(someone) != nullptr);
    QTest::mouseClick(&asked(someone)->start_button(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!someone.keeper.restoring(), patience_ms);
    QVERIFY(QFile::exists(made_));
    QVERIFY(someone.window.lab().engine.lost());  // exit 3
    QCOMPARE(SettingsFile(home_ + "/settings.json").values.engines, (std::map<EngineCommand, bool>{{words_, true}}));
    QVERIFY(QFile::remove(made_));
    someone.window.lab().engine.use({});
    someone.keeper.open_session(session_);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(made_), patience_ms);
  }

  void a_refusal_can_be_thought_over() {
    Someone someone(home_);
    someone.settings.values.engines[words_] = false;
    someone.keeper.begin(false);
    someone.keeper.open_session(session_);
    QTRY_VERIFY_WITH_TIMEOUT(!someone.keeper.restoring(), patience_ms);
    QVERIFY(!QFile::exists(made_));
    auto* look = someone.window.message_bar().findChild<QToolButton*>(QStringLiteral("offer"));
    QVERIFY(look->isVisible());
    QTest::mouseClick(look, Qt::LeftButton);
    QVERIFY(asked(someone) != nullptr && !QFile::exists(made_));
    QTest::mouseClick(&asked(someone)->start_button(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(made_), patience_ms);
  }

  void what_was_typed_needs_no_question() {
    Someone someone(home_);
    someone.keeper.begin(false);
    someone.window.lab().engine.use("true 'a b'");
    QCOMPARE(someone.settings.values.engines, (std::map<EngineCommand, bool>{{{"true", "a b"}, true}}));
  }

  void nothing_hides_in_a_command() {
    QCOMPARE(visible_command({"ssh", "host", "a b"}), QString("ssh host 'a b'"));
    QCOMPARE(visible_command({"a\xE2\x80\xAE"
                              "b",
                              "c\td", "\xC2\xA0", "\xE2\x80\x8B"}),
             QString("'a⟨U+202e⟩b' 'c⟨U+0009⟩d' '⟨U+00a0⟩' '⟨U+200b⟩'"));
  }

 private:
  static EngineQuestion* asked(Someone& someone) {
    for (auto* question : someone.window.findChildren<EngineQuestion*>())
      if (question->isVisible()) return question;
    return nullptr;
  }

  std::unique_ptr<TempDir> folder_;
  QString home_, made_, session_;
  EngineCommand words_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionEngineTest>};
#include "session_engine_test.moc"
