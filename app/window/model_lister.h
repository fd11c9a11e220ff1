// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>
#include <vector>

#include "engine/installed/installed_model.h"
#include "engine/installed/model_places.h"

namespace carryover {

class RunControl;

/// Lists the models of some places, on a thread of its own (WorkerThread). A control that was asked to stop ends a list
/// after at most one model, without done().
class ModelLister : public QObject {
  Q_OBJECT
 public:
  void list(const std::vector<ModelPlace>& places, const std::shared_ptr<RunControl>& control);

 Q_SIGNALS:
  void found(const carryover::InstalledModel& model);
  void done(const QString& problem);  ///< what could not be read; empty if all could
};

}  // namespace carryover
