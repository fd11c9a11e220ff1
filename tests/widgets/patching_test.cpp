// SPDX-License-Identifier: GPL-3.0-or-later
// Activation patching in the window: what the pinned run has to be, and that the results are those of a session of its
// own.
#include "widgets/what_if/patching.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QTest>

#include "app/saved_window/kept_what_ifs.h"
#include "engine/api/engine_library.h"
#include "engine/base/error.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/run_script.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temp_dir.h"
#include "widgets/heads/head_grid.h"
#include "widgets/what_if/edit_form.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr int segment = 6;

/// The demo with another name in it, token by token as long, pinned; and then the demo itself.
void show_two_runs(MainWindow& window, const TempDir& temp) {
  window.resize(1280, 800);
  window.show();
  open_demo(window, 640);
  run_to_the_end(window);
  QFile demo(demo_folder() + QStringLiteral("/text.txt"));
  QVERIFY(demo.open(QIODevice::ReadOnly));
  const QString other = QString::fromStdString((temp.path() / "other.txt").string());
  QFile file(other);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(demo.readAll().replace(" May", " Abe"));
  file.close();
  window.lab().context.pin_run();
  window.lab().loader.open_text(other);
  run_to_the_end(window);
  QVERIFY(*window.lab().context.run().request().ids != *window.lab().context.pinned_run()->request().ids);
  window.lab().context.select({segment, 3, 4, -1});
}

/// The result of a what-if that `start` starts.
const WhatIfResult* result_of(MainWindow& window, const std::function<void()>& start) {
  WhatIfs& what_ifs = window.lab().context.what_ifs();
  QSignalSpy appended(&what_ifs, &WhatIfs::appended);
  if (!QTest::qWaitFor([&] { return what_ifs.unavailable().isEmpty() && !what_ifs.running(); }, patience_ms))
    return nullptr;
  start();
  if (appended.isEmpty() && !appended.wait(patience_ms)) return nullptr;
  return what_ifs.shown_in_run();
}

/// Returns the outcome of the edit in a session of its own.
WhatIfOutcome outcome_of(LabContext& lab, const SegmentEdit& edit) {
  const auto session = load_session({lab.run().model().path, DType::Float32, Device::Cpu, 0, false, {}},
                                    [](double, const std::string&) {});
  WhatIfRequest request{lab.run().request(), segment, {edit}};
  request.patch_source = PatchSource{lab.pinned_run()->request()};
  WhatIfOutcome outcome;
  RunControl control;
  session->what_if(
      request, [&](std::size_t, const WhatIfOutcome& edited) { outcome = edited; }, control);
  return outcome;
}

QPushButton* button(const QWidget& widget, const QString& text) {
  for (QPushButton* each : widget.findChildren<QPushButton*>())
    if (each->text() == text) return each;
  return nullptr;
}

}  // namespace

class PatchingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void what_the_pinned_run_has_to_be_is_said() {
    LabContext lab;
    synthetic_run(lab.run(), 6, 6, synthetic_request(6));
    const SegmentEdit carry{.patch_carry = true}, heads{.patched_heads = {{3, 1}}};
    QVERIFY(patch_obstacle(lab, 3, {}).isEmpty());
    QVERIFY(patch_obstacle(lab, 3, carry).contains(QStringLiteral("pin one")));
    lab.pin_run();
    QVERIFY(patch_obstacle(lab, 3, carry).isEmpty() && patch_obstacle(lab, 3, heads).isEmpty());
    QVERIFY(patch_obstacle(lab, 0, carry).contains(QStringLiteral("nothing is carried")));
    synthetic_run(lab.run(), 6, 6, synthetic_request(6, 128));
    QVERIFY(patch_obstacle(lab, 3, heads).contains(QStringLiteral("segment lengths differ: 256 there, 128 here")));
    ModelInfo other = synthetic_model();
    other.weights_hash = "another";
    lab.run().begin(other, synthetic_request(6), nullptr);
    QVERIFY(patch_obstacle(lab, 3, heads).contains(QStringLiteral("no segment")));
    QCOMPARE(heads_to_patch(synthetic_model().config, 2, -1).size(), std::size_t{6});
    QVERIFY(heads_to_patch(synthetic_model().config, 2, 5) == (std::vector<HeadRef>{{2, 5}}));
  }

  void the_form_makes_and_takes_back_patches() {
    LabContext lab;
    synthetic_run(lab.run(), 6, 6, synthetic_request(6));
    lab.select({3, 8, 2, -1});
    EditForm form(lab);
    form.show();
    QPushButton* put = button(form, QStringLiteral("Patch from B"));
    QVERIFY(put && !put->isEnabled() && put->toolTip().contains(QStringLiteral("pin one as B")));
    lab.pin_run();
    QVERIFY(put->isEnabled());
    SegmentEdit zeroed;
    zeroed.no_carry = true;
    lab.what_ifs().set_draft(zeroed);
    put->click();
    QVERIFY(lab.what_ifs().draft().patch_carry && !lab.what_ifs().draft().no_carry && form.problem().isEmpty());
    set_panel_control(form, QStringLiteral("What to patch"), QStringLiteral("Head output"));
    put->click();
    put->click();
    QVERIFY(lab.what_ifs().draft().patched_heads == (std::vector<HeadRef>{{8, 2}}));  // of the selection, once
    set_panel_control(form, QStringLiteral("Layer to patch"), QStringLiteral("1"));
    set_panel_control(form, QStringLiteral("Head to patch"), QStringLiteral("-1"));
    put->click();
    QCOMPARE(lab.what_ifs().draft().patched_heads.size(), std::size_t{7});
    QCOMPARE(edit_text(lab.what_ifs().draft(), lab.run().request().config),
             QStringLiteral("carry patched, output of L8 H2, L1 H0, L1 H1 and 4 more heads patched"));
    auto* changes = form.findChild<QListWidget*>();
    QCOMPARE(changes->count(), 8);
    const auto remove = [&](int row) {
      changes->setCurrentRow(row);
      Q_EMIT changes->findChild<QShortcut*>()->activated();
    };
    remove(1);
    QVERIFY(lab.what_ifs().draft().patch_carry && lab.what_ifs().draft().patched_heads.front() == (HeadRef{1, 0}));
    remove(0);
    QVERIFY(!lab.what_ifs().draft().patch_carry);
    QCOMPARE(lab.what_ifs().draft().patched_heads.size(), std::size_t{6});
    lab.unpin_run();
    QVERIFY(form.problem().contains(QStringLiteral("pin one as B")));
  }

  void patches_are_what_a_session_of_its_own_computes() {
    const TempDir temp;
    MainWindow window;
    show_two_runs(window, temp);
    LabContext& lab = window.lab().context;
    for (const SegmentEdit& edit : {SegmentEdit{.patch_carry = true},
                                    SegmentEdit{.patched_heads = heads_to_patch(lab.run().model().config, 3, -1)}}) {
      const WhatIfResult* result = result_of(window, [&] { lab.what_ifs().ask_run({segment, {edit}}, "patched"); });
      QVERIFY(result);
      const WhatIfOutcome expected = outcome_of(lab, edit);
      QCOMPARE(result->after, expected.target_nll);
      QVERIFY(result->after != result->before);
      QVERIFY(result->patched_from.contains(QString::fromStdString(lab.pinned_run()->origin().id)));
    }
    // Patching a run into itself changes nothing.
    lab.pin_run();
    const SegmentEdit both{.patch_carry = true, .patched_heads = {{3, 4}, {0, 1}}};
    const WhatIfResult* nothing = result_of(window, [&] { lab.what_ifs().ask_run({segment, {both}}, "itself"); });
    QVERIFY(nothing && nothing->after == nothing->before);

    const QString path = QString::fromStdString((temp.path() / "kept.json").string());
    write_bytes(path.toStdString(), what_ifs_text(kept_of(lab.what_ifs())));
    const auto kept = read_what_ifs(path);
    QCOMPARE(kept.size(), std::size_t{3});
    for (std::size_t i = 0; i < kept.size(); ++i) {
      QVERIFY(kept[i].result.edit == lab.what_ifs().results()[i].edit);
      QCOMPARE(kept[i].result.patched_from, lab.what_ifs().results()[i].patched_from);
    }
  }

  void the_menu_of_a_head_patches_it() {
    const TempDir temp;
    MainWindow window;
    show_two_runs(window, temp);
    LabContext& lab = window.lab().context;
    auto* grid = window.docks().panel("grid")->findChild<HeadGrid*>();
    QVERIFY(grid);
    const auto action = [&](const QString& text) -> QAction* {
      const QPoint at = grid->cell_rect(3, 4).center();
      QContextMenuEvent event(QContextMenuEvent::Mouse, at, grid->mapToGlobal(at));
      QApplication::sendEvent(grid, &event);
      for (QAction* each : grid->findChild<QMenu*>()->actions())
        if (each->text() == text) return each;
      return nullptr;
    };
    const WhatIfResult* result = result_of(window, [&] {
      QAction* patch = action(QStringLiteral("Patch layer 3, head 4 from the pinned run"));
      QVERIFY(patch && patch->isEnabled());
      patch->trigger();
      QApplication::activePopupWidget()->close();
    });
    QVERIFY(result && result->edit.patched_heads == (std::vector<HeadRef>{{3, 4}}));
    settle();
    lab.unpin_run();
    QAction* all = action(QStringLiteral("Patch all heads of layer 3 from the pinned run"));
    QVERIFY(all && !all->isEnabled() && all->toolTip().contains(QStringLiteral("pin one as B")));
    QApplication::activePopupWidget()->close();
  }

  void a_script_patches() {
    const TempDir temp;
    MainWindow window;
    show_two_runs(window, temp);
    LabContext& lab = window.lab().context;
    QCOMPARE(
        script_problem(window, QStringLiteral("wait\nwhat-if patch carry patch head\nwhat-if patch layer name all\n")),
        QString());
    QCOMPARE(lab.what_ifs().results().size(), std::size_t{2});
    QVERIFY(lab.what_ifs().results()[0].edit == (SegmentEdit{.patch_carry = true, .patched_heads = {{3, 4}}}));
    QVERIFY(lab.what_ifs().results()[1].edit.patched_heads == heads_to_patch(lab.run().model().config, 3, -1));
    QVERIFY(
        script_problem(window, QStringLiteral("pin none\nwhat-if patch carry\n")).contains(QStringLiteral("pin one")));
    QVERIFY(script_problem(window, QStringLiteral("what-if patch tail\n")).contains(QStringLiteral("can't be “tail”")));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PatchingTest>};
#include "patching_test.moc"
