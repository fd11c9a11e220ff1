// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

#include "app/controllers/lab.h"

class QAction;
class QProgressBar;

namespace carryover {

class LabToolbar;

/// Two bars at the toolbar's end: how far the run or the training is, and the engine's memory, which goes where there
/// is no room for both. GUI thread. Lives shorter than the lab.
class StatusMeters : public QObject {
  Q_OBJECT
 public:
  StatusMeters(Lab& lab, LabToolbar& bar);
  void show_fetching(double fraction, const QString& what);  ///< while nothing runs

 private:
  QProgressBar* add_bar(LabToolbar& bar, int width, const QString& name);
  void give_room(LabToolbar& bar, const QList<QAction*>& memory);
  void say(const QStringList& texts);  ///< how far it is; the first one that fits
  void show_state();
  void show_run();
  QStringList run_texts(double tokens_left) const;
  void show_training();
  void show_memory();

  Lab& lab_;
  QProgressBar *progress_, *memory_;
  QStringList texts_{QString()};  ///< of the progress
};

}  // namespace carryover
