// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panel_docks.h"

#include <QApplication>
#include <QLayout>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/dock_tabs.h"
#include "app/window/focus_frame.h"
#include "app/window/panel_scroll.h"
#include "engine/base/error.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

/// The least sizes of a panel, in the lower row and elsewhere: a plot with its line of text fits the former.
constexpr QSize enough_below(420, 130), enough_above(420, 90);

/// Qt puts a dock that another one's tab covers beside the window, and leaves it visible.
bool is_in_front(const QDockWidget& dock) {
  return dock.isVisible() && (dock.isFloating() || dock.parentWidget()->rect().intersects(dock.geometry()));
}

/// Returns the panel, or the widget in it that takes the keyboard where the panel does not.
QWidget* what_takes_keys(Panel& panel) {
  if (panel.focusPolicy() != Qt::NoFocus) return &panel;
  const auto children = panel.findChildren<QWidget*>();
  const auto found = std::ranges::find_if(children, [](const QWidget* child) {
    return child->isVisible() && child->isEnabled() && (child->focusPolicy() & Qt::TabFocus) != 0;
  });
  return found == children.end() ? &panel : *found;
}

}  // namespace

QStringList panels_of(PanelArea area) {
  QStringList ids;
  for (const PanelEntry& entry : panel_registry())
    if (entry.area == area && entry.group == PanelGroup::Inspect) ids += entry.id;
  return ids;
}

DockArrangement default_arrangement() {
  return {{{panels_of(PanelArea::Left), 20}, {panels_of(PanelArea::Centre), 45}, {panels_of(PanelArea::Right), 35}},
          {{panels_of(PanelArea::Bottom), 100}},
          24};
}

PanelDocks::PanelDocks(LabContext& context, QMainWindow& window)
    : window_(window), tabs_(new DockTabs(window)), focus_frame_(new FocusFrame(window)) {
  window.setDockNestingEnabled(true);
  window.setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
  window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  for (const PanelEntry& entry : panel_registry()) {
    Panel* panel = entry.create(context, nullptr);
    add(entry, panel);
    for (const PlotView* plot : panel->findChildren<PlotView*>())
      QObject::connect(plot, &PlotView::exported, &context, &LabContext::add_written);
  }
  place(default_arrangement());
}

PanelDocks::~PanelDocks() {
  delete focus_frame_;  // before the panel that it is around
  delete tabs_;         // before the docks that it looks at
  for (const auto& [id, dock] : docks_) delete dock;
}

void PanelDocks::add(const PanelEntry& entry, Panel* panel) {
  const QString& id = entry.id;
  panel->setObjectName(id);
  auto* dock = new QDockWidget(panel->title(), &window_);
  dock->setObjectName(id + QStringLiteral("_dock"));
  dock->setWidget(new PanelScroll(panel, entry.area == PanelArea::Bottom ? enough_below : enough_above));
  QObject::connect(dock, &QDockWidget::visibilityChanged, panel, [panel](bool seen) { panel->set_covered(!seen); });
  tabs_->add(dock);
  docks_[id] = dock;
}

void PanelDocks::arrange(const DockArrangement& wanted) {
  window_.setUpdatesEnabled(false);
  for (const auto& [id, dock] : docks_) {
    dock->setFloating(false);
    window_.removeDockWidget(dock);
  }
  place(wanted);
  size();
  window_.setUpdatesEnabled(true);
}

// No central widget: every panel is a dock, side by side on top and one row below.
void PanelDocks::place(const DockArrangement& wanted) {
  QStringList placed;
  top_ = place_row(wanted.top, Qt::TopDockWidgetArea, placed);
  bottom_ = place_row(wanted.bottom, Qt::BottomDockWidgetArea, placed);
  bottom_share_ = wanted.bottom_share;
  for (const PanelEntry& entry : panel_registry())
    if (!placed.contains(entry.id)) hide(dock(entry.id), entry.area);
  for (const Row& row : {top_, bottom_})  // a hidden tab has put another one in front
    for (QDockWidget* front : row.fronts) front->raise();
}

