// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that the user steers it with: actions, dialogs, and what the toolbar shows of the state.
#include <unistd.h>

#include <QAction>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/main_window.h"
#include "widgets/look/icons.h"

namespace carryover {
namespace {

/// Of the machine that the engine is on.
std::int64_t engine_memory(const std::optional<EngineElsewhere>& elsewhere) {
  if (elsewhere) return elsewhere->place.memory_bytes;
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
}

QString seconds_left(double seconds) {
  if (seconds < 90) return MainWindow::tr("%1 s left").arg(seconds, 0, 'f', 0);
  return MainWindow::tr("%1 min left").arg(seconds / 60, 0, 'f', 0);
}

}  // namespace

QAction* MainWindow::add_action(QToolBar* bar, const QString& icon, const QString& text, const QKeySequence& key,
                                const QString& help) {
  QAction* action = bar->addAction(text);
  set_themed_icon(action, icon);
  if (!key.isEmpty()) action->setShortcut(key);
  const QString keys = key.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText));
  action->setToolTip(help + keys);
  action->setStatusTip(help);
  return action;
}

void MainWindow::build_toolbar() {
  auto* bar = addToolBar(tr("Toolbar"));
  bar->setObjectName(QStringLiteral("toolbar"));
  bar->setMovable(false);
  bar->setIconSize({20, 20});
  const auto add = [this, bar](const char* icon, const QString& text, const QKeySequence& key, const QString& help,
                               auto slot) {
    QAction* action = add_action(bar, QString::fromLatin1(icon), text, key, help);
    connect(action, &QAction::triggered, this, slot);
    return action;
  };
  const auto with_text = [bar](QAction* action) {
    static_cast<QToolButton*>(bar->widgetForAction(action))->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  };
  QAction* model = add("model", tr("Model"), QKeySequence::Open, tr("Open a model, with or without an adapter"),
                       [this] { ask_model(); });
  QAction* text = add("text", tr("Text"), QKeySequence(tr("Ctrl+T")), tr("Open a UTF-8 text"), [this] { ask_text(); });
  add("paste", tr("Paste"), QKeySequence(tr("Ctrl+Shift+V")), tr("Paste a text"), [this] { ask_paste(); });
  bar->addSeparator();
  run_ = add("run", tr("Run"), QKeySequence(tr("F5")), tr("Run the text in segments"), [this] { controller_.run(); });
  pause_ = add("pause", tr("Pause"), QKeySequence(tr("F6")), tr("Pause, or go on"), [this] { pause_or_resume(); });
  stop_ = add("stop", tr("Stop"), QKeySequence(tr("Shift+F5")),
              tr("Stop; what is done stays, and a training saves a checkpoint"), [this] { stop_engine(); });
  add("train", tr("Fine-tune"), QKeySequence(tr("Ctrl+Shift+F")), tr("Fine-tune the model to segmented execution"),
      [this] { open_finetune(); });
  bar->addSeparator();
  previous_ = add("previous", tr("Previous segment"), QKeySequence(tr("Alt+Shift+Left")), tr("Previous segment"),
                  [this] { step_segment(-1); });
  next_ = add("next", tr("Next segment"), QKeySequence(tr("Alt+Shift+Right")), tr("Next segment"),
              [this] { step_segment(1); });
  follow_ = add_action(bar, QStringLiteral("follow"), tr("Follow"), {}, tr("Follow: select each segment as it closes"));
  follow_->setCheckable(true);
  follow_->setChecked(true);
  bar->addSeparator();
  back_ = add("back", tr("Back"), QKeySequence::Back, tr("Back to the last selection"), [this] { context_.go_back(); });
  forward_ =
      add("forward", tr("Forward"), QKeySequence::Forward, tr("Forward again"), [this] { context_.go_forward(); });
  const auto undoable = [this, bar](QAction* action, const QString& icon, const QKeySequence& key) {
    set_themed_icon(action, icon);
    action->setShortcut(key);
    bar->addAction(action);
  };
  undoable(context_.undo_stack().createUndoAction(this), QStringLiteral("undo"), QKeySequence::Undo);
  undoable(context_.undo_stack().createRedoAction(this), QStringLiteral("redo"), QKeySequence::Redo);
  pin_ = add("pin", tr("Pin as B"), QKeySequence(tr("Ctrl+Shift+B")),
             tr("Pin this run as B, to compare the next ones with"), [this] {
               context_.pin_run();
               raise_panel(QStringLiteral("compare"));
             });
  bar->addSeparator();
  auto* exports = new QToolButton(bar);
  set_themed_icon(exports, QStringLiteral("export"));
  exports->setText(tr("Export"));
  exports->setToolTip(tr("Export plots, settings and the run"));
  exports->setPopupMode(QToolButton::InstantPopup);
  exports->setMenu(build_export_menu());
  bar->addWidget(exports);
  add("theme", tr("Light or dark"), QKeySequence(tr("F12")), tr("Light or dark"), [this] { toggle_theme(); });
  auto* keys = new QAction(tr("Keys"), this);
  keys->setShortcut(QKeySequence(Qt::Key_Question));
  connect(keys, &QAction::triggered, this, &MainWindow::show_keys);
  addAction(keys);
  with_text(model);
  with_text(text);
  with_text(run_);
  auto* models = new QMenu(this);
  connect(models->addAction(tr("Open model…")), &QAction::triggered, this, &MainWindow::ask_model);
  connect(models->addAction(tr("Finished run…")), &QAction::triggered, this, &MainWindow::ask_run);
  build_engine_menu(models);
  models->addSeparator();
  connect(models->addAction(tr("Benchmark…")), &QAction::triggered, this, [this] { open_bench(); });
  model->setMenu(models);
  build_status_widgets();
}

