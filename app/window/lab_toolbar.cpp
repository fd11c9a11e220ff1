// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/lab_toolbar.h"

#include <QMenu>
#include <QMessageBox>
#include <QToolButton>
#include <algorithm>

#include "app/window/lab_dialogs.h"
#include "widgets/look/icons.h"

namespace carryover {

LabToolbar::LabToolbar(Lab& lab, LabDialogs& dialogs, QMainWindow& window)
    : QToolBar(tr("Toolbar"), &window), lab_(lab), exports_(new QToolButton(this)) {
  setObjectName(QStringLiteral("toolbar"));
  setMovable(false);
  setIconSize({20, 20});
  window.addToolBar(this);
  add_openings(dialogs);
  addSeparator();
  add_engine_actions(dialogs);
  addSeparator();
  add_selection();
  addSeparator();
  set_themed_icon(exports_, QStringLiteral("export"));
  exports_->setText(tr("Export"));
  exports_->setToolTip(tr("Export plots, settings and the run"));
  exports_->setPopupMode(QToolButton::InstantPopup);
  addWidget(exports_);
  add("theme", tr("Light or dark"), QKeySequence(tr("F12")), tr("Light or dark"), [this] { Q_EMIT theme_wanted(); });
  auto* keys = new QAction(tr("Keys"), &window);
  keys->setShortcut(QKeySequence(Qt::Key_Question));
  connect(keys, &QAction::triggered, this, &LabToolbar::show_keys);
  window.addAction(keys);
  connect_lab();
  update_actions();
}

void LabToolbar::set_export_menu(QMenu* menu) {
  exports_->setMenu(menu);
}

QAction* LabToolbar::add(const char* icon, const QString& text, const QKeySequence& key, const QString& help,
                         const std::function<void()>& slot) {
  QAction* action = addAction(text);
  set_themed_icon(action, QLatin1String(icon));
  action->setShortcut(key);
  const QString keys = key.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText));
  action->setToolTip(help + keys);
  action->setStatusTip(help);
  if (slot) connect(action, &QAction::triggered, this, slot);
  return action;
}

void LabToolbar::show_text(QAction* action) {
  static_cast<QToolButton*>(widgetForAction(action))->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
}

void LabToolbar::add_openings(LabDialogs& dialogs) {
  QAction* model = add("model", tr("Model"), QKeySequence::Open, tr("Open a model, with or without an adapter"),
                       [&dialogs] { dialogs.ask_model(); });
  QAction* text =
      add("text", tr("Text"), QKeySequence(tr("Ctrl+T")), tr("Open a UTF-8 text"), [&dialogs] { dialogs.ask_text(); });
  add("paste", tr("Paste"), QKeySequence(tr("Ctrl+Shift+V")), tr("Paste a text"),
      [&dialogs] { dialogs.ask_pasted_text(); });
  show_text(model);
  show_text(text);
  auto* menu = new QMenu(this);
  model->setMenu(menu);
  connect(menu->addAction(tr("Open model…")), &QAction::triggered, &dialogs, &LabDialogs::ask_model);
  connect(menu->addAction(tr("Finished run…")), &QAction::triggered, &dialogs, &LabDialogs::ask_run);
  menu->addSeparator();
  connect(menu->addAction(tr("Engine elsewhere…")), &QAction::triggered, &dialogs, &LabDialogs::ask_engine);
  QAction* reconnect = menu->addAction(tr("Reconnect"));
  connect(reconnect, &QAction::triggered, &lab_.engine, &EngineConnection::reconnect);
  QAction* here = menu->addAction(tr("Engine in this program"));
  connect(here, &QAction::triggered, &lab_.engine, [this] { lab_.engine.use({}); });
  const auto update = [this, reconnect, here] {
    here->setVisible(!lab_.engine.command().isEmpty());
    reconnect->setVisible(lab_.engine.lost());
  };
  connect(&lab_.engine, &EngineConnection::changed, menu, update);
  update();
  menu->addSeparator();
  connect(menu->addAction(tr("Benchmark…")), &QAction::triggered, &dialogs, &LabDialogs::open_bench);
  connect(menu->addAction(tr("Experiment…")), &QAction::triggered, &dialogs,
          [&dialogs] { dialogs.open_experiment({}); });
}

void LabToolbar::add_engine_actions(LabDialogs& dialogs) {
  run_ = add("run", tr("Run"), QKeySequence(tr("F5")), tr("Run the text in segments"), [this] { lab_.runs.run(); });
  pause_ = add("pause", tr("Pause"), QKeySequence(tr("F6")), tr("Pause, or go on"), [this] { lab_.pause_or_resume(); });
  stop_ = add("stop", tr("Stop"), QKeySequence(tr("Shift+F5")),
              tr("Stop; what is done stays, and a training saves a checkpoint"), [this] { lab_.stop_engine(); });
  add("train", tr("Fine-tune"), QKeySequence(tr("Ctrl+Shift+F")), tr("Fine-tune the model to segmented execution"),
      [&dialogs] { dialogs.open_finetune(); });
  show_text(run_);
}

