// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include "app/controllers/lab.h"
#include "app/engine_thread/asset_fetcher.h"
#include "app/shell/window_options.h"

namespace carryover {

/// Brings a lab from nothing to its first run: what the command line names; else the demo at once, and the default
/// model and book as soon as they are here. GUI thread.
class Startup : public QObject {
  Q_OBJECT
 public:
  Startup(Lab& lab, const WindowOptions& options, QObject* parent = nullptr);
  void start();

  static QString demo_directory();  ///< in share/carryover beside the program's folder; empty where it is not

 Q_SIGNALS:
  void fetching(double fraction, const QString& what);
  void finished();  ///< the last run that it starts has ended, well or not

 private:
  void open(const QString& model, const QString& adapter, const QString& text);

  Lab& lab_;
  WindowOptions options_;
  AssetFetcher fetcher_;
  bool expects_more_ = false;  ///< the demo's run is not the last one
};

}  // namespace carryover
