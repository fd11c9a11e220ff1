// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/base/memory_bytes.h"

#include <nlohmann/json.hpp>

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
  json.at("weights").get_to(bytes.weights);
  json.at("activations").get_to(bytes.activations);
  json.at("attention_kv").get_to(bytes.attention_kv);
  json.at("carry").get_to(bytes.carry);
  json.at("pool").get_to(bytes.pool);
  json.at("device_peak").get_to(bytes.device_peak);
  bytes.gradients = json.value("gradients", std::int64_t{0});  // absent in runs written before there was training
  bytes.optimizer = json.value("optimizer", std::int64_t{0});
  bytes.graph = json.value("graph", std::int64_t{0});
}

}  // namespace carryover
