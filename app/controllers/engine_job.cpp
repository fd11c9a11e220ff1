// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/engine_job.h"

namespace carryover {

EngineJob::EngineJob(LabContext& context, RunController& runs, const QString& cancelled)
    : context_(context), runs_(runs), calls_(runs.engine().worker(), *this), cancelled_(cancelled) {
  connect(&calls_.relay(), &CallRelay::progressed, this, &EngineJob::progressed);
}

void EngineJob::cancel() {
  if (control_) control_->request_stop();
}

void EngineJob::begin(const QString& busy) {
  control_ = std::make_shared<RunControl>();
  runs_.engine().set_busy(busy);
  Q_EMIT started();
}

void EngineJob::release() {
  control_.reset();
  runs_.engine().set_busy({});
}

void EngineJob::end(const ErrorReport& report) {
  release();
  if (report.fault == Fault::Cancelled) context_.add_note(cancelled_);
  Q_EMIT ended();
  if (report.fault != Fault::Cancelled) Q_EMIT failed(report);
}

}  // namespace carryover
