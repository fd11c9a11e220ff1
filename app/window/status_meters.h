// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/controllers/lab.h"

class QProgressBar;
class QToolBar;

namespace carryover {

/// Two bars at a toolbar's end: how far the run or the training is, and the engine's memory. GUI thread. Lives shorter
/// than the lab.
class StatusMeters : public QObject {
  Q_OBJECT
 public:
  StatusMeters(Lab& lab, QToolBar& bar);
  void show_fetching(double fraction, const QString& what);  ///< while nothing runs

 private:
  QProgressBar* add_bar(QToolBar& bar, int width, const QString& name);
  void show_state();
  void show_run();
  QStringList run_texts(double tokens_left) const;
  void show_training();
  void show_memory();

  Lab& lab_;
  QProgressBar *progress_, *memory_;
};

}  // namespace carryover
