// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/model_lister.h"

#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/installed/model_list.h"

namespace carryover {

void ModelLister::list(const std::vector<ModelPlace>& places, const std::shared_ptr<RunControl>& control) {
  QString problem;
  try {
    const ModelList all = list_models(places, header_cache_file(), *control,
                                      [this](const InstalledModel& model) { Q_EMIT found(model); });
    for (const UnreadFolder& folder : all.unread)
      problem =
          tr("%1 can't be read: %2").arg(QString::fromStdString(folder.path), QString::fromStdString(folder.problem));
  } catch (const EngineError& error) {
    if (error.fault() == Fault::Cancelled) return;
    problem = QString::fromStdString(error.what());
  } catch (const std::exception& error) {  // such as a full memory: the window stays
    problem = QString::fromUtf8(error.what());
  }
  Q_EMIT done(problem);
}

}  // namespace carryover
