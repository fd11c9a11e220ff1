// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

enum class NiahHay { Noise, Essay, Needles };
enum class NiahKind { Numbers, Words, Uuids };

/// One of RULER's needle tasks.
struct NiahPlan {
  NiahHay hay = NiahHay::Noise;
  NiahKind keys = NiahKind::Words, values = NiahKind::Numbers;
  std::size_t key_count = 1, values_per_key = 1, queries = 1;
};

/// The samples of RULER's niah.py. Throws as Task::samples().
std::vector<TaskSample> niah_samples(const std::string& task, const NiahPlan& plan, const SampleRequest& request);

}  // namespace carryover
