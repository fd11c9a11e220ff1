// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "widgets/lab/lab_context.h"

/// Activation patching from the pinned run into the one on show. GUI thread.
namespace carryover {

/// Says why the values that `edit` patches cannot be taken from the pinned run; empty: they can, or the edit patches
/// nothing.
QString patch_obstacle(LabContext& context, int segment, const SegmentEdit& edit);

/// The outputs of one head of the layer; of a negative one, of all its heads.
std::vector<HeadRef> heads_to_patch(const ModelConfig& model, int layer, int head);

}  // namespace carryover