/// Hidden, but with a place to be shown in: a tab of where panels of its area stand.
void PanelDocks::hide(QDockWidget* dock, PanelArea area) {
  const QList<QDockWidget*>& top = top_.fronts;
  QDockWidget* beside = top.at(std::min<qsizetype>(1, top.size() - 1));
  if (area == PanelArea::Left) beside = top.front();
  if (area == PanelArea::Right) beside = top.back();
  if (area == PanelArea::Bottom && !bottom_.fronts.isEmpty()) beside = bottom_.fronts.front();
  window_.addDockWidget(window_.dockWidgetArea(beside), dock);
  window_.tabifyDockWidget(beside, dock);
  DockTabs::show_title(dock, false);
  dock->hide();
}

PanelDocks::Row PanelDocks::place_row(const std::vector<DockPlace>& places, Qt::DockWidgetArea area,
                                      QStringList& placed) {
  Row row;
  std::vector<std::vector<QDockWidget*>> columns;
  for (const DockPlace& place : places) {
    std::vector<QDockWidget*> tabs;
    for (const QString& id : place.panels) {
      if (dock(id) == nullptr || placed.contains(id)) continue;
      placed += id;
      tabs.push_back(dock(id));
    }
    if (tabs.empty()) continue;
    if (row.fronts.isEmpty()) {
      window_.addDockWidget(area, tabs.front());
    } else {
      window_.splitDockWidget(row.fronts.back(), tabs.front(), Qt::Horizontal);
    }
    row.fronts += tabs.front();
    row.shares += place.share;
    columns.push_back(std::move(tabs));
  }
  for (const std::vector<QDockWidget*>& tabs :
       columns) {  // after all splits: splitting a tab adds one more to its tabs
    for (std::size_t i = 1; i < tabs.size(); ++i) window_.tabifyDockWidget(tabs[i - 1], tabs[i]);
    for (QDockWidget* tab : tabs) {
      DockTabs::show_title(tab, tabs.size() == 1);
      tab->show();
    }
    tabs.front()->raise();
  }
  return row;
}

void PanelDocks::size() {
  for (const Row& row : {top_, bottom_}) {
    QList<int> widths;
    for (const int share : row.shares) widths += window_.width() * share / 100;
    window_.resizeDocks(row.fronts, widths, Qt::Horizontal);
  }
  if (bottom_.fronts.isEmpty()) return;
  const int height = window_.height() * bottom_share_ / 100;
  window_.layout()->activate();  // to know what there is: of sizes that don't add up to it Qt makes others
  if (const auto now = rows())
    window_.resizeDocks({now->top, now->bottom}, {now->both - height, height}, Qt::Vertical);
  else  // not shown yet
    window_.resizeDocks({top_.fronts.front(), bottom_.fronts.front()}, {window_.height() - height, height},
                        Qt::Vertical);
  adopt_bottom_share();
}

QDockWidget* PanelDocks::front_in(Qt::DockWidgetArea area) const {
  for (const auto& [id, dock] : docks_)
    if (is_in_front(*dock) && !dock->isFloating() && window_.dockWidgetArea(dock) == area) return dock;
  return nullptr;
}

