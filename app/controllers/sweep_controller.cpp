// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/sweep_controller.h"

#include <QElapsedTimer>
#include <utility>

#include "app/controllers/inspect_controller.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr int between_cells_ms = 50;  ///< cells of a small model come faster than a heatmap can be drawn

}  // namespace

SweepController::SweepController(LabContext& context, RunController& runs)
    : EngineJob(context, runs, tr("The sweep was stopped")) {
  connect(&context.run(), &RunModel::reset, this, [this] {
    ++run_;
    cancel();
  });
}

void SweepController::start(const SweepPlan& plan) {
  const QString why = active() ? tr("a sweep is running") : runs_.why_engine_is_busy();
  if (!why.isEmpty()) return Q_EMIT failed({Fault::Usage, tr("sweep"), why, tr("Stop it first, or wait for its end.")});
  if (const QString missing = runs_.why_not_repeat(); !missing.isEmpty())
    return Q_EMIT failed({Fault::BadInput, tr("sweep"), missing, tr("Put the file back, or run the text again.")});
  SweepRequest request = sweep_request(context_, plan);
  request.record = recorded_segment(context_.run(), plan.segment);
  if (request.patch_source) request.patch_source->record = recorded_segment(*context_.pinned_run(), plan.segment);
  started_in_ = run_;
  Q_EMIT began(plan);
  const auto sweep = [this, request](EngineCall& call) {
    std::vector<SweepCell> waiting;
    QElapsedTimer since;
    since.start();
    const auto tell = [this, &call, &waiting] {
      call.tell([this, cells = std::exchange(waiting, {})] {
        if (started_in_ == run_) Q_EMIT cells_done(cells);
      });
    };
    const SweepObserver observer{[this, &call](const SweepBase& base) {
                                   call.tell([this, base] {
                                     if (started_in_ == run_) Q_EMIT base_known(base);
                                   });
                                 },
                                 [&](const SweepCell& cell) {
                                   waiting.push_back(cell);
                                   if (since.elapsed() < between_cells_ms) return;
                                   since.restart();
                                   tell();
                                 }};
    QElapsedTimer timer;
    timer.start();
    try {
      call.session_of(request.record).sweep(request, observer, call.control());
    } catch (...) {
      tell();  // cells that are done stay
      throw;
    }
    tell();
    return static_cast<double>(timer.elapsed()) / 1000;
  };
  start_work(tr("a sweep is using the engine"), sweep, [this, segment = plan.segment](double seconds) {
    context_.add_note(filled(tr("Sweep of segment %1: %2"), segment, duration_text(seconds)));
    Q_EMIT ended();
  });
}

}  // namespace carryover
