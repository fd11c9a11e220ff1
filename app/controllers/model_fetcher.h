// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "engine/hub/hub_name.h"
#include "engine/hub/hub_settings.h"

namespace carryover {

class RunControl;

/// Fetches models from a hub, on a thread of its own (WorkerThread). A control that was asked to stop ends a fetch
/// within about a second; what has come stays in the cache.
class ModelFetcher : public QObject {
  Q_OBJECT
 public:
  void fetch(const HubName& name, const HubSettings& settings, const std::shared_ptr<RunControl>& control);

 Q_SIGNALS:
  void came(const QString& file, qint64 done, qint64 total);  ///< in bytes; some ten times a second
  void waits(const QString& reason);
  void fetched(const QString& path);    ///< of the model, to open
  void failed(const QString& problem);  ///< empty if it was stopped
};

}  // namespace carryover