int PanelDocks::place_height(const QDockWidget& dock) const {
  for (const QTabBar* tabs : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    if (tabs->isVisible() && tabs->geometry().intersects(dock.geometry().translated(0, -1)))
      return dock.height() + tabs->height();
  return dock.height();
}

std::optional<PanelDocks::Rows> PanelDocks::rows() const {
  QDockWidget *const top = front_in(Qt::TopDockWidgetArea), *const bottom = front_in(Qt::BottomDockWidgetArea);
  if (top == nullptr || bottom == nullptr) return std::nullopt;
  return Rows{top, bottom, place_height(*top) + place_height(*bottom), place_height(*bottom)};
}

// Qt takes what the docks lose from both rows alike, and gives what they gain to the lower one alone.
void PanelDocks::keep_bottom(const std::function<int(int both)>& height) {
  if (keeping_bottom_) return;
  keeping_bottom_ = true;
  const auto restore = [this, height] {
    if (!std::exchange(keeping_bottom_, false)) return;
    const auto now = rows();  // another one may be in front: what a message is about
    if (!now) return;
    const int wanted = height(now->both);
    if (wanted < now->both) window_.resizeDocks({now->top, now->bottom}, {now->both - wanted, wanted}, Qt::Vertical);
  };
  QMetaObject::invokeMethod(&window_, restore, Qt::QueuedConnection);  // once the docks have their new sizes
}

void PanelDocks::keep_bottom_height() {
  if (const auto now = rows()) keep_bottom([height = now->bottom_height](int) { return height; });
}

void PanelDocks::keep_bottom_share() {
  if (shown_share_ > 0) keep_bottom([this](int both) { return static_cast<int>(std::lround(shown_share_ * both)); });
}

void PanelDocks::adopt_bottom_share() {
  keeping_bottom_ = false;
  const auto note = [this] {
    if (const auto now = rows(); now && now->both > 0)
      shown_share_ = static_cast<double>(now->bottom_height) / now->both;
  };
  QMetaObject::invokeMethod(&window_, note, Qt::QueuedConnection);
}

std::vector<QString> PanelDocks::ids() const {
  std::vector<QString> ids;
  for (const PanelEntry& entry : panel_registry()) ids.push_back(entry.id);
  return ids;
}

QDockWidget* PanelDocks::dock(const QString& id) const {
  const auto found = docks_.find(id);
  return found == docks_.end() ? nullptr : found->second;
}

Panel* PanelDocks::panel(const QString& id) const {
  const QDockWidget* found = dock(id);
  return found == nullptr ? nullptr : static_cast<Panel*>(static_cast<const PanelScroll*>(found->widget())->widget());
}

void PanelDocks::raise(const QString& id) {
  QDockWidget* found = dock(id);
  if (found == nullptr) return;
  found->show();
  found->raise();
}

void PanelDocks::enlarge(const QString& id) {
  const int height = window_.height() * 45 / 100;
  if (dock(id) != nullptr && dock(id)->height() < height) window_.resizeDocks({dock(id)}, {height}, Qt::Vertical);
}

bool PanelDocks::covers(const QWidget* widget) {
  while (widget != nullptr && qobject_cast<const QDockWidget*>(widget) == nullptr) widget = widget->parentWidget();
  return widget != nullptr && !is_in_front(*static_cast<const QDockWidget*>(widget));
}

void PanelDocks::focus_next(int step) {
  std::vector<Panel*> seen;  // a tab that another one covers is not
  for (const QString& id : ids())
    if (is_in_front(*dock(id))) seen.push_back(panel(id));
  if (seen.empty()) return;
  const auto focused = std::ranges::find_if(seen, [](const Panel* panel) {
    const QWidget* widget = QApplication::focusWidget();
    return widget != nullptr && (widget == panel || panel->isAncestorOf(widget));
  });
  const std::ptrdiff_t count = std::ssize(seen);
  std::ptrdiff_t from = focused - seen.begin();
  if (focused == seen.end()) from = step > 0 ? -1 : 0;
  what_takes_keys(*seen[static_cast<std::size_t>((from + step + count) % count)])->setFocus(Qt::TabFocusReason);
}

void PanelDocks::refresh() {
  for (const auto& [id, dock] : docks_) panel(id)->request_refresh();
}

QList<QAction*> PanelDocks::toggle_actions() const {
  QList<QAction*> actions;
  for (const auto& [id, dock] : docks_) actions += dock->toggleViewAction();
  return actions;
}

PlotView& PanelDocks::plot(const QString& name) const {
  QStringList names;
  for (const QString& id : ids()) {
    const auto plots = panel(id)->plots();
    for (PlotView* plot : plots) {
      names += plot->id();
      if (plot->id() != name && (id != name || plot != plots.front())) continue;
      panel(id)->catch_up();
      return *plot;
    }
  }
  throw EngineError(Fault::Usage, name.toStdString(), tr("is not a figure").toStdString(),
                    tr("The figures are %1.").arg(names.join(QStringLiteral(", "))).toStdString());
}

std::vector<PlotView*> PanelDocks::filled_plots() const {
  std::vector<PlotView*> filled;
  for (const QString& id : ids()) {
    panel(id)->catch_up();
    for (PlotView* plot : panel(id)->plots())
      if (!plot->is_empty()) filled.push_back(plot);
  }
  return filled;
}

}  // namespace carryover
