// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/base/memory_bytes.h"

#include <nlohmann/json.hpp>

#include "engine/core/base/json_integer.h"

namespace carryover {

void to_json(nlohmann::json& json, const MemoryBytes& bytes) {
  json = nlohmann::json{{"weights", bytes.weights},
                        {"activations", bytes.activations},
                        {"attention_kv", bytes.attention_kv},
                        {"carry", bytes.carry},
                        {"pool", bytes.pool},
                        {"gradients", bytes.gradients},
                        {"optimizer", bytes.optimizer},
                        {"graph", bytes.graph},
                        {"device_peak", bytes.device_peak}};
}

void from_json(const nlohmann::json& json, MemoryBytes& bytes) {
  get_integer(json, "weights", bytes.weights);
  get_integer(json, "activations", bytes.activations);
  get_integer(json, "attention_kv", bytes.attention_kv);
  get_integer(json, "carry", bytes.carry);
  get_integer(json, "pool", bytes.pool);
  get_integer(json, "device_peak", bytes.device_peak);
  const auto get_or_zero = [&](const char* key, std::int64_t& value) {
    value = 0;  // runs that were written before there was training lack it
    if (json.contains(key)) get_integer(json, key, value);
  };
  get_or_zero("gradients", bytes.gradients);
  get_or_zero("optimizer", bytes.optimizer);
  get_or_zero("graph", bytes.graph);
}

}  // namespace carryover
