// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/inspect_controller.h"

namespace carryover {
namespace {

constexpr int settle_ms = 80;

}  // namespace

RecordedSegment recorded_segment(const RunModel& run, int segment) {
  if (segment >= run.segment_count()) return {run.model().weights_hash, run.model().dtype, {}, {}};
  const SegmentSnapshot& snapshot = run.snapshot(segment);
  return {run.model().weights_hash, run.model().dtype, snapshot.target_nll, snapshot.hits};
}

InspectController::InspectController(LabContext& context, RunController& runs, QObject* parent)
    : QObject(parent), context_(context), runs_(runs), calls_(runs.engine().worker(), *this) {
  settle_.setSingleShot(true);
  settle_.setInterval(settle_ms);
  connect(&settle_, &QTimer::timeout, this, &InspectController::serve);
  connect(&context.inspections(), &Inspections::wanted, this, [this] {
    if (control_ && !context_.inspections().is_wanted(query_)) control_->request_stop();
    settle_.start();
  });
  connect(&runs, &RunController::state_changed, this, [this] {
    if (control_ && !runs_.why_engine_is_busy().isEmpty()) control_->request_stop();
    settle_.start();
  });
  connect(&runs.loader(), &ModelLoader::model_changed, this, [this] { context_.inspections().forget_problems(); });
  connect(&context.run(), &RunModel::reset, this, [this] {
    ++run_;
    if (control_) control_->request_stop();
  });
}

InspectController::~InspectController() {
  if (control_) control_->request_stop();
}

void InspectController::deliver(const std::shared_ptr<const Inspection>& inspection) {
  const InspectionQuery query = query_;  // a view that gets it may ask for the next one
  control_.reset();
  if (asked_in_ == run_) context_.inspections().deliver(query, inspection);
  serve();
}

void InspectController::fail(const ErrorReport& report) {
  const InspectionQuery query = query_;
  control_.reset();
  if (report.fault != Fault::Cancelled && asked_in_ == run_)
    context_.inspections().fail(query, QStringLiteral("%1. %2").arg(report.problem, report.advice));
  serve();
}

void InspectController::serve() {
  if (control_) return;
  Inspections& inspections = context_.inspections();
  const auto query = inspections.next();
  inspections.set_waiting_for(query ? runs_.why_engine_is_busy() : QString());
  if (!query || !runs_.why_engine_is_busy().isEmpty()) return;
  if (query->segment >= context_.run().segment_count()) return;  // of a run that is closed, or not as far yet
  if (const QString why = runs_.why_not_repeat(); !why.isEmpty()) {
    inspections.fail(*query, why);
    return serve();
  }
  const RunModel& run = context_.run();
  query_ = *query;
  asked_in_ = run_;
  control_ = std::make_shared<RunControl>();
  const InspectRequest request{run.request(), query_.segment, query_.parts, recorded_segment(run, query_.segment)};
  const auto inspect = [request](EngineCall& call) {
    return std::make_shared<const Inspection>(call.session_of(request.record).inspect(request, call.control()));
  };
  calls_.start(
      control_, inspect, [this](const std::shared_ptr<const Inspection>& inspection) { deliver(inspection); },
      [this](const ErrorReport& report) { fail(report); });
}

}  // namespace carryover
