// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/engine_job.h"

namespace carryover {

void EngineJob::cancel() {
  if (control_) control_->request_stop();
}

std::shared_ptr<RunControl> EngineJob::begin(const QString& busy) {
  control_ = std::make_shared<RunControl>();
  runs_.engine().set_busy(busy);
  return control_;
}

void EngineJob::release() {
  control_.reset();
  runs_.engine().set_busy({});
}

}  // namespace carryover
