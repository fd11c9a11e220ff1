// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/lab_toolbar.h"

#include <QBoxLayout>
#include <QDialog>
#include <QDialogButtonBox>
#include <QMap>
#include <QMenu>
#include <QTextBrowser>
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
  setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
  toggleViewAction()->setEnabled(false);  // nothing would bring it back
  window.addToolBar(this);
  make_openings(dialogs);
  make_documents(dialogs);
  make_engine_openings(dialogs);
  make_engine_actions(dialogs);
  make_selection();
  make_history();
  actions_.theme = make("theme", tr("Toggle theme"), QKeySequence(tr("F12")), tr("Light or dark"),
                        [this] { Q_EMIT theme_wanted(); });
  actions_.keys = make(nullptr, tr("Keyboard shortcuts"), QKeySequence(Qt::Key_Question),
                       tr("Show all keyboard shortcuts"), [this] { show_keys(); });
  add_buttons();
  connect_lab();
  update_actions();
}

void LabToolbar::add_buttons() {
  addActions({actions_.model, actions_.text});
  auto* opener = static_cast<QToolButton*>(widgetForAction(actions_.model));
  auto* openings = new QMenu(opener);
  openings->addActions({actions_.model, actions_.finished_run});
  openings->addSeparator();
  openings->addActions(actions_.engine);
  opener->setMenu(openings);
  opener->setPopupMode(QToolButton::MenuButtonPopup);
  addSeparator();
  addActions({actions_.run, actions_.pause, actions_.stop, actions_.train});
  addSeparator();
  addActions({actions_.previous, actions_.next, actions_.follow, actions_.back, actions_.forward, actions_.pin});
  addSeparator();
  exports_->setIcon(themed_icon(QStringLiteral("export")));
  exports_->setText(tr("Export"));
  exports_->setToolTip(tr("Export plots, settings and the run"));
  exports_->setPopupMode(QToolButton::InstantPopup);
  exports_->setToolButtonStyle(toolButtonStyle());
  addWidget(exports_);
  QList<QToolButton*> lookers;
  for (QAction* action :
       {actions_.previous, actions_.next, actions_.follow, actions_.back, actions_.forward, actions_.pin})
    lookers += static_cast<QToolButton*>(widgetForAction(action));
  let_go_of_names(lookers);
  let_go_of_names({static_cast<QToolButton*>(widgetForAction(actions_.train)), exports_});
}

/// Lets these buttons lose their names in a narrow window.
void LabToolbar::let_go_of_names(const QList<QToolButton*>& buttons) {
  room_.add([this, buttons](bool give) {
    for (QToolButton* button : buttons) button->setToolButtonStyle(give ? Qt::ToolButtonIconOnly : toolButtonStyle());
  });
}

void LabToolbar::set_export_menu(QMenu* menu) {
  exports_->setMenu(menu);
}

/// An action of the window, whether it has a button or not.
QAction* LabToolbar::make(const char* icon, const QString& text, const QKeySequence& key, const QString& help,
                          const std::function<void()>& slot) {
  auto* action = new QAction(text, this);
  window()->addAction(action);
  if (icon) action->setIcon(themed_icon(QLatin1String(icon)));
  action->setShortcut(key);
  const QString keys = key.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText));
  action->setToolTip(help + keys);
  action->setStatusTip(help);
  if (slot) connect(action, &QAction::triggered, this, slot);
  return action;
}

void LabToolbar::make_openings(LabDialogs& dialogs) {
  actions_.model = make("model", tr("Open model…"), QKeySequence::Open, tr("Open a model, with or without an adapter"),
                        [&dialogs] { dialogs.ask_model(); });
  actions_.model->setIconText(tr("Model"));
  actions_.text = make("text", tr("Open text…"), QKeySequence(tr("Ctrl+T")), tr("Open a UTF-8 text"),
                       [&dialogs] { dialogs.ask_text(); });
  actions_.text->setIconText(tr("Text"));
  actions_.paste = make("paste", tr("Paste text…"), QKeySequence(tr("Ctrl+Shift+V")), tr("Paste a text"),
                        [&dialogs] { dialogs.ask_pasted_text(); });
  actions_.finished_run =
      make(nullptr, tr("Open finished run…"), {}, tr("Show a run from its folder"), [&dialogs] { dialogs.ask_run(); });
}

