// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMenu>
#include <functional>

#include "app/controllers/lab.h"

namespace carryover {

class MessageBar;
class PanelDocks;

/// The menu that writes what the window shows into files: plots, data, settings, the run, and a report of all of it.
/// GUI thread. Lives shorter than what it writes.
class ExportMenu : public QMenu {
  Q_OBJECT
 public:
  ExportMenu(Lab& lab, PanelDocks& docks, MessageBar& messages, QWidget* parent);

  void export_plots(const QString& directory);  ///< every panel's in every format; errors go to the message bar
  /// Write the same, and a report (HTML or PDF by its suffix: the pictures, settings and numbers). Throw EngineError.
  void write_plots(const QString& directory);
  void write_report(const QString& path);

 private:
  QAction* add(QMenu* menu, const QString& text, const std::function<void()>& slot);
  void ask_file(const QString& title, const QString& path, const QString& filter,
                const std::function<void(const QString&)>& write);
  void attempt_export(const std::function<void()>& write, const QString& path);

  Lab& lab_;
  PanelDocks& docks_;
  MessageBar& messages_;
};

}  // namespace carryover
