// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include <QApplication>
#include <QBoxLayout>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QResizeEvent>
#include <QToolButton>

#include "app/window/bench_dialog.h"
#include "app/window/bench_figure.h"
#include "widgets/look/theme.h"

namespace carryover {

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent) {
  setWindowTitle(tr("Carryover"));
  setAcceptDrops(true);
  add_ribbon();
  toolbar_.set_export_menu(&exports_);
  for (const PanelEntry& entry : panel_registry()) entry.bind(docks_.panel(entry.id), {lab_, docks_, dialogs_});
  connect(&lab_, &Lab::failed, &messages_, [this](const ErrorReport& report) { show_error(report); });
  connect(&lab_.runs, &RunController::run_started, &messages_, &MessageBar::settle);
  connect(&lab_.engine, &EngineConnection::changed, &messages_, [this] {
    if (!lab_.engine.lost()) messages_.settle();
  });
  connect(&lab_.engine, &EngineConnection::busy_changed, &messages_, [this] {
    if (refused_ && lab_.engine.busy().isEmpty()) messages_.settle();  // what was refused can be done now
  });
  connect(&lab_.training, &TrainController::room_missing, &messages_, [this](const ErrorReport& report) {
    show_error(report);
    messages_.offer(tr("Retry"), [this] { lab_.training.resume(); });
    messages_.offer(tr("Stop"), [this] { lab_.training.stop(); });
  });
  connect(&lab_.training, &TrainController::room_found, &messages_, &QWidget::hide);
  connect(&identity_, &IdentityBar::model_wanted, &dialogs_, &LabDialogs::ask_model);
  connect(&toolbar_, &LabToolbar::run_pinned, this, [this] { docks_.raise("compare"); });
  connect(&toolbar_, &LabToolbar::theme_wanted, this, &MainWindow::toggle_theme);
}

void MainWindow::add_ribbon() {
  auto* strip = new QWidget(this);
  auto* layout = new QVBoxLayout(strip);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(&identity_);
  layout->addWidget(&ribbon_);
  layout->addWidget(&messages_);
  addToolBarBreak();
  QToolBar* bar = addToolBar(tr("Context ribbon"));
  bar->setObjectName(QStringLiteral("ribbon"));
  bar->setMovable(false);
  bar->toggleViewAction()->setEnabled(false);
  bar->addWidget(strip);
  bar->installEventFilter(this);
}

/// A message comes and goes, and leaves the docks as it found them.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && settled_) {
    const auto* resize = static_cast<const QResizeEvent*>(event);
    if (resize->oldSize().height() != resize->size().height()) docks_.keep_bottom_height();
  }
  return QMainWindow::eventFilter(watched, event);
}

/// A button whose menu opened a dialog is not told that the mouse has left it, and would stay highlighted.
void MainWindow::unhighlight_buttons() {
  for (QToolButton* button : toolbar_.findChildren<QToolButton*>()) {
    if (!button->underMouse() || button->rect().contains(button->mapFromGlobal(QCursor::pos()))) continue;
    button->setAttribute(Qt::WA_UnderMouse, false);
    QEvent left(QEvent::Leave);
    QApplication::sendEvent(button, &left);
  }
}

/// Lines between docks are the window's own: who lets go of the mouse over it may have moved one.
bool MainWindow::event(QEvent* event) {
  const bool handled = QMainWindow::event(event);
  if (event->type() == QEvent::MouseButtonRelease) docks_.adopt_bottom_share();
  if (event->type() == QEvent::WindowActivate) unhighlight_buttons();
  return handled;
}

void MainWindow::restore_layout(const QByteArray& state) {
  restoreState(with_current_panel_ids(state));
  docks_.adopt_bottom_share();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (settled_ && event->oldSize().height() != event->size().height()) docks_.keep_bottom_share();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (std::exchange(arranged_, true)) return;
  docks_.size();
  QMetaObject::invokeMethod(
      this, [this] { settled_ = true; }, Qt::QueuedConnection);
}

/// Docks that another one's tab covers stand beside the window, and Qt takes them for visible. Qt moves the focus while
/// members are destroyed too, and where all docks are covered the way has to end.
bool MainWindow::focusNextPrevChild(bool next) {
  const QWidget* const first = focusWidget();
  for (qsizetype left = findChildren<QWidget*>().size(); left > 0; --left) {
    if (!QMainWindow::focusNextPrevChild(next)) return false;
    if (focusWidget() == first || !PanelDocks::covers(focusWidget())) break;
  }
  return true;
}

void MainWindow::show_error(const ErrorReport& report) {
  messages_.show_error(report);
  refused_ = report.fault == Fault::Usage && !lab_.engine.busy().isEmpty();
  if (lab_.engine.lost()) messages_.offer(tr("Reconnect"), [this] { lab_.engine.reconnect(); });
  lab_.context.add_note(QStringLiteral("%1: %2. %3").arg(report.where, report.problem, report.advice), true);
}

void MainWindow::open_path(const QString& path) {
  const QFileInfo file(path);
  if (file.suffix() == QStringLiteral("carryover")) return Q_EMIT session_wanted(path);
  if (file.suffix() == QStringLiteral("state")) return lab_.documents.open(path);
  if (QFileInfo::exists(path + QStringLiteral("/metrics.jsonl"))) return lab_.training.open_folder(path);
  const auto opened = [&](const char* file, const QString& panel, auto& campaigns) {
    if (!QFileInfo::exists(path + QLatin1String(file))) return false;
    docks_.raise(panel);
    campaigns.open(path);
    return true;
  };
  if (opened("/experiment.json", "experiments", lab_.experiments) ||
      opened("/evaluation.json", "evaluations", lab_.evaluations) || opened("/prompts.json", "prompts", lab_.prompts))
    return;
  if (is_run_folder(path.toStdString())) return lab_.runs.open_run(path);
  if (is_bench_folder(path.toStdString())) {
    if (const auto problem = attempt([&] { dialogs_.open_bench()->open_folder(path); })) show_error(*problem);
    return;
  }
  const bool is_model = file.isDir() || file.suffix().compare(QStringLiteral("gguf"), Qt::CaseInsensitive) == 0;
  if (!is_model) return lab_.open_text(path);
  lab_.loader.open_model(path);
  lab_.runs.run_when_ready();
}

void MainWindow::toggle_theme() {
  const ThemeKind kind = current_theme().kind == ThemeKind::Dark ? ThemeKind::Light : ThemeKind::Dark;
  apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind);
  docks_.refresh();
  ribbon_.update();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() || event->mimeData()->hasText()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  for (const QUrl& url : urls)
    if (url.isLocalFile()) open_path(url.toLocalFile());
  if (urls.isEmpty() && event->mimeData()->hasText()) lab_.open_pasted_text(event->mimeData()->text());
}

}  // namespace carryover
