// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/lab_context.h"
#include "widgets/panel_controls.h"

namespace carryover {

/// A view of the LabContext. A panel says what changed by request_refresh(); refresh() then runs once per event-loop
/// turn, and only while the panel is visible (a hidden one catches up when it is shown). GUI thread.
class Panel : public QWidget {
  Q_OBJECT
 public:
  Panel(LabContext& context, const QString& title, QWidget* parent = nullptr);
  const QString& title() const { return title_; }

  /// Plots of this panel, for "export": empty where it has none. See plot_view.h.
  virtual std::vector<class PlotView*> plots() { return {}; }

  void catch_up();  ///< refreshes at once where a refresh is due, also while hidden: before an export

 public Q_SLOTS:
  void request_refresh();

 protected:
  virtual void refresh() = 0;
  /// The folder that the plots can be made from again by `carryover export FOLDER --figure`: the run's, or what it
  /// would be called. Empty: there is none. Other panels than a run's override it.
  virtual QString source_folder();
  void showEvent(QShowEvent* event) override;
  LabContext& context() { return context_; }

 private:
  void queue_refresh();
  QStringList remake_command(const QString& plot);

  LabContext& context_;
  QString title_;
  std::vector<PanelControl> first_controls_;  ///< as the panel came up: commands say what differs
  bool pending_ = false;
};

}  // namespace carryover
