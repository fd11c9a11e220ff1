// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover::pretended {

/// Complains where a kernel of ours is launched with a pointer that is no device memory, or where it would read or
/// write beyond what is held. `kernel`: mangled; of kernels of others nothing is known. arguments: as
/// cudaLaunchKernel's.
void check_arguments(const std::string& kernel, void* const* arguments);

}  // namespace carryover::pretended
