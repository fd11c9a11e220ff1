// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "app/window/panel_registry.h"

namespace carryover {

class DockTabs;
class FocusFrame;

/// Panels as tabs of one place, the first in front, and the place's share of its row in %.
struct DockPlace {
  QStringList panels;
  int share;
};
/// Rows of places: one on top, and one below with its share of the height in %. What it does not name is hidden.
struct DockArrangement {
  std::vector<DockPlace> top, bottom;
  int bottom_share = 30;
};
DockArrangement default_arrangement();
QStringList panels_of(PanelArea area);  ///< the panels of Inspect, which are there by default

/// A dock for each row of the panel registry. Owns them, and lives shorter than the window and what the panels show.
/// GUI thread.
class PanelDocks {
  Q_DECLARE_TR_FUNCTIONS(PanelDocks)
 public:
  PanelDocks(LabContext& context, QMainWindow& window);
  ~PanelDocks();

  std::vector<QString> ids() const;
  QDockWidget* dock(const QString& id) const;  ///< null where there is no such panel
  Panel* panel(const QString& id) const;       ///< as dock()
  /// Returns the panel of a class, which must be in the registry.
  template <typename T>
  T& find() const {
    for (const auto& [id, dock] : docks_)
      if (auto* found = qobject_cast<T*>(panel(id))) return *found;
    qFatal("%s is not in the registry", T::staticMetaObject.className());
  }
  void raise(const QString& id);
  void enlarge(const QString& id);  ///< to 45 % of the window's height at least, for a picture; size() takes it back
  /// It is in a panel that stands behind another one's tab. Asks no docks, which may be gone.
  static bool covers(const QWidget* widget);
  void focus_next(int step);  ///< the next visible panel, or the one before
  void refresh();             ///< each panel, soon
  void arrange(const DockArrangement& wanted);
  void size();  ///< as it is arranged, in the window's size
  /// The lower row stays as high as it is now when something above the docks gets higher or lower, which is about to
  /// happen.
  void keep_bottom_height();
  void keep_bottom_share();   ///< its share of both rows' height instead: the window has another size
  void adopt_bottom_share();  ///< the one that the user, or a layout, has just given it
  QList<QAction*> toggle_actions() const;

  /// A plot by its id, or a panel's first by the panel's, up to date. Throws EngineError{Usage} naming all plots.
  PlotView& plot(const QString& name) const;
  std::vector<PlotView*> filled_plots() const;  ///< up to date

 private:
  /// The dock in front of each place, and the places' shares.
  struct Row {
    QList<QDockWidget*> fronts;
    QList<int> shares;
  };
  /// The docks in front of both rows; heights in pixels, with the tabs.
  struct Rows {
    QDockWidget *top, *bottom;
    int both, bottom_height;
  };
  std::optional<Rows> rows() const;  ///< nothing where one of them is not seen
  void keep_bottom(const std::function<int(int both)>& height);
  void add(const PanelEntry& entry, Panel* panel);
  void place(const DockArrangement& wanted);
  void hide(QDockWidget* dock, PanelArea area);
  QDockWidget* front_in(Qt::DockWidgetArea area) const;  ///< one that is seen there; null where none is
  int place_height(const QDockWidget& dock) const;       ///< with the tabs above it
  Row place_row(const std::vector<DockPlace>& places, Qt::DockWidgetArea area, QStringList& placed);

  QMainWindow& window_;
  std::map<QString, QDockWidget*> docks_;
  Row top_, bottom_;
  int bottom_share_ = 0;    ///< of the window's height, percent: as it is arranged
  double shown_share_ = 0;  ///< of both rows' height, as the user sees it; 0: not yet
  bool keeping_bottom_ = false;
  DockTabs* tabs_;
  FocusFrame* focus_frame_;
};

}  // namespace carryover
