// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <c10/core/Device.h>

#include <string>

namespace carryover {

/// Throws EngineError{OutOfMemory} naming `what` where an operation needs more memory than is free. Call it before the
/// operation allocates, so that neither the kernel nor an allocation ends it midway. `bytes` may be more than the
/// machine has. `advice` says what to ask for instead. Any thread.
void require_memory(const std::string& what, double bytes, const std::string& advice,
                    c10::Device device = c10::Device(c10::DeviceType::CPU));

}  // namespace carryover