void MainWindow::build_status_widgets() {
  auto* bar = findChild<QToolBar*>(QStringLiteral("toolbar"));
  auto* gap = new QWidget(bar);
  gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(gap);
  progress_ = new QProgressBar(bar);
  progress_->setRange(0, 1000);
  progress_->setFixedWidth(240);
  progress_->setAccessibleName(tr("Progress"));
  bar->addWidget(progress_);
  auto* space = new QWidget(bar);
  space->setFixedWidth(6);
  bar->addWidget(space);
  memory_ = new QProgressBar(bar);
  memory_->setRange(0, 1000);
  memory_->setFixedWidth(118);
  memory_->setAccessibleName(tr("Memory"));
  bar->addWidget(memory_);
}

void MainWindow::update_actions() {
  using State = RunController::State;
  const State state = controller_.state();
  const QString why_not = controller_.why_not_run();
  run_->setEnabled(why_not.isEmpty());
  run_->setToolTip(why_not.isEmpty() ? tr("Run the text in segments (F5)") : tr("Can't run now: %1").arg(why_not));
  const TrainingModel* training = training_.training();
  const TrainingState trains = training == nullptr ? TrainingState::Finished : training->state();
  const bool paused = state == State::Paused || trains == TrainingState::Paused;
  const bool running = state == State::Running || trains == TrainingState::Running;
  pause_->setEnabled(running || paused);
  if (pause_->text() != (paused ? tr("Resume") : tr("Pause"))) {
    pause_->setText(paused ? tr("Resume") : tr("Pause"));
    set_themed_icon(pause_, paused ? QStringLiteral("run") : QStringLiteral("pause"));
  }
  stop_->setEnabled(running || paused || trains == TrainingState::Preparing || audits_.active() ||
                    head_profiles_.active() || what_ifs_.active());
  const int count = context_.run().segment_count();
  previous_->setEnabled(context_.selected().segment > 0);
  next_->setEnabled(context_.selected().segment + 1 < count);
  back_->setEnabled(context_.can_go_back());
  forward_->setEnabled(context_.can_go_forward());
  save_->setEnabled(context_.run().finished());
  pin_->setEnabled(count > 0);
}

