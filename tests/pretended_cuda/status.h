// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <driver_types.h>

namespace carryover::pretended {

/// Returns `status`, which cudaGetLastError() tells this thread next unless it is success.
cudaError_t passed_on(cudaError_t status);

}  // namespace carryover::pretended
