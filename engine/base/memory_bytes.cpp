// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/memory_bytes.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/json_integer.h"

namespace carryover {

void MemoryBytes::raise_to(const MemoryBytes& other) {
  for (const MemoryKind& kind : kMemoryKinds) this->*kind.bytes = std::max(this->*kind.bytes, other.*kind.bytes);
}

void to_json(nlohmann::json& json, const MemoryBytes& bytes) {
  json = nlohmann::json::object();
  for (const MemoryKind& kind : kMemoryKinds) json[kind.name] = bytes.*kind.bytes;
}

void from_json(const nlohmann::json& json, MemoryBytes& bytes) {
  bytes = {};
  for (const MemoryKind& kind : kMemoryKinds)  // runs of versions without training lack its kinds
    if (!kind.of_training || json.contains(kind.name)) get_integer(json, kind.name, bytes.*kind.bytes);
}

}  // namespace carryover
