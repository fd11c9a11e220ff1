// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <c10/core/Device.h>

#include <string>

namespace carryover {

/// Before an operation allocates: throws EngineError{OutOfMemory} naming `what` where it needs more than is free, so
/// that neither the kernel nor an allocation in the middle of the work ends it. `bytes` may be beyond all memory.
/// `advice` says what to ask for instead. Any thread.
void require_memory(const std::string& what, double bytes, const std::string& advice,
                    c10::Device device = c10::Device(c10::DeviceType::CPU));

}  // namespace carryover
