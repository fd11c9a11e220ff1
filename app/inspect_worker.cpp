// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/inspect_worker.h"

#include <QElapsedTimer>

namespace carryover {

Session& InspectWorker::session(const std::string& weights_hash) const {
  Session* session = engine_.session();
  if (!session) throw EngineError(Fault::Usage, "inspect", "no model is open", "Open the run's model.");
  if (engine_.trained() || session->model().weights_hash != weights_hash)
    throw EngineError(Fault::Usage, "inspect", "the run was made with other weights than the open model's",
                      "Run the text again.");
  return *session;
}

void InspectWorker::inspect(const InspectJob& job, const std::shared_ptr<RunControl>& control) {
  std::shared_ptr<const Inspection> inspection;
  const auto problem = attempt([&] {
    control->checkpoint();
    inspection = std::make_shared<const Inspection>(session(job.weights_hash).inspect(job.request, *control));
  });
  if (problem) {
    Q_EMIT inspect_failed(*problem);
  } else {
    Q_EMIT inspected(inspection);
  }
}

void InspectWorker::what_if(const WhatIfJob& job, const std::shared_ptr<RunControl>& control) {
  WhatIfEnd end;
  QElapsedTimer timer;
  timer.start();
  const auto problem = attempt([&] {
    control->checkpoint();
    const auto done = [this](std::size_t edit, const WhatIfOutcome& outcome) {
      Q_EMIT edit_done(static_cast<int>(edit), std::make_shared<const WhatIfOutcome>(outcome));
    };
    end.base = std::make_shared<const WhatIfBase>(session(job.weights_hash).what_if(job.request, done, *control));
    end.seconds = static_cast<double>(timer.elapsed()) / 1000;
  });
  if (problem) {
    Q_EMIT what_if_failed(*problem);
  } else {
    Q_EMIT what_if_done(end);
  }
}

void InspectWorker::price(const WhatIfJob& job, int tag) {
  std::int64_t segments = 0;
  const auto problem = attempt([&] { segments = session(job.weights_hash).what_if_segments(job.request); });
  if (problem) {
    Q_EMIT price_failed(tag, *problem);
  } else {
    Q_EMIT priced(tag, segments);
  }
}

}  // namespace carryover
