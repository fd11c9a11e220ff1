// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/patching.h"

#include <QCoreApplication>

#include "engine/runs/values/patch.h"
#include "widgets/look/qstring.h"

namespace carryover {
namespace {

struct Patching {
  Q_DECLARE_TR_FUNCTIONS(Patching)
};

}  // namespace

QString patch_obstacle(LabContext& context, int segment, const SegmentEdit& edit) {
  if (!edit.patches()) return {};
  const RunModel* pinned = context.pinned_run().get();
  if (pinned == nullptr) return Patching::tr("patches take their values from the pinned run: pin one as B first");
  const RunModel& run = context.run();
  if (segment < 0 || segment >= run.segment_count()) return Patching::tr("no segment has been run");
  if (pinned->model().weights_hash != run.model().weights_hash)
    return Patching::tr("the pinned run was made with the weights %1, this one with %2")
        .arg(qstring(pinned->model().weights_hash), qstring(run.model().weights_hash));
  if (pinned->model().dtype != run.model().dtype)
    return Patching::tr("the pinned run was made in %1, this one in %2")
        .arg(QString::fromUtf8(dtype_name(pinned->model().dtype).data()),
             QString::fromUtf8(dtype_name(run.model().dtype).data()));
  return qstring(patch_problem(run.request(), pinned->request(), segment, edit));
}

std::vector<HeadRef> heads_to_patch(const ModelConfig& model, int layer, int head) {
  if (head >= 0) return {{layer, head}};
  std::vector<HeadRef> heads;
  for (int each = 0; each < model.heads; ++each) heads.push_back({layer, each});
  return heads;
}

}  // namespace carryover
