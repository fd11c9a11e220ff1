// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/model_fetcher.h"

#include <QElapsedTimer>

#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/hub/model_fetch.h"

namespace carryover {

void ModelFetcher::fetch(const HubName& name, const HubSettings& settings, const std::shared_ptr<RunControl>& control) {
  constexpr qint64 kPauseMs = 100;
  QElapsedTimer since;
  const auto show = [&](const FetchProgress& progress) {
    if (since.isValid() && since.elapsed() < kPauseMs) return;
    since.start();
    Q_EMIT came(QString::fromStdString(progress.file), progress.done, progress.total);
  };
  const FetchEvents events{show, [this](const std::string& line) { Q_EMIT waits(QString::fromStdString(line)); }};
  try {
    const FetchPlan plan = plan_fetch(name, {}, settings, events, *control);
    Q_EMIT fetched(QString::fromStdString(run_fetch(plan, settings, events, *control)));
  } catch (const EngineError& error) {
    const bool stopped = error.fault() == Fault::Cancelled;
    Q_EMIT failed(stopped ? QString() : QString::fromStdString(error.what()));
  } catch (const std::exception& error) {  // such as a full memory: the window stays
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
}

}  // namespace carryover
