// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/controls/panel_controls.h"
#include "widgets/lab/linked_context.h"

class QToolButton;

namespace carryover {

/// A view of the LabContext. A panel says what changed by request_refresh(); refresh() then runs once per event-loop
/// turn, and only while the panel is seen (another one catches up when it comes to be). What it looks at is the lab's
/// selection, or one of its own while it is unlinked (sync_toggle). GUI thread.
class Panel : public QWidget {
  Q_OBJECT
 public:
  Panel(LabContext& context, const QString& title, QWidget* parent = nullptr);
  const QString& title() const { return title_; }

  /// Plots of this panel, for "export": empty where it has none. See plot_view.h.
  virtual std::vector<class PlotView*> plots() { return {}; }

  bool linked() const { return context_.linked(); }
  void set_linked(bool linked);

  /// Qt calls a dock visible behind the tab of another one: whoever places the panel says whether it is.
  void set_covered(bool covered);
  bool is_seen() const { return isVisible() && !covered_; }

  void catch_up();  ///< refreshes at once where a refresh is due, also while hidden: before an export

 public Q_SLOTS:
  void request_refresh();

 protected:
  virtual void refresh() = 0;
  /// The folder that the plots can be made from again by `carryover export FOLDER --figure`: the run's, or what it
  /// would be called. Empty: there is none. Other panels than a run's override it.
  virtual QString source_folder();
  virtual void unseen() {}  ///< it is hidden or covered now
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  LinkedContext& context() { return context_; }
  /// The button that links and unlinks the panel; one that shows a selection places it at the end of its bar.
  QWidget* sync_toggle();

 private:
  void queue_refresh();
  void show_linked();
  QStringList remake_command(const QString& plot);

  LinkedContext context_;
  QToolButton* sync_ = nullptr;
  QString title_;
  std::vector<PanelControl> first_controls_;  ///< as the panel came up: commands say what differs
  bool pending_ = false, covered_ = false;
};

}  // namespace carryover