void LabToolbar::add_selection() {
  LabContext& context = lab_.context;
  previous_ = add("previous", tr("Previous segment"), QKeySequence(tr("Alt+Shift+Left")), tr("Previous segment"),
                  [this] { step_segment(-1); });
  next_ = add("next", tr("Next segment"), QKeySequence(tr("Alt+Shift+Right")), tr("Next segment"),
              [this] { step_segment(1); });
  follow_ = add("follow", tr("Follow"), {}, tr("Follow: select each segment as it closes"));
  follow_->setCheckable(true);
  follow_->setChecked(true);
  addSeparator();
  back_ =
      add("back", tr("Back"), QKeySequence::Back, tr("Back to the last selection"), [&context] { context.go_back(); });
  forward_ =
      add("forward", tr("Forward"), QKeySequence::Forward, tr("Forward again"), [&context] { context.go_forward(); });
  const auto undoable = [this](QAction* action, const QString& icon, const QKeySequence& key) {
    set_themed_icon(action, icon);
    action->setShortcut(key);
    addAction(action);
  };
  undoable(context.undo_stack().createUndoAction(this), QStringLiteral("undo"), QKeySequence::Undo);
  undoable(context.undo_stack().createRedoAction(this), QStringLiteral("redo"), QKeySequence::Redo);
  pin_ = add("pin", tr("Pin as B"), QKeySequence(tr("Ctrl+Shift+B")),
             tr("Pin this run as B, to compare the next ones with"), [this] {
               lab_.context.pin_run();
               Q_EMIT run_pinned();
             });
}

void LabToolbar::connect_lab() {
  LabContext& context = lab_.context;
  const auto update = [this] { update_actions(); };
  connect(&lab_.runs, &RunController::state_changed, this, update);
  connect(&lab_.training, &TrainController::state_changed, this, update);
  connect(&context.what_ifs(), &WhatIfs::state_changed, this, update);
  connect(&context, &LabContext::history_changed, this, update);
  connect(&context, &LabContext::selection_changed, this, update);
  // Someone who looks at an earlier segment while a run goes on wants to stay there.
  connect(&context, &LabContext::history_changed, this, [this, &context] {
    if (lab_.runs.state() != RunController::State::Running || !context.can_go_back()) return;
    if (context.selected().segment + 1 < context.run().segment_count()) follow_->setChecked(false);
  });
  connect(&lab_.runs, &RunController::run_started, this, [this] { follow_->setChecked(true); });
  // While a run goes on the newest segment is selected.
  connect(&context.run(), &RunModel::segments_appended, this, [this, &context](int, int last) {
    if (follow_->isChecked()) context.follow_segment(last);
  });
}

void LabToolbar::update_actions() {
  using State = RunController::State;
  LabContext& context = lab_.context;
  const State state = lab_.runs.state();
  const QString why_not = lab_.runs.why_not_run();
  run_->setEnabled(why_not.isEmpty());
  run_->setToolTip(why_not.isEmpty() ? tr("Run the text in segments (F5)") : tr("Can't run now: %1").arg(why_not));
  const TrainingModel* training = lab_.training.training();
  const TrainingState trains = training == nullptr ? TrainingState::Finished : training->state();
  const bool paused = state == State::Paused || trains == TrainingState::Paused;
  const bool running = state == State::Running || trains == TrainingState::Running;
  pause_->setEnabled(running || paused);
  if (pause_->text() != (paused ? tr("Resume") : tr("Pause"))) {
    pause_->setText(paused ? tr("Resume") : tr("Pause"));
    set_themed_icon(pause_, paused ? QStringLiteral("run") : QStringLiteral("pause"));
  }
  stop_->setEnabled(running || paused || trains == TrainingState::Preparing || lab_.audits.active() ||
                    lab_.head_profiles.active() || lab_.recall_heads.active() || lab_.what_ifs.active());
  const int count = context.run().segment_count();
  previous_->setEnabled(context.selected().segment > 0);
  next_->setEnabled(context.selected().segment + 1 < count);
  back_->setEnabled(context.can_go_back());
  forward_->setEnabled(context.can_go_forward());
  pin_->setEnabled(count > 0);
}

void LabToolbar::step_segment(int step) {
  const int count = lab_.context.run().segment_count();
  if (count == 0) return;
  lab_.context.select_segment(std::clamp(lab_.context.selected().segment + step, 0, count - 1));
}

void LabToolbar::show_keys() {
  QString rows;
  for (const QAction* action : window()->findChildren<QAction*>())
    if (!action->shortcut().isEmpty())
      rows += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                  .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                       action->text().remove(u'&').toHtmlEscaped());
  rows +=
      tr("<tr><td><b>Ctrl+F</b></td><td>Search the text</td></tr>"
         "<tr><td><b>Space, L</b></td><td>In the grid: toggle the head, the layer</td></tr>"
         "<tr><td><b>←, →</b></td><td>In the ribbon and the text: select</td></tr>");
  auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Keys"), QStringLiteral("<table>%1</table>").arg(rows),
                              QMessageBox::Close, window());
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

}  // namespace carryover
