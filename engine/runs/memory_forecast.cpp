// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/memory_forecast.h"

#include "engine/base/byte_size.h"
#include "engine/base/error.h"
#include "engine/cost/real.h"
#include "engine/runtime/memory_meter.h"

namespace carryover {

void require_memory(const std::string& what, double bytes, const std::string& advice, c10::Device device) {
  const std::int64_t available = available_memory_bytes(device);
  if (bytes <= real(available)) return;
  throw EngineError(Fault::OutOfMemory, what,
                    "needs " + size_text(static_cast<double>(saturated(bytes))) + ", " +
                        size_text(static_cast<double>(available)) + " free",
                    advice);
}

}  // namespace carryover
