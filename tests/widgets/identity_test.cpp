// SPDX-License-Identifier: GPL-3.0-or-later
// The window shows results of the weights that it names: ids, hashes, commands, masses and scores after a training,
// with an adapter from Recent, and from a session file equal what the command line and a session of their own give for
// the same weights.
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "app/window/identity_bar.h"
#include "app/window/message_bar.h"
#include "app/window/model_dialog.h"
#include "engine/api/engine_library.h"
#include "engine/runs/records/run_reader.h"
#include "tests/support/cli_process.h"
#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "tests/support/home.h"
#include "tests/support/run_script.h"
#include "tests/support/settle.h"
#include "widgets/controls/elided_label.h"
#include "widgets/look/shown_name.h"
#include "widgets/runs/state/model_label.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Runs a script and returns what goes wrong; empty if nothing does. Waits first: the window may still be asking the
/// engine for something that it shows.
QString run_when_idle(MainWindow& window, const QString& text) {
  return script_problem(window, QStringLiteral("wait\n") + text);
}

InspectionParts parts_of(const HeadRef& head) {
  InspectionParts parts;
  parts.masses = true;
  parts.attention = head;
  parts.search = head;
  return parts;
}

/// Returns what the window says of a segment beyond its record; null with the reason in `problem`.
std::shared_ptr<const Inspection> inspect(Home& home, const InspectionQuery& query, QString* problem = nullptr) {
  Inspections& inspections = home.lab().inspections();
  inspections.want(QStringLiteral("test"), query);
  const bool over = QTest::qWaitFor(
      [&] {
        return inspections.answer(QStringLiteral("test")) || !inspections.problem(QStringLiteral("test")).isEmpty();
      },
      patience_ms);
  if (problem) *problem = over ? inspections.problem(QStringLiteral("test")) : QStringLiteral("no answer");
  const auto answer = inspections.answer(QStringLiteral("test"));
  inspections.forget(QStringLiteral("test"));
  return answer;
}

std::vector<float> scores_of(const SearchSteps& search) {
  std::vector<float> scores;
  for (const SearchSteps::Ranked& ranked : search.ranked) scores.push_back(ranked.score);
  return scores;
}

/// Everything of the run on show, against the command line and a session that knows nothing of the window.
void compare_with_the_command_line(Home& home, const QString& folder) {
  const RunModel& run = home.lab().run();
  const ModelInfo& shown = run.model();
  QCOMPARE(shown.weights_hash, home.model().weights_hash);
  QCOMPARE(home.window.identity().badge(), QString());
  QVERIFY(home.window.identity().chip().contains(short_hash(shown.weights_hash)));

  QStringList command;
  for (const std::string& word : run.origin().command_line) command += QString::fromStdString(word);
  QCOMPARE(command.takeFirst(), QStringLiteral("carryover"));
  const CliResult made = run_cli(command + QStringList{QStringLiteral("--out"), folder});
  QVERIFY2(made.code == 0, made.err);
  const RunContents again = reopen_run(folder.toStdString());
  QCOMPARE(again.description.id, run.origin().id);
  QCOMPARE(again.description.model.weights_hash, shown.weights_hash);
  QCOMPARE(again.segments->count(), run.segment_count());
  for (int i = 0; i < run.segment_count(); ++i) {
    const auto theirs = again.segments->load(i);
    QCOMPARE(run.snapshot(i).target_nll, theirs->target_nll);
    QVERIFY(run.snapshot(i).hits == theirs->hits);
  }

  const auto session =
      load_session({shown.path, shown.dtype, Device::Cpu, 0, false, shown.adapter}, [](double, const std::string&) {});
  QCOMPARE(session->model().weights_hash, shown.weights_hash);
  RunControl control;
  const int segment = run.segment_count() - 2;
  const HeadHits& head = run.snapshot(segment).hits.front();
  const InspectionQuery query{segment, parts_of({head.layer, head.head})};
  QString problem;
  const auto seen = inspect(home, query, &problem);
  QVERIFY2(seen != nullptr, qPrintable(problem));
  RunRequest request = run.request();
  const Inspection theirs = session->inspect({request, segment, query.parts}, control);
  QVERIFY(!seen->prefix_mass.values.empty());
  QCOMPARE(seen->prefix_mass.values, theirs.prefix_mass.values);
  QCOMPARE(seen->attention->mean.values, theirs.attention->mean.values);
  QVERIFY(!seen->search->ranked.empty());
  QCOMPARE(scores_of(*seen->search), scores_of(*theirs.search));
  QCOMPARE(seen->slot_masses.size(), theirs.slot_masses.size());
  for (std::size_t i = 0; i < theirs.slot_masses.size(); ++i)
    QCOMPARE(seen->slot_masses[i].mass, theirs.slot_masses[i].mass);

  const WhatIfResult* what_if = home.lab().what_ifs().shown_in_run();
  QVERIFY(what_if != nullptr);
  std::vector<float> after;
  const WhatIfBase base = session->what_if(
      {request, what_if->segment, {what_if->edit}},
      [&](std::size_t, const WhatIfOutcome& outcome) { after = outcome.target_nll; }, control);
  QCOMPARE(what_if->before, base.as_it_was.target_nll);
  QCOMPARE(what_if->after, after);
  QVERIFY(what_if->provenance.contains(QString::fromStdString(shown.weights_hash)));
}

