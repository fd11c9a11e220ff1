// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include <QApplication>
#include <QBoxLayout>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QToolBar>
#include <algorithm>

#include "app/window/bench_dialog.h"
#include "app/window/bench_figure.h"
#include "app/window/identity_bar.h"
#include "app/window/message_bar.h"
#include "widgets/controls/context_ribbon.h"
#include "widgets/look/icons.h"
#include "widgets/look/theme.h"
#include "widgets/panels/log_panel.h"
#include "widgets/panels/panel_registry.h"

namespace carryover {

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      engine_(context_),
      loader_(context_, engine_),
      controller_(context_, engine_, loader_),
      training_(context_, controller_),
      audits_(context_, controller_),
      head_profiles_(context_, controller_),
      inspections_(context_, controller_),
      what_ifs_(context_, controller_, inspections_),
      identity_(new IdentityBar(context_, controller_)),
      ribbon_(new ContextRibbon(context_)),
      messages_(new MessageBar(this)) {
  setWindowTitle(tr("Carryover"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  build_toolbar();

  auto* strip = new QWidget(this);
  auto* layout = new QVBoxLayout(strip);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(identity_);
  layout->addWidget(ribbon_);
  layout->addWidget(messages_);
  addToolBarBreak();
  auto* ribbon_bar = new QToolBar(tr("Context ribbon"), this);
  ribbon_bar->setObjectName(QStringLiteral("ribbon"));
  ribbon_bar->setMovable(false);
  ribbon_bar->addWidget(strip);
  addToolBar(ribbon_bar);

  build_docks();
  connect_state();
  connect_training();
  connect_audits();
  connect_head_discovery();
  connect_engine();
  connect_what_ifs();
  update_actions();
  update_status();
}

// Views go before what they show: Qt would delete them, as children, after the members.
MainWindow::~MainWindow() {
  for (const auto& [id, dock] : docks_) delete dock;
  delete identity_;
  delete ribbon_;
}

QDockWidget* MainWindow::make_dock(const QString& id, const QString& title, Panel* panel) {
  panel->setObjectName(id);
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(id + QStringLiteral("_dock"));
  dock->setWidget(panel);
  connect(dock, &QDockWidget::visibilityChanged, panel, [panel](bool seen) { panel->set_covered(!seen); });
  panels_[id] = panel;
  docks_[id] = dock;
  return dock;
}

// No central widget: every panel is a dock, side by side on top and one row below. The first of each area makes its
// place, the others join it as tabs.
void MainWindow::build_docks() {
  std::map<PanelArea, std::vector<QDockWidget*>> areas;
  for (const PanelEntry& entry : panel_registry())
    areas[entry.area].push_back(make_dock(entry.id, entry.title, entry.create(context_, nullptr)));
  QDockWidget* beside = nullptr;
  for (const auto& [area, docks] : areas) {
    if (area == PanelArea::Bottom) {
      addDockWidget(Qt::BottomDockWidgetArea, docks.front());
    } else if (beside == nullptr) {
      addDockWidget(Qt::TopDockWidgetArea, docks.front());
    } else {
      splitDockWidget(beside, docks.front(), Qt::Horizontal);
    }
    if (area != PanelArea::Bottom) beside = docks.front();
  }
  for (const auto& [area, docks] : areas) {
    for (std::size_t i = 1; i < docks.size(); ++i) tabifyDockWidget(docks[i - 1], docks[i]);
    docks.front()->raise();
    if (docks.size() < 2) continue;
    for (QDockWidget* dock :
         docks) {  // a tab names it; a title bar would only say so again, so it has one when it floats
      dock->setTitleBarWidget(new QWidget(dock));
      connect(dock, &QDockWidget::topLevelChanged, dock,
              [dock](bool floating) { dock->setTitleBarWidget(floating ? nullptr : new QWidget(dock)); });
    }
  }
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (std::exchange(arranged_, true)) return;
  const int bottom = std::max(220, height() * 3 / 10), wide = width();
  resizeDocks({docks_["grid"], docks_["text"], docks_["hits"]}, {wide * 19 / 100, wide * 49 / 100, wide * 32 / 100},
              Qt::Horizontal);
  resizeDocks({docks_["text"], docks_["loss"]}, {height() - bottom - 140, bottom}, Qt::Vertical);
}

void MainWindow::connect_state() {
  connect(&controller_, &RunController::state_changed, this, &MainWindow::update_actions);
  connect(&controller_, &RunController::state_changed, this, &MainWindow::update_status);
  connect(&loader_, &ModelLoader::progressed, this, &MainWindow::show_fetch_progress);
  connect(&loader_, &ModelLoader::model_changed, this, &MainWindow::update_status);
  connect(&loader_, &ModelLoader::text_opened, this, &MainWindow::update_status);
  connect(&controller_, &RunController::run_started, messages_, &QWidget::hide);
  connect(&controller_, &RunController::failed, this, &MainWindow::show_error);
  connect(&controller_, &RunController::saved, this,
          [this](const QString& directory) { context_.add_note(tr("Run saved to %1").arg(directory)); });
  connect(identity_, &IdentityBar::model_wanted, this, &MainWindow::ask_model);
  auto* log = static_cast<LogPanel*>(panel(QStringLiteral("log")));
  connect(&context_, &LabContext::noted, log, [log](const QString& text, bool is_error) {
    log->append_line(is_error ? LogLevel::Error : LogLevel::Info, text);
  });
  connect(&context_, &LabContext::history_changed, this, &MainWindow::update_actions);
  connect(&context_, &LabContext::selection_changed, this, &MainWindow::update_actions);
  // Someone who looks at an earlier segment while a run goes on wants to stay there.
  connect(&context_, &LabContext::history_changed, this, [this] {
    if (controller_.state() != RunController::State::Running || !context_.can_go_back()) return;
    if (context_.selected().segment + 1 < context_.run().segment_count()) follow_->setChecked(false);
  });
  connect(&controller_, &RunController::run_started, this, [this] { follow_->setChecked(true); });
  connect(&context_.run(), &RunModel::segments_appended, this, &MainWindow::follow);
  connect(&context_.run(), &RunModel::segments_appended, this, &MainWindow::update_status);
  connect(&context_.run(), &RunModel::progressed, this, &MainWindow::update_status);
  connect(&context_.run(), &RunModel::ended, this, &MainWindow::update_status);
  connect(
      &context_.run(), &RunModel::unreadable, this,
      [this](const QString& where, const QString& problem, const QString& advice) {
        show_error({Fault::Io, where, problem, advice});
      },
      Qt::QueuedConnection);  // it is said while a view draws
  // Number type and device are fixed when a model is loaded.
  connect(&context_, &LabContext::run_options_changed, this, [this, last = context_.run_options()]() mutable {
    const RunOptions now = context_.run_options();
    if (!opening_ && (now.dtype != last.dtype || now.device != last.device)) loader_.reopen_model();
    last = now;
  });
}

void MainWindow::show_error(const ErrorReport& report) {
  messages_->show_error(report);
  if (engine_.lost()) messages_->offer(tr("Reconnect"), [this] { engine_.reconnect(); });
  context_.add_note(QStringLiteral("%1: %2. %3").arg(report.where, report.problem, report.advice), true);
}

std::vector<QString> MainWindow::panel_ids() const {
  std::vector<QString> ids;
  for (const PanelEntry& entry : panel_registry()) ids.push_back(entry.id);
  return ids;
}

Panel* MainWindow::panel(const QString& id) const {
  const auto found = panels_.find(id);
  return found == panels_.end() ? nullptr : found->second;
}

QDockWidget* MainWindow::dock(const QString& id) const {
  const auto found = docks_.find(id);
  return found == docks_.end() ? nullptr : found->second;
}

void MainWindow::raise_panel(const QString& id) {
  const auto found = docks_.find(id);
  if (found == docks_.end()) return;
  found->second->show();
  found->second->raise();
}

void MainWindow::open_path(const QString& path) {
  const QFileInfo file(path);
  if (file.suffix() == QStringLiteral("carryover")) return Q_EMIT session_wanted(path);
  if (QFileInfo::exists(path + QStringLiteral("/metrics.jsonl"))) return training_.open_folder(path);
  if (is_run_folder(path.toStdString())) return controller_.open_run(path);
  if (is_bench_folder(path.toStdString())) {
    if (const auto problem = attempt([&] { open_bench()->open_folder(path); })) show_error(*problem);
    return;
  }
  if (file.isDir() || file.suffix().compare(QStringLiteral("gguf"), Qt::CaseInsensitive) == 0) {
    loader_.open_model(path);
  } else {
    controller_.stop();
    loader_.open_text(path);
  }
  controller_.run_when_ready();
}

// While a run goes on the newest segment is selected.
void MainWindow::follow() {
  if (!follow_->isChecked()) return;
  context_.follow_segment(context_.run().segment_count() - 1);
}

void MainWindow::step_segment(int step) {
  const int count = context_.run().segment_count();
  if (count == 0) return;
  context_.select_segment(std::clamp(context_.selected().segment + step, 0, count - 1));
}

void MainWindow::toggle_theme() {
  const ThemeKind kind = current_theme().kind == ThemeKind::Dark ? ThemeKind::Light : ThemeKind::Dark;
  apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind);
  refresh_themed_icons();
  for (const auto& [id, panel] : panels_) panel->request_refresh();
  ribbon_->update();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() || event->mimeData()->hasText()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  for (const QUrl& url : urls)
    if (url.isLocalFile()) open_path(url.toLocalFile());
  if (urls.isEmpty() && event->mimeData()->hasText()) {
    controller_.stop();
    loader_.open_pasted_text(event->mimeData()->text());
    controller_.run_when_ready();
  }
}

}  // namespace carryover