void LabToolbar::make_documents(LabDialogs& dialogs) {
  actions_.open_state = make(nullptr, tr("Open document state…"), {}, {}, [&dialogs] { dialogs.ask_open_state(); });
  actions_.save_state = make(nullptr, tr("Save document state…"), {}, {}, [&dialogs] { dialogs.ask_save_state(); });
  actions_.close_state = make(nullptr, tr("Close document state"), {}, tr("Ask about the shown run again"),
                              [this] { lab_.documents.close(); });
  LabContext& context = lab_.context;
  const auto update = [this] { update_documents(); };
  connect(&lab_.runs, &RunController::state_changed, this, update);
  connect(&context, &LabContext::run_options_changed, this, update);
  connect(&context.document(), &OpenDocument::changed, this, update);
  for (const auto signal : {&RunModel::reset, &RunModel::ended}) connect(&context.run(), signal, this, update);
  update();
}

/// Enables each action, or lets its tooltip say why it can't be done now.
void LabToolbar::update_documents() {
  const auto tell = [](QAction* action, const QString& help, const QString& why_not) {
    action->setEnabled(why_not.isEmpty());
    action->setToolTip(why_not.isEmpty() ? help : tr("Not now: %1").arg(why_not));
    action->setStatusTip(action->toolTip());
  };
  tell(actions_.open_state, tr("Ask about a document without reading it again"), lab_.documents.why_not_open());
  tell(actions_.save_state, tr("Save the state after the text, to ask questions about it later"),
       lab_.documents.why_not_save());
  actions_.close_state->setEnabled(lab_.context.document().is_open());
}

void LabToolbar::make_engine_openings(LabDialogs& dialogs) {
  QAction* elsewhere = make(nullptr, tr("Remote engine…"), {}, tr("Use an engine on another machine"),
                            [&dialogs] { dialogs.ask_engine(); });
  QAction* again =
      make(nullptr, tr("Reconnect"), {}, tr("Connect to the engine again"), [this] { lab_.engine.reconnect(); });
  QAction* here =
      make(nullptr, tr("Local engine"), {}, tr("Use this program's engine again"), [this] { lab_.engine.use({}); });
  actions_.engine = {elsewhere, again, here};
  const auto update = [this, again, here] {
    here->setVisible(!lab_.engine.command().isEmpty());
    again->setVisible(lab_.engine.lost());
  };
  connect(&lab_.engine, &EngineConnection::changed, this, update);
  update();
}

void LabToolbar::make_engine_actions(LabDialogs& dialogs) {
  actions_.run =
      make("run", tr("Run"), QKeySequence(tr("F5")), tr("Run the text in segments"), [this] { lab_.runs.run(); });
  actions_.pause =
      make("pause", tr("Pause"), QKeySequence(tr("F7")), tr("Pause, or resume"), [this] { lab_.pause_or_resume(); });
  actions_.stop =
      make("stop", tr("Stop"), QKeySequence(tr("Shift+F5")),
           tr("Stop: finished work is kept, and a training saves a checkpoint"), [this] { lab_.stop_engine(); });
  actions_.train = make("train", tr("Fine-tune…"), QKeySequence(tr("Ctrl+Shift+F")),
                        tr("Fine-tune the model to segmented execution"), [&dialogs] { dialogs.open_finetune(); });
  actions_.train->setIconText(tr("Fine-tune"));
}

void LabToolbar::make_selection() {
  actions_.previous = make("previous", tr("Previous segment"), QKeySequence(tr("Alt+Shift+Left")),
                           tr("Previous segment"), [this] { step_segment(-1); });
  actions_.previous->setIconText(tr("Previous"));
  actions_.next = make("next", tr("Next segment"), QKeySequence(tr("Alt+Shift+Right")), tr("Next segment"),
                       [this] { step_segment(1); });
  actions_.next->setIconText(tr("Next"));
  actions_.follow = make("follow", tr("Follow"), {}, tr("Follow: select each segment as it closes"));
  actions_.follow->setCheckable(true);
  actions_.follow->setChecked(true);
  actions_.pin = make("pin", tr("Pin as B"), QKeySequence(tr("Ctrl+Shift+B")),
                      tr("Pin this run as B, to compare later runs with it"), [this] {
                        lab_.context.pin_run();
                        Q_EMIT run_pinned();
                      });
}

