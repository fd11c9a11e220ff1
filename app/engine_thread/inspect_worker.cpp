// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/inspect_worker.h"

#include <QElapsedTimer>

namespace carryover {

RecordedSegment recorded_segment(const RunModel& run, int segment) {
  const SegmentSnapshot& snapshot = run.snapshot(segment);
  return {run.model().weights_hash, run.model().dtype, snapshot.target_nll, snapshot.hits};
}

Session& InspectWorker::session(const std::optional<RecordedSegment>& record) const {
  Session* session = engine_.session();
  if (!session) throw EngineError(Fault::Usage, "inspection", "no model is open", "Open the run's model.");
  const std::string& open = session->model().weights_hash;
  if (record && record->weights_hash != open)
    throw EngineError(Fault::Usage, "inspection",
                      tr("the run was made with the weights %1, and the open model has %2")
                          .arg(QString::fromStdString(record->weights_hash), QString::fromStdString(open))
                          .toStdString(),
                      tr("Open the run's model, or run the text again.").toStdString());
  return *session;
}

void InspectWorker::inspect(const InspectRequest& request, const std::shared_ptr<RunControl>& control) {
  std::shared_ptr<const Inspection> inspection;
  const auto problem = attempt([&] {
    control->checkpoint();
    inspection = std::make_shared<const Inspection>(session(request.record).inspect(request, *control));
  });
  if (problem) {
    Q_EMIT inspect_failed(*problem);
  } else {
    Q_EMIT inspected(inspection);
  }
}

void InspectWorker::what_if(const WhatIfRequest& request, const std::shared_ptr<RunControl>& control) {
  WhatIfEnd end;
  QElapsedTimer timer;
  timer.start();
  const auto problem = attempt([&] {
    control->checkpoint();
    const auto done = [this](std::size_t edit, const WhatIfOutcome& outcome) {
      Q_EMIT edit_done(static_cast<int>(edit), std::make_shared<const WhatIfOutcome>(outcome));
    };
    end.base = std::make_shared<const WhatIfBase>(session(request.record).what_if(request, done, *control));
    end.seconds = static_cast<double>(timer.elapsed()) / 1000;
  });
  if (problem) {
    Q_EMIT what_if_failed(*problem);
  } else {
    Q_EMIT what_if_done(end);
  }
}

void InspectWorker::price(const WhatIfRequest& request, int tag) {
  std::int64_t segments = 0;
  const auto problem = attempt([&] { segments = session(request.record).what_if_segments(request); });
  if (problem) {
    Q_EMIT price_failed(tag, *problem);
  } else {
    Q_EMIT priced(tag, segments);
  }
}

}  // namespace carryover