void MainWindow::show_fetch_progress(double fraction, const QString& what) {
  if (controller_.state() != RunController::State::Idle) return;
  progress_->setValue(static_cast<int>(fraction * 1000));
  progress_->setFormat(what);
}

void MainWindow::update_status() {
  const RunModel& run = context_.run();
  const auto& model = loader_.model();
  const std::int64_t total = run.token_count();
  if (training_.active()) {
    show_training_progress();
  } else if (!run.is_empty() && total > 0) {
    const double done = static_cast<double>(run.tokens_done());
    const double rate = done / std::max(0.05, controller_.running_seconds());
    progress_->setValue(static_cast<int>(1000 * done / static_cast<double>(total)));
    const QString segments = tr("%1/%2 segments").arg(run.segment_count()).arg(run.expected_segments());
    if (run.finished()) {
      const double speed =
          run.summary().seconds > 0 ? static_cast<double>(run.summary().tokens) / run.summary().seconds : 0;
      progress_->setFormat(QStringLiteral("%1 · %L2 tokens/s").arg(segments).arg(speed, 0, 'f', 0));
    } else if (controller_.state() == RunController::State::Paused) {
      progress_->setFormat(tr("%1 · paused").arg(segments));
    } else if (done > 0) {
      progress_->setFormat(QStringLiteral("%1 · %L2 tok/s · %3")
                               .arg(segments)
                               .arg(rate, 0, 'f', 0)
                               .arg(seconds_left((static_cast<double>(total) - done) / rate)));
    } else {
      progress_->setFormat(segments);
    }
  } else if (!loader_.loading()) {
    progress_->setValue(0);
    progress_->setFormat(QString());
  }
  std::int64_t used = model ? model->info.weight_bytes : 0;
  if (run.segment_count() > 0) used = run.record(run.segment_count() - 1).memory.device_peak;
  const double gigabytes = static_cast<double>(used) / 1e9,
               all = static_cast<double>(engine_memory(engine_.elsewhere())) / 1e9;
  const bool on_gpu = model && model->info.device == Device::Cuda;
  memory_->setValue(on_gpu ? 0 : static_cast<int>(std::min(1000.0, 1000 * gigabytes / all)));
  memory_->setFormat(on_gpu ? tr("%1 GB on GPU").arg(gigabytes, 0, 'f', 2)
                            : tr("%1 of %2 GB").arg(gigabytes, 0, 'f', 2).arg(all, 0, 'f', 0));
  memory_->setToolTip(tr("Peak memory of the run (the weights, where there is none) against the engine's machine's"));
}

void MainWindow::ask_text() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Open a text"), {}, tr("Text (*.txt *.md);;All files (*)"));
  if (path.isEmpty()) return;
  controller_.stop();
  loader_.open_text(path);
  controller_.run_when_ready();
}

void MainWindow::ask_paste() {
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Paste a text"));
  auto* edit = new QPlainTextEdit(dialog);
  edit->setPlaceholderText(tr("Any UTF-8 text"));
  edit->paste();
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(edit);
  layout->addWidget(buttons);
  dialog->resize(560, 380);
  connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  connect(dialog, &QDialog::accepted, this, [this, edit] {
    controller_.stop();
    loader_.open_pasted_text(edit->toPlainText());
    controller_.run_when_ready();
  });
  dialog->open();
}

void MainWindow::show_keys() {
  QString rows;
  for (const QAction* action : findChildren<QAction*>())
    if (!action->shortcut().isEmpty())
      rows += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                  .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                       action->text().remove(u'&').toHtmlEscaped());
  rows +=
      tr("<tr><td><b>Ctrl+F</b></td><td>Search the text</td></tr>"
         "<tr><td><b>Space, L</b></td><td>In the grid: toggle the head, the layer</td></tr>"
         "<tr><td><b>←, →</b></td><td>In the ribbon and the text: select</td></tr>");
  auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Keys"), QStringLiteral("<table>%1</table>").arg(rows),
                              QMessageBox::Close, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

}  // namespace carryover