void LabToolbar::make_history() {
  LabContext& context = lab_.context;
  actions_.back =
      make("back", tr("Back"), QKeySequence::Back, tr("Back to the last selection"), [&context] { context.go_back(); });
  actions_.forward =
      make("forward", tr("Forward"), QKeySequence::Forward, tr("Forward again"), [&context] { context.go_forward(); });
  const auto undoable = [this](QAction* action, const QString& icon, const QKeySequence& key) {
    action->setIcon(themed_icon(icon));
    action->setShortcut(key);
    window()->addAction(action);
    return action;
  };
  actions_.undo = undoable(context.undo_stack().createUndoAction(this), QStringLiteral("undo"), QKeySequence::Undo);
  actions_.redo = undoable(context.undo_stack().createRedoAction(this), QStringLiteral("redo"), QKeySequence::Redo);
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
    if (context.selected().segment + 1 < context.run().segment_count()) actions_.follow->setChecked(false);
  });
  connect(&lab_.runs, &RunController::run_started, this, [this] { actions_.follow->setChecked(true); });
  // While a run goes on the newest segment is selected.
  connect(&context.run(), &RunModel::segments_appended, this, [this, &context](int, int last) {
    if (actions_.follow->isChecked()) context.follow_segment(last);
  });
}

void LabToolbar::update_actions() {
  using State = RunController::State;
  LabContext& context = lab_.context;
  const State state = lab_.runs.state();
  const QString why_not = lab_.runs.why_not_run();
  actions_.run->setEnabled(why_not.isEmpty());
  actions_.run->setToolTip(why_not.isEmpty() ? tr("Run the text in segments (F5)")
                                             : tr("Can't run now: %1").arg(why_not));
  const TrainingModel* training = lab_.training.training();
  const TrainingState trains = training == nullptr ? TrainingState::Finished : training->state();
  const bool paused = state == State::Paused || trains == TrainingState::Paused;
  const bool running = state == State::Running || trains == TrainingState::Running;
  actions_.pause->setEnabled(running || paused);
  if (actions_.pause->text() != (paused ? tr("Resume") : tr("Pause"))) {
    actions_.pause->setText(paused ? tr("Resume") : tr("Pause"));
    actions_.pause->setIcon(themed_icon(paused ? QStringLiteral("run") : QStringLiteral("pause")));
    if (isVisible()) room_.fit();
  }
  actions_.stop->setEnabled(running || paused || trains == TrainingState::Preparing ||
                            std::ranges::any_of(lab_.jobs(), &EngineJob::active));
  const int count = context.run().segment_count();
  actions_.previous->setEnabled(context.selected().segment > 0);
  actions_.next->setEnabled(context.selected().segment + 1 < count);
  actions_.back->setEnabled(context.can_go_back());
  actions_.forward->setEnabled(context.can_go_forward());
  actions_.pin->setEnabled(count > 0);
}

void LabToolbar::step_segment(int step) {
  const int count = lab_.context.run().segment_count();
  if (count == 0) return;
  lab_.context.select_segment(std::clamp(lab_.context.selected().segment + step, 0, count - 1));
}

void LabToolbar::show_keys() {
  QMap<QString, QString> keys;  // each key once, whoever has it
  for (const QAction* action : window()->findChildren<QAction*>())
    if (!action->shortcut().isEmpty())
      keys.insert(action->shortcut().toString(QKeySequence::NativeText), action->text().remove(u'&'));
  keys.insert(tr("Ctrl+F"), tr("Search the text"));
  keys.insert(tr("Space, L"), tr("In the grid: toggle the head, the layer"));
  keys.insert(tr("←, →"), tr("In the ribbon and the text: select"));
  QString rows;
  for (auto key = keys.cbegin(); key != keys.cend(); ++key)
    rows += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(key.key().toHtmlEscaped(), key.value().toHtmlEscaped());
  auto* dialog = new QDialog(window());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Keyboard shortcuts"));
  auto* page = new QTextBrowser(dialog);
  page->setHtml(QStringLiteral("<table>%1</table>").arg(rows));
  page->setAccessibleName(tr("Keyboard shortcuts"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(page);
  layout->addWidget(buttons);
  dialog->resize(420, std::min(640, window()->height() * 4 / 5));
  dialog->open();
}

}  // namespace carryover
