// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/head_profile_worker.h"

namespace carryover {

void HeadProfileWorker::profile(const HeadProfileRequest& request, const std::shared_ptr<RunControl>& control) {
  HeadProfile found;
  QString weights;
  const auto problem = attempt([&] {
    control->checkpoint();
    Session* session = engine_.session();
    if (!session) throw EngineError(Fault::Usage, "heads", "no model is open", "Open a model first.");
    weights = QString::fromStdString(session->model().weights_hash);
    HeadProfileRequest reporting = request;
    reporting.progress = [this](double share, const std::string& what) {
      if (progress_.passes()) Q_EMIT progressed(share, QString::fromStdString(what));
    };
    found = session->profile_heads(reporting, *control);
  });
  if (!problem) {
    Q_EMIT profiled(found, weights);
  } else {
    tell_problem(*this, *problem);
  }
}

}  // namespace carryover
