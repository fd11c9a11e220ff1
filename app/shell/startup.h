// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include "app/engine_thread/asset_fetcher.h"
#include "app/shell/window_options.h"
#include "app/window/main_window.h"

namespace carryover {

/// Brings a window from nothing to its first run: what the command line names; else the demo at once, and the default
/// model and book as soon as they are here. GUI thread.
class Startup : public QObject {
  Q_OBJECT
 public:
  Startup(MainWindow& window, const WindowOptions& options, QObject* parent = nullptr);
  void start();

  static QString demo_directory();  ///< in share/carryover beside the program's folder; empty where it is not

 Q_SIGNALS:
  void finished();  ///< the last run that it starts has ended, well or not

 private:
  void open(const QString& model, const QString& adapter, const QString& text);
  void open_demo();

  MainWindow& window_;
  WindowOptions options_;
  AssetFetcher fetcher_;
  bool expects_more_ = false;  ///< the demo's run is not the last one
};

}  // namespace carryover
