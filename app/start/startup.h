// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include "app/controllers/lab.h"
#include "app/engine_thread/asset_fetcher.h"
#include "app/start/stories.h"
#include "app/start/window_options.h"

namespace carryover {

/// Brings a lab from nothing to its first run: what the command line names; else the demo at once. The default model
/// and book are fetched meanwhile and then offered, or opened where nobody is there to choose. GUI thread.
class Startup : public QObject {
  Q_OBJECT
 public:
  Startup(Lab& lab, const WindowOptions& options, QObject* parent = nullptr);
  void start();
  void fetch_default_model();  ///< start() does where it opens the demo
  void open(const StoryModel& files);

  static QString demo_directory();   ///< in share/carryover beside the program's folder; empty where it is not
  static QString default_adapter();  ///< likewise: the default model trained for segmented execution with sinks
  static StoryModel demo();          ///< with its text
  /// The default model and book, where they are on this machine already, whatever this start fetches; else empty.
  static StoryModel default_model();

 Q_SIGNALS:
  void fetching(double fraction, const QString& what);
  void default_model_ready(const carryover::StoryModel& files);
  void finished();  ///< the last run that it starts has ended, well or not

 private:
  void open(const QString& model, const QString& adapter, const QString& text);
  void limit_tokens();

  Lab& lab_;
  WindowOptions options_;
  AssetFetcher fetcher_;
  bool expects_more_ = false;  ///< the demo's run is not the last one
};

}  // namespace carryover
