// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/inspect_controller.h"

#include "app/engine_thread/post.h"

namespace carryover {
namespace {

constexpr int settle_ms = 80;

}  // namespace

InspectController::InspectController(LabContext& context, RunController& runs, QObject* parent)
    : QObject(parent), context_(context), runs_(runs), worker_(new InspectWorker(runs.engine().worker())) {
  QThread* engine = runs.engine().worker().thread();
  worker_->moveToThread(engine);
  connect(engine, &QThread::finished, worker_, &QObject::deleteLater);
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
  connect(worker_, &InspectWorker::inspected, this, [this](const std::shared_ptr<const Inspection>& inspection) {
    const InspectionQuery query = query_;
    control_.reset();
    if (asked_in_ == run_) context_.inspections().deliver(query, inspection);
    serve();
  });
  connect(worker_, &InspectWorker::inspect_failed, this, [this](const ErrorReport& report) {
    const InspectionQuery query = query_;
    control_.reset();
    if (report.fault != Fault::Cancelled && asked_in_ == run_)
      context_.inspections().fail(query, QStringLiteral("%1. %2").arg(report.problem, report.advice));
    serve();
  });
}

InspectController::~InspectController() {
  if (control_) control_->request_stop();
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
  post(worker_, [request, control = control_](InspectWorker& worker) { worker.inspect(request, control); });
}

}  // namespace carryover