QAction* recent_model(Home& home, const QString& text) {
  for (QMenu* menu : home.window.findChildren<QMenu*>()) {
    if (menu->title() != Shell::tr("Recent models")) continue;
    Q_EMIT menu->aboutToShow();
    for (QAction* action : menu->actions())
      if (action->text() == action_text(text)) return action;
  }
  return nullptr;
}

const QString run_and_look = QStringLiteral(
    "run\nwait\nselect segment most-anchors head first token top-hit\nshow hits\nwait\n"
    "what-if drop top-hit name \"without the best hit\"\nwait\n");

}  // namespace

class IdentityTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    temp_ = std::make_unique<TempDir>();
    folder_ = QString::fromStdString(temp_->path().string());
  }

  void a_run_of_a_part_says_so_and_offers_the_whole_text() {
    Home home(folder_);
    const QString problem = run_when_idle(home.window, "open demo\nset tokens 700\nrun\nwait\n");
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    IdentityBar& bar = home.window.identity();
    auto& all = *bar.findChild<QToolButton*>(QStringLiteral("run_all"));
    const auto whole = static_cast<qlonglong>(home.window.lab().loader.text()->ids->size());
    QVERIFY2(bar.text().endsWith(QStringLiteral("· 700 of %L1 tokens").arg(whole)), qPrintable(bar.text()));
    QVERIFY(all.isVisible() && all.isEnabled() && all.toolTip().contains(QStringLiteral("at this run's speed")));
    all.click();
    QVERIFY(!all.isVisible());  // while it runs
    QVERIFY(QTest::qWaitFor([&] { return home.lab().run().finished(); }, patience_ms));
    QCOMPARE(static_cast<qlonglong>(home.lab().run().request().ids->size()), whole);
    QVERIFY2(!bar.text().contains(QStringLiteral(" of ")) && !all.isVisible(), qPrintable(bar.text()));
  }

  void a_training_gives_the_window_its_weights_and_a_session_brings_them_back() {
    const QString session = file("study.carryover");
    std::string base, trained, id;
    {
      Home home(folder_);
      QString problem =
          run_when_idle(home.window, "set dtype fp32\nset tokens 700\nopen demo\nset tokens 700\nrun\nwait\n");
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
      base = home.lab().run().model().weights_hash;
      problem = run_when_idle(home.window, finetune("trained"));
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
      trained = home.model().weights_hash;
      QVERIFY(trained != base);
      QCOMPARE(home.model().path, file("trained/final").toStdString());
      QVERIFY2(home.window.identity().chip().startsWith("demo + 3 steps · fp32 · "),
               qPrintable(home.window.identity().chip()));
      // The run that is still on show is of the base: that is said, and nothing is computed for it.
      const QString badge = home.window.identity().badge();
      QVERIFY2(badge.contains(short_hash(base)), qPrintable(badge));
      QVERIFY(inspect(home, {1, parts_of({1, 0})}, &problem) == nullptr);
      QVERIFY2(problem.contains(QString::fromStdString(base)) && problem.contains(QString::fromStdString(trained)),
               qPrintable(problem));
      problem = run_when_idle(home.window, run_and_look);
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
      id = home.lab().run().origin().id;
      compare_with_the_command_line(home, file("cli"));
      problem = run_when_idle(home.window, "save session '" + session + "'\n");
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }
    {
      Home home(file("another"));
      const QString problem = run_when_idle(home.window, "open session '" + session + "'\n");
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
      QCOMPARE(home.model().weights_hash, trained);
      QCOMPARE(home.lab().run().origin().id, id);
      compare_with_the_command_line(home, file("cli-again"));
    }
    // Other weights where the session's were: both are named, and what was recorded is all that is shown.
    QVERIFY(QFile::remove(file("trained/final/model.safetensors")));
    QVERIFY(QFile::copy(demo_folder() + "/model.safetensors", file("trained/final/model.safetensors")));
    Home home(file("third"));
    QString problem = run_when_idle(home.window, "open session '" + session + "'\n");
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    const QString now = QString::fromStdString(home.model().weights_hash), then = QString::fromStdString(trained);
    QVERIFY(now != then);
    QVERIFY2(home.window.message_bar().text().contains(now) && home.window.message_bar().text().contains(then),
             qPrintable(home.window.message_bar().text()));
    QVERIFY(home.lab().run().segment_count() > 0);
    QVERIFY(home.window.identity().badge().contains(short_hash(trained)));
    QVERIFY(inspect(home, {1, parts_of({1, 0})}, &problem) == nullptr);
    QVERIFY2(problem.contains(now) && problem.contains(then), qPrintable(problem));
  }

  void an_adapter_comes_back_from_recent_and_from_a_session() {
    const QString session = file("study.carryover"), adapter = file("lora/final");
    const QString text = demo_folder() + " + " + adapter;
    {
      Home home(folder_);
      QString problem = run_when_idle(home.window, "set dtype fp32\nopen demo\nset tokens 700\n" +
                                                       finetune("lora", "lora_rank 4 learning_rate 0.01"));
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
      QCOMPARE(home.model().adapter, adapter.toStdString());
      QVERIFY(home.model().weights_hash.find('+') != std::string::npos);
    }
    {
      Home home(folder_);
      QString problem = run_when_idle(home.window, "set dtype fp32\nopen demo\nset tokens 700\n");
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
      QCOMPARE(home.model().adapter, std::string());
      QAction* recent = recent_model(home, text);
      QVERIFY(recent != nullptr && recent->isEnabled());
      QSignalSpy ended(&home.window.lab().runs, &RunController::run_ended);
      recent->trigger();
      QVERIFY(ended.wait(patience_ms));
      QCOMPARE(home.model().adapter, adapter.toStdString());
      QVERIFY2(home.window.identity().chip().startsWith("demo + lora, 3 steps · fp32 · "),
               qPrintable(home.window.identity().chip()));
      for (const int width : {300, 1500}) {
        IdentityBar bar(home.window.lab());
        bar.resize(width, bar.sizeHint().height());
        bar.show();
        settle();
        const auto* chip = bar.findChild<QToolButton*>(QStringLiteral("model_chip"));
        QVERIFY2(chip->sizeHint().width() <= chip->width(), qPrintable(chip->text()));
        QCOMPARE(chip->text().contains(u'…'), width == 300);
        QVERIFY(bar.chip() == home.window.identity().chip() && chip->toolTip().startsWith(bar.chip()));
      }
      problem = run_when_idle(home.window, run_and_look + "save session '" + session + "'\n");
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
      compare_with_the_command_line(home, file("cli"));
      // Loading it again, in another dtype and back, keeps the adapter.
      problem = run_when_idle(home.window, "set dtype fp64\nset dtype fp32\n");
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
      QCOMPARE(home.model().adapter, adapter.toStdString());
    }
    Home home(file("another"));
    QString problem = run_when_idle(home.window, "open session '" + session + "'\n");
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QCOMPARE(home.model().adapter, adapter.toStdString());
    compare_with_the_command_line(home, file("cli-again"));
  }

  void the_bar_cuts_what_has_no_room() {
    MainWindow window;
    open_demo(window, 300);
    const QString name(150, u'n');
    window.lab().loader.open_pasted_text("Some words.", name);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run() && window.lab().loader.text()->name == name, patience_ms);
    IdentityBar bar(window.lab());
    for (const int width : {420, 700, 1000, 4000}) {
      bar.resize(width, bar.sizeHint().height());
      bar.show();
      settle();
      QRegion taken;
      for (const QWidget* part : bar.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (!part->isVisible()) continue;
        QVERIFY2(bar.rect().contains(part->geometry()) && !taken.intersects(part->geometry()),
                 qPrintable(QStringLiteral("%1 in %2").arg(part->accessibleName()).arg(width)));
        taken += part->geometry();
      }
      const auto* text = static_cast<ElidedLabel*>(label_named(bar, IdentityBar::tr("Open text")));
      QCOMPARE(text->text(), name);
      QCOMPARE(text->is_cut(), width < 2000);
      QVERIFY(text->width() >= 40);
    }
  }

  void the_dialog_checks_model_and_adapter_and_opens_them() {
    const QString adapter = file("lora/final");
    Home home(folder_);
    QString problem = run_when_idle(home.window, "set dtype fp32\nopen demo\nset tokens 300\n" +
                                                     finetune("lora", "lora_rank 4 learning_rate 0.01"));
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    home.window.dialogs().ask_model();
    auto* dialog = home.window.findChild<ModelDialog*>();
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->model().text(), demo_folder());  // what is open
    QCOMPARE(dialog->adapter().text(), adapter);
    QVERIFY2(dialog->problem().isEmpty(), qPrintable(dialog->problem()));
    const auto refuses = [&](QLineEdit& line, const QString& text) {
      const QString before = line.text();
      line.setText(text);
      const bool refused = !dialog->open_button().isEnabled() && !dialog->problem().isEmpty();
      line.setText(before);
      return refused && dialog->open_button().isEnabled();
    };
    QVERIFY(refuses(dialog->model(), {}));
    QVERIFY(refuses(dialog->model(), file("nowhere")));
    QVERIFY(refuses(dialog->model(), adapter));  // is no model by itself
    QVERIFY(refuses(dialog->adapter(), demo_folder()));
    dialog->adapter().clear();
    QSignalSpy ended(&home.window.lab().runs, &RunController::run_ended);
    dialog->open_button().click();
    QVERIFY(ended.wait(patience_ms));
    QCOMPARE(home.model().adapter, std::string());
    QVERIFY2(home.window.message_bar().isHidden(), qPrintable(home.window.message_bar().text()));
  }

  void settings_of_version_1_name_models_without_adapters() {
    QFile old(file("settings.json"));
    QVERIFY(old.open(QIODevice::WriteOnly));
    old.write(R"({"format": "carryover settings", "version": 1, "recent_models": ["/m/a", "/m/b.gguf"]})");
    old.close();
    const SettingsFile settings(file("settings.json"));
    QVERIFY2(settings.problem().isEmpty(), qPrintable(settings.problem()));
    QCOMPARE(settings.values.models, (QList<RecentModel>{{"/m/a", {}}, {"/m/b.gguf", {}}}));
  }

 private:
  QString file(const QString& name) const { return folder_ + u'/' + name; }

  QString finetune(const QString& name, const QString& more = {}) const {
    return QStringLiteral(
               "finetune tiny-demo '%1' max_steps 3 gradient_accumulation_steps 1 train_segments 2 warmup_steps 0 "
               "save_steps 0 validation_fraction 0 on_alert skip dtype fp32 %2\n")
        .arg(file(name), more);
  }

  std::unique_ptr<TempDir> temp_;
  QString folder_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<IdentityTest>};
#include "identity_test.moc"
