// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

/// The memory of the pretended GPU: a range of addresses that the host may not touch. A host that reads or writes it
/// anyway is stopped, with a message. Any thread.
namespace carryover::pretended {

/// Returns true if an address is the GPU's, allocated or not.
bool is_device_address(const void* pointer);

/// Returns true if [pointer, pointer + bytes) lies in one allocation.
bool is_held(const void* pointer, std::int64_t bytes);

std::int64_t peak_bytes();  ///< the most that was allocated at once

}  // namespace carryover::pretended
