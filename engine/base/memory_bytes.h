// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace carryover {

/// Memory by kind, in bytes, counted from the tensors that are alive and not estimated.
struct MemoryBytes {
  std::int64_t weights = 0;
  std::int64_t activations = 0;   ///< peak over the segment of all that is counted nowhere else here
  std::int64_t attention_kv = 0;  ///< attention-visible KV: prefixes and segment, all layers; flat in T when segmented
  std::int64_t carry = 0;         ///< C_i
  std::int64_t pool = 0;          ///< grows with T
  std::int64_t gradients = 0;     ///< training: accumulated in fp32
  std::int64_t optimizer = 0;     ///< training: moments, and the rest of fp32 weights if the compute dtype is bf16
  std::int64_t graph = 0;         ///< training: peak of what the K + 1 segment graphs keep
  std::int64_t device_peak = 0;   ///< most that was held at once since the run began; not the process's resident set

  bool operator==(const MemoryBytes&) const = default;
  void raise_to(const MemoryBytes& other);  ///< takes the larger of both for each kind
};

/// A kind and its name in JSON.
struct MemoryKind {
  const char* name;
  std::int64_t MemoryBytes::*bytes;
  bool of_training = false;
};
inline constexpr std::array<MemoryKind, 9> kMemoryKinds{{{"weights", &MemoryBytes::weights},
                                                         {"activations", &MemoryBytes::activations},
                                                         {"attention_kv", &MemoryBytes::attention_kv},
                                                         {"carry", &MemoryBytes::carry},
                                                         {"pool", &MemoryBytes::pool},
                                                         {"gradients", &MemoryBytes::gradients, true},
                                                         {"optimizer", &MemoryBytes::optimizer, true},
                                                         {"graph", &MemoryBytes::graph, true},
                                                         {"device_peak", &MemoryBytes::device_peak}}};

void to_json(nlohmann::json& json, const MemoryBytes& bytes);
void from_json(const nlohmann::json& json, MemoryBytes& bytes);

}  // namespace carryover
